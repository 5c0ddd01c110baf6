//! Lists of nodes that a plan spells out, each with the keys that are asked of it.
//!
//! A plan is a JSON file: data, so that nobody has to read a program to know what was compared.
//! Texts may hold ranges, `{1..8}`, which stand for every number of them; two ranges in one text
//! for every pair. A node's text ends in `=WEIGHT` where its weight is not 1.

use std::sync::Arc;

use router::{KeyBuf, NodeSpec};
use serde::Deserialize;

use super::Error;

/// A list of nodes, and the keys that are asked of it.
#[derive(Clone, Debug)]
pub struct NodeList {
    /// Its name in tables.
    pub name: String,
    /// What it is there for, in one line.
    pub exercises: String,
    /// The nodes, in joining order.
    pub nodes: Vec<NodeSpec>,
    /// The keys.
    pub keys: Arc<KeyBuf>,
    /// Whether each of its nodes is lost in turn.
    pub lose: bool,
}

/// What a plan spells out.
#[derive(Clone, Debug)]
pub struct ListPlan {
    /// Specs that others are held against where a node is lost.
    pub references: Vec<String>,
    /// The keys of the lists that have none of their own.
    pub keys: Arc<KeyBuf>,
    /// The lists, in order.
    pub lists: Vec<NodeList>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanText {
    references: Vec<String>,
    keys: Vec<String>,
    lists: Vec<ListText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListText {
    name: String,
    exercises: String,
    nodes: Vec<String>,
    keys: Option<Vec<String>>,
    #[serde(default)]
    lose: bool,
}

impl ListPlan {
    /// Reads a plan.
    ///
    /// # Errors
    ///
    /// When it is not JSON of this form, or a range or a weight in it is none; names the list.
    pub fn parse(json: &str) -> Result<Self, Error> {
        let plan: PlanText =
            serde_json::from_str(json).map_err(|err| Error::new(format!("plan: {err}")))?;
        let keys = Arc::new(keys(&plan.keys)?);
        let lists = plan.lists.into_iter().map(|list| {
            let own = list.keys.as_deref().map(self::keys).transpose();
            let nodes = nodes(&list.nodes);
            let named = |err: Error| Error::new(format!("list {:?}: {err}", list.name));
            Ok(NodeList {
                keys: own.map_err(named)?.map_or_else(|| keys.clone(), Arc::new),
                nodes: nodes.map_err(named)?,
                name: list.name,
                exercises: list.exercises,
                lose: list.lose,
            })
        });
        Ok(Self {
            references: plan.references,
            lists: lists.collect::<Result<_, Error>>()?,
            keys,
        })
    }
}

fn keys(texts: &[String]) -> Result<KeyBuf, Error> {
    let expanded: Result<Vec<_>, Error> = texts.iter().map(|text| expand(text)).collect();
    Ok(expanded?.into_iter().flatten().collect())
}

fn nodes(texts: &[String]) -> Result<Vec<NodeSpec>, Error> {
    let mut nodes = Vec::new();
    for text in texts {
        for node in expand(text)? {
            let (name, weight) = node.rsplit_once('=').unwrap_or((&node, "1"));
            let weight = weight
                .parse()
                .map_err(|_| Error::new(format!("{node:?}: expected a weight behind =")))?;
            nodes.push(NodeSpec::new(name, weight));
        }
    }
    Ok(nodes)
}

/// Every text that `text` stands for, the last range counting fastest.
fn expand(text: &str) -> Result<Vec<String>, Error> {
    let Some((before, rest)) = text.split_once('{') else {
        return Ok(vec![text.to_owned()]);
    };
    let range = rest.split_once('}').and_then(|(range, after)| {
        let (from, to) = range.split_once("..")?;
        Some((from.parse::<u32>().ok()?, to.parse::<u32>().ok()?, after))
    });
    let (from, to, after) =
        range.ok_or_else(|| Error::new(format!("{text:?}: expected a range {{FROM..TO}}")))?;
    let after = expand(after)?;
    let all =
        (from..=to).flat_map(|i| after.iter().map(move |after| format!("{before}{i}{after}")));
    Ok(all.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_stand_for_every_number() {
        assert_eq!(expand("a").unwrap(), ["a"]);
        assert_eq!(expand("").unwrap(), [""]);
        assert_eq!(expand("a{9..11}b").unwrap(), ["a9b", "a10b", "a11b"]);
        let pairs = expand("{0..1}-{2..3}").unwrap();
        assert_eq!(pairs, ["0-2", "0-3", "1-2", "1-3"]);
        for wrong in ["{", "{}", "{1}", "{1..}", "{a..b}", "{1..2", "x{-1..2}"] {
            assert!(expand(wrong).is_err(), "{wrong}");
        }
    }

    #[track_caller]
    fn check_refused(json: &str, why: &str) {
        let err = ListPlan::parse(json).unwrap_err().to_string();
        assert!(err.contains(why), "{err}");
    }

    #[test]
    fn a_plan_is_read_or_refused_by_list() {
        let plan = r#"{"references": ["r"], "keys": ["k{1..3}"], "lists": [
            {"name": "a", "exercises": "x", "nodes": ["n{1..2}=7", "m"], "lose": true},
            {"name": "b", "exercises": "y", "nodes": [], "keys": [""]}]}"#;
        let plan = ListPlan::parse(plan).unwrap();
        let nodes = [("n1", 7), ("n2", 7), ("m", 1)].map(|(name, w)| NodeSpec::new(name, w));
        assert_eq!(plan.lists[0].nodes, nodes);
        assert_eq!((plan.keys.len(), plan.lists[0].keys.len()), (3, 3));
        assert_eq!(plan.lists[1].keys.keys().get(0), b"");
        assert!(plan.lists[0].lose && !plan.lists[1].lose);
        let with = |list: &str| format!(r#"{{"references": [], "keys": [], "lists": [{list}]}}"#);
        check_refused("{", "plan: ");
        check_refused(&with(r#"{"name": "a"}"#), "missing field");
        let list = r#"{"name": "a", "exercises": "", "nodes": ["n=x"]}"#;
        check_refused(&with(list), "list \"a\": \"n=x\": expected a weight");
        let list = r#"{"name": "a", "exercises": "", "nodes": [], "keys": ["{1"]}"#;
        check_refused(&with(list), "list \"a\": \"{1\": expected a range");
    }
}
