//! Long walks through random changes.

use point_hash::SplitMix64;
use router::{Change, Cluster, KeyBuf, NodeId, NodeSpec};

use crate::{SPECS, keys, owners, spec};

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Steps of a walk.
const STEPS: usize = 2000;

/// One change at random that the cluster accepts.
fn change(cluster: &Cluster, random: &mut SplitMix64) -> Change {
    let one = NAMES[(random.draw() % 8) as usize];
    let other = NAMES[(random.draw() % 8) as usize];
    let present = |name| cluster.nodes().iter().any(|node| &*node.name == name);
    match (present(one), present(other)) {
        (true, false) if random.draw().is_multiple_of(4) => Change::Replace {
            old: one.into(),
            new: other.into(),
        },
        (true, _) => Change::Remove(one.into()),
        (false, _) => Change::Add(one.into()),
    }
}

/// The change that takes this one back.
fn undoing(change: &Change) -> Change {
    match change {
        Change::Add(node) => Change::Remove(node.name.clone()),
        Change::Remove(name) => Change::Add(NodeSpec::from(name.as_str())),
        Change::Replace { old, new } => Change::Replace {
            old: new.clone(),
            new: old.clone(),
        },
        Change::SetWeight(_) => panic!("it takes no weights"),
    }
}

/// Checks one step: only members own keys, nothing moves in vain, all that had to move has moved,
/// a trace counts some work, and the change undone leaves all as it was. Returns the owners after.
#[track_caller]
fn check(
    before: &[Option<NodeId>],
    after: &Cluster,
    change: &Change,
    keys: &KeyBuf,
) -> Vec<Option<NodeId>> {
    let found = owners(after, keys);
    let touched = |id| match change {
        Change::Add(node) => after.id(&node.name) == id,
        Change::Remove(name) => after.id(name) == id,
        Change::Replace { old, new } => after.id(old) == id || after.id(new) == id,
        Change::SetWeight(_) => false,
    };
    for (&from, &to) in before.iter().zip(&found) {
        assert_eq!(to.is_some(), !after.nodes().is_empty());
        assert!(to.is_none_or(|id| after.nodes().get(id).is_some()));
        if let Change::Replace { old, new } = change {
            let expected = if from == after.id(old) {
                after.id(new)
            } else {
                from
            };
            assert_eq!(to, expected, "a replacement takes the keys as they are");
        } else {
            assert!(from == to || touched(from) || touched(to), "in vain");
        }
    }
    let mut undone = after.clone();
    undone.apply(&[undoing(change)]).unwrap();
    assert_eq!(owners(&undone, keys), before, "undone");
    found
}

#[test]
fn a_long_walk_keeps_the_rules() {
    let keys = keys(200);
    for (seed, text) in SPECS.iter().enumerate() {
        let mut random = SplitMix64::new(seed as u64);
        let mut cluster = Cluster::build(&spec(text), &["a".into(), "b".into()]).unwrap();
        let mut before = owners(&cluster, &keys);
        for _ in 0..STEPS {
            let change = change(&cluster, &mut random);
            cluster.apply(std::slice::from_ref(&change)).unwrap();
            before = check(&before, &cluster, &change, &keys);
        }
    }
}

/// Changes that arrive together do what they would do one by one, even where a name comes and goes.
#[test]
fn together_is_as_one_by_one() {
    let keys = keys(200);
    for (seed, text) in SPECS.iter().enumerate() {
        let mut random = SplitMix64::new(100 + seed as u64);
        let mut one_by_one = Cluster::build(&spec(text), &["a".into()]).unwrap();
        let mut together = one_by_one.clone();
        for _ in 0..100 {
            let mut changes = Vec::new();
            for _ in 0..random.draw() % 6 {
                let change = change(&one_by_one, &mut random);
                one_by_one.apply(std::slice::from_ref(&change)).unwrap();
                changes.push(change);
            }
            together.apply(&changes).unwrap();
            assert_eq!(
                owners(&together, &keys),
                owners(&one_by_one, &keys),
                "{text}: {changes:?}"
            );
        }
    }
}
