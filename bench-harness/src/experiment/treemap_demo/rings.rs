//! The two rings: their own output, look-ups that throw, two rules, two pictures, and changes.

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use router::{Cluster, Keys};
use serde::Deserialize;

use super::moves;
use crate::experiment::{Claims, Numbered, Setup};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rings {
    servers: Numbered,
    plain: String,
    #[serde(rename = "virtual")]
    many: String,
    virtual_text: String,
    plain_main: Numbered,
    virtual_main: Numbered,
    fails: String,
    newcomer: String,
}

/// Nodes for the article's two pictures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pictures {
    code: String,
    text: String,
    nodes: Numbered,
    /// Names that a newcomer may have; the first that falls between the second and the third node.
    newcomers: Numbered,
}

impl Rings {
    fn plain(&self, setup: &Setup<'_>) -> Result<Cluster> {
        setup.cluster(&self.plain, &self.servers.list())
    }

    fn many(&self, setup: &Setup<'_>) -> Result<Cluster> {
        setup.cluster(&self.many, &self.servers.list())
    }
}

/// The owners of the keys of both main programs; what the programs print.
pub(super) fn judge_main(
    setup: &Setup<'_>,
    claims: &mut Claims<'_>,
    rings: &Rings,
) -> Result<Vec<String>> {
    let mut printed = Vec::new();
    for (id, cluster, keys) in [
        ("main-plain", rings.plain(setup)?, &rings.plain_main),
        ("main-virtual", rings.many(setup)?, &rings.virtual_main),
    ] {
        let mut digits = String::new();
        for key in keys.names() {
            let owner = cluster
                .route(key.as_bytes())
                .and_then(|it| cluster.name(it));
            let owner = owner.unwrap_or_default();
            digits.extend(owner.chars().last());
            // The letter i is the program's own.
            printed.push(format!("数据=i命中了服务器：ip={owner}"));
        }
        claims.text(id, &digits);
    }
    Ok(printed)
}

/// Keys past the last point: for them the published look-up throws.
pub(super) fn judge_throws(
    setup: &Setup<'_>,
    claims: &mut Claims<'_>,
    rings: &Rings,
    keys: &Numbered,
) -> Result<()> {
    let plain = rings.plain(setup)?;
    // Both classes have one hash; where there are few points, telling it takes less.
    let hash = |key: String| plain.trace(key.as_bytes()).and_then(|it| it.key_hash);
    let hashes: Vec<_> = keys.list().into_par_iter().map(hash).collect();
    for (id, cluster) in [
        ("throws-plain", &plain),
        ("throws-virtual", &rings.many(setup)?),
    ] {
        let points = cluster.points().unwrap_or_default();
        let last = points.last().map(|it| it.position);
        let thrown = hashes.iter().filter(|&&hash| last < hash).count();
        claims.number(id, thrown as f64);
    }
    Ok(())
}

/// The rule of the text against that of the code, and the evenness of both classes.
pub(super) fn judge_rules(
    setup: &Setup<'_>,
    claims: &mut Claims<'_>,
    rings: &Rings,
    keys: &Numbered,
) -> Result<()> {
    let keys = keys.keys();
    let code = rings.many(setup)?;
    let text = setup.cluster(&rings.virtual_text, &rings.servers.list())?;
    // Built in one order, so ids mean the same names.
    let by_code = setup.owners(&code, keys.keys())?;
    let by_text = setup.owners(&text, keys.keys())?;
    let same = by_code.iter().zip(&by_text).filter(|(a, b)| a == b).count();
    claims.number("rules", same as f64);
    let plain = rings.plain(setup)?;
    let cv = |cluster: &Cluster| {
        let shares = cluster.shares().unwrap_or_default();
        let n = shares.len() as f64;
        let squares = shares.iter().map(|it| (it * n - 1.0).powi(2));
        (squares.sum::<f64>() / n).sqrt()
    };
    let measured = format!(
        "sd of the shares {:.3} after {:.3} of a fair share",
        cv(&code),
        cv(&plain)
    );
    claims.holds("virtual-evens", measured, cv(&code) < cv(&plain));
    let n = rings.servers.count as f64;
    let points = code.points().map_or(0, |it| it.len()) as f64;
    let chance = ((n - 1.0) / (points + 1.0)).sqrt();
    let measured = format!(
        "sd of the shares {:.3} of a fair share; random points give {chance:.3}",
        cv(&code)
    );
    claims.holds("improve-hash", measured, cv(&code) > 2.0 * chance);
    Ok(())
}

/// The article's two pictures, under the rule of its code and under that of its text.
pub(super) fn judge_pictures(
    setup: &Setup<'_>,
    claims: &mut Claims<'_>,
    pictures: &Pictures,
    keys: &Numbered,
) -> Result<()> {
    let keys = keys.keys();
    for (suffix, spec) in [("", &pictures.code), ("-text", &pictures.text)] {
        let ring = setup.cluster(spec, &pictures.nodes.list())?;
        let order = in_ring_order(&ring);
        let (second, third) = (&order[1], &order[2]);
        let mut failed = ring.clone();
        failed.remove(second)?;
        let found = moves(setup, &ring, &failed, keys.keys())?;
        let places = |names: &[String]| {
            let place = |name| order.iter().position(|it| it == name).map(|it| it + 1);
            let places = names
                .iter()
                .filter_map(place)
                .map(|it| format!("node {it}"));
            places.collect::<Vec<_>>().join(", ")
        };
        let measured = format!("{} keys to {}", found.moved, places(&found.to));
        let holds = found.to == [third.clone()] && found.from == [second.clone()];
        claims.holds(&format!("picture-fails{suffix}"), measured, holds);
        let mut joined = ring.clone();
        let mut newcomers = pictures.newcomers.names();
        let falls_between = newcomers.find(|name| {
            joined = ring.clone();
            let placed = joined.add(name.as_str()).is_ok();
            let order = in_ring_order(&joined);
            placed && order.get(2) == Some(name)
        });
        falls_between.context("no newcomer falls between the second and the third node")?;
        let found = moves(setup, &ring, &joined, keys.keys())?;
        let measured = format!("{} keys from {}", found.moved, places(&found.from));
        let holds = found.from == [second.clone()];
        claims.holds(&format!("picture-joins{suffix}"), measured, holds);
    }
    Ok(())
}

/// The nodes of a ring with one point each, in the order of their points.
fn in_ring_order(cluster: &Cluster) -> Vec<String> {
    let points = cluster.points().unwrap_or_default();
    let names = points.iter().filter_map(|point| cluster.name(point.owner));
    names.map(str::to_owned).collect()
}

/// What the program's own methods do to a ring, and what the same change does here.
pub(super) fn judge_changes(
    setup: &Setup<'_>,
    claims: &mut Claims<'_>,
    rings: &Rings,
    keys: Keys<'_>,
) -> Result<()> {
    let servers = rings.servers.list();
    let plain = rings.plain(setup)?;
    let points = |cluster: &Cluster| cluster.points().map_or(0, |it| it.len());
    for (id, gone) in [("remove-one", 1), ("remove-two", 2)] {
        let mut after = plain.clone();
        for name in &servers[..gone] {
            after.remove(name)?;
        }
        let found = moves(setup, &plain, &after, keys)?;
        let measured = format!(
            "{} points; {} keys moved, all of them theirs",
            points(&after),
            found.moved
        );
        let theirs = found.from.iter().all(|it| servers[..gone].contains(it));
        claims.text(
            id,
            if theirs {
                &measured
            } else {
                "keys of others moved"
            },
        );
    }
    let mut after = plain.clone();
    after.add(rings.newcomer.as_str())?;
    let measured = format!(
        "{} points; the caller's list has {} servers",
        points(&after),
        servers.len()
    );
    claims.text("add", &measured);
    let other = setup.cluster(&rings.plain, &[&rings.newcomer])?;
    claims.text("instance", &plural(points(&other), "point"));
    let mut renamed = plain.clone();
    renamed.replace(&rings.fails, &rings.newcomer)?;
    let moved = moves(setup, &plain, &renamed, keys)?.moved;
    claims.text("set-ip", &format!("{moved} of {} keys moved", keys.len()));
    for (id, ring) in [
        ("plain-moves", plain),
        ("virtual-moves", rings.many(setup)?),
    ] {
        let mut after = ring.clone();
        after.remove(&rings.fails)?;
        claims.number(id, moves(setup, &ring, &after, keys)?.moved as f64);
    }
    Ok(())
}

fn plural(n: usize, one: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {one}{s}")
}
