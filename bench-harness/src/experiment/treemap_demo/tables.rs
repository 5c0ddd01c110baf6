//! `hash(user_id) % size`: which table a row goes to.

use anyhow::Result;
use router::Position;
use serde::Deserialize;

use super::moves;
use crate::experiment::{Claims, Numbered, Setup, counts};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tables {
    spec: String,
    tables: Numbered,
    negative_key: String,
    pub(super) keys: Vec<KeyList>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyList {
    /// What its claims end with.
    claims: String,
    pub(super) names: Numbered,
}

/// Sizes, queries, negative remainders, and what one table more or less moves.
pub(super) fn judge(setup: &Setup<'_>, claims: &mut Claims<'_>, tables: &Tables) -> Result<()> {
    let names = tables.tables.list();
    let cluster = setup.cluster(&tables.spec, &names)?;
    let mut more = cluster.clone();
    more.add(format!("{}{}", tables.tables.prefix, names.len()).as_str())?;
    let mut fewer = cluster.clone();
    fewer.remove(&names[names.len() - 1])?;
    for list in &tables.keys {
        let keys = list.names.keys();
        for (to, cluster_after) in [(names.len() + 1, &more), (names.len() - 1, &fewer)] {
            let moved = moves(setup, &cluster, cluster_after, keys.keys())?.moved;
            claims.number(&format!("modulo-{to}-{}", list.claims), moved as f64);
        }
    }
    let keys = tables.keys[0].names.keys();
    let keys = keys.keys();
    let owners = setup.owners(&cluster, keys)?;
    let sizes = counts(&cluster, &owners);
    let (min, max) = (sizes.iter().min(), sizes.iter().max());
    let (min, max) = (*min.unwrap_or(&0), *max.unwrap_or(&0));
    // Chance alone would part them by some hundred rows.
    claims.holds(
        "even-tables",
        format!("{min} to {max} rows a table"),
        max - min <= 1000,
    );
    // The query is another program's: a cluster of its own, asked key by key.
    let asked = setup.cluster(&tables.spec, &names)?;
    let found = keys.iter().zip(&owners).filter(|(key, row)| {
        let query = asked.route(key).and_then(|it| asked.name(it));
        query.is_some() && query == cluster.name(**row)
    });
    let found = found.count();
    let measured = format!("{found} of {} rows found again", keys.len());
    claims.holds("same-table", measured, found == keys.len());
    let remainder = |key: &[u8]| match cluster.trace(key)?.key_hash? {
        Position::Signed(hash) => Some(hash % names.len() as i64),
        Position::Unsigned(_) => None,
    };
    let key = tables.negative_key.as_bytes();
    let table = cluster.route(key).and_then(|it| cluster.name(it));
    claims.text("negative", table.unwrap_or_default());
    let negative = keys
        .iter()
        .filter(|key| remainder(key).is_some_and(|it| it < 0));
    claims.number("negative-users", negative.count() as f64);
    Ok(())
}
