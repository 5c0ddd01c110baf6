//! Tables by remainder, rings under two rules, and one ring under many hashes.

mod hashes;
mod rings;
mod tables;

use anyhow::Result;
use router::{Cluster, Keys};
use serde::Deserialize;

use super::{Claims, Findings, Numbered, Setup};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Demo {
    throw_keys: Numbered,
    rule_keys: Numbered,
    tables: tables::Tables,
    rings: rings::Rings,
    pictures: rings::Pictures,
    hashes: hashes::Hashes,
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let demo: Demo = setup.definition.setup();
    let mut claims = Claims::new(setup.definition);
    setup.progress.phase("treemap-demo", 5);
    tables::judge(setup, &mut claims, &demo.tables)?;
    setup.progress.step();
    let printed = rings::judge_main(setup, &mut claims, &demo.rings)?;
    rings::judge_throws(setup, &mut claims, &demo.rings, &demo.throw_keys)?;
    setup.progress.step();
    rings::judge_rules(setup, &mut claims, &demo.rings, &demo.rule_keys)?;
    rings::judge_pictures(setup, &mut claims, &demo.pictures, &demo.rule_keys)?;
    setup.progress.step();
    let users = &demo.tables.keys[0].names;
    rings::judge_changes(setup, &mut claims, &demo.rings, users.keys().keys())?;
    setup.progress.step();
    let hashes = hashes::series(setup, &demo.hashes)?;
    setup.progress.step();
    Ok(claims.finish(vec![("hashes", hashes)], printed))
}

/// How many keys have another owner in `after`, which is a changed clone of `before`; the names of
/// those that lost them, and of those that got them, each once.
struct Moves {
    moved: u64,
    from: Vec<String>,
    to: Vec<String>,
}

fn moves(setup: &Setup<'_>, before: &Cluster, after: &Cluster, keys: Keys<'_>) -> Result<Moves> {
    let (old, new) = (setup.owners(before, keys)?, setup.owners(after, keys)?);
    let mut moves = Moves {
        moved: 0,
        from: Vec::new(),
        to: Vec::new(),
    };
    for (&old, &new) in old.iter().zip(&new).filter(|(old, new)| old != new) {
        moves.moved += 1;
        let lost = before.name(old).unwrap_or_default();
        if !moves.from.iter().any(|it| it == lost) {
            moves.from.push(lost.to_owned());
        }
        let got = after.name(new).unwrap_or_default();
        if !moves.to.iter().any(|it| it == got) {
            moves.to.push(got.to_owned());
        }
    }
    Ok(moves)
}
