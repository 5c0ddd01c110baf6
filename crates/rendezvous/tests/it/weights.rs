//! The logarithmic method, and that it agrees with itself where no logarithm is taken.

use point_hash::{SplitMix64, xxh3, xxh3_seeded};
use rendezvous::score::score;
use router::KeyBuf;

use crate::{cluster, names, owners};

/// -ln(u) / w of the documentation.
fn rings_at(m: u64, weight: f64) -> f64 {
    -libm::log((m as f64 + 0.5) / (1_u64 << 52) as f64) / weight
}

/// The rule as it stands on the crate's page, over all nodes alike.
fn by_the_rule<'a>(nodes: &[(&'a str, u32)], key: &[u8]) -> &'a str {
    let standing = |&(name, weight): &(&'a str, u32)| {
        let score = score(xxh3(key), xxh3_seeded(name.as_bytes(), 1));
        (rings_at(score >> 10, weight.into()), score, name)
    };
    let standings = nodes.iter().filter(|it| it.1 > 0).map(standing);
    let best = standings.min_by(|a, b| {
        let by_time = a.0.total_cmp(&b.0);
        by_time.then(b.1.cmp(&a.1)).then(a.2.cmp(b.2))
    });
    best.unwrap().2
}

#[test]
fn classes_answer_as_the_rule() {
    let names = names("node-", 12);
    let keys: KeyBuf = crate::names("key-", 300).iter().collect();
    let mut draw = SplitMix64::new(1);
    for round in 0..40 {
        let choices: &[u32] = match round % 4 {
            0 => &[1],
            1 => &[1, 1, 1, 2],
            2 => &[0, 1, 2, 5],
            _ => &[0, 1, 1000, u32::MAX],
        };
        let weight = |draw: u64| choices[(draw % choices.len() as u64) as usize];
        let mut nodes: Vec<(&str, u32)> = names
            .iter()
            .map(|name| (name.as_str(), weight(draw.draw())))
            .collect();
        nodes[0].1 = 1;
        let texts: Vec<String> = nodes
            .iter()
            .map(|it| format!("{}={}", it.0, it.1))
            .collect();
        let cluster = cluster("rendezvous", &texts);
        for (key, owner) in keys.keys().iter().zip(owners(&cluster, &keys)) {
            assert_eq!(&*owner, by_the_rule(&nodes, key), "{nodes:?}, {key:?}");
        }
    }
}

/// The proof of the crate's page at the places where neighbours lie closest: about 1/e, at the ends,
/// below and above powers of e^-1, and at random.
#[test]
fn a_larger_score_always_rings_earlier() {
    let last = (1_u64 << 52) - 1;
    let at = |u: f64| (u * (1_u64 << 52) as f64) as u64;
    let mut places = vec![0, last - 2000];
    for u in [0.5_f64, 0.25, 0.125, 1e-3, 1e-9, 0.999_999] {
        places.push(at(u) - 1000);
    }
    // -ln(u) at powers of two, where its last place doubles.
    for k in -20..6 {
        places.push(at((-2_f64.powi(k)).exp()).saturating_sub(1000));
    }
    let mut draw = SplitMix64::new(2);
    places.extend((0..200).map(|_| draw.draw() % (last - 2000)));
    for start in places {
        for m in start..start + 2000 {
            let (lower, higher) = (rings_at(m, 1.0), rings_at(m + 1, 1.0));
            assert!(higher < lower, "m = {m}: {lower} and {higher}");
            assert!(higher >= 0.0 && lower.is_finite());
            assert!(rings_at(m + 1, 3.0) <= rings_at(m, 3.0), "m = {m}");
        }
    }
}

/// From all equal to one that differs, and back: whoever kept their weight keep their keys, but for
/// those that the heavier one takes.
#[test]
fn the_first_weight_that_differs_moves_nothing_else() {
    let keys: KeyBuf = names("key-", 20_000).iter().collect();
    let mut cluster = cluster("rendezvous", &names("node-", 9));
    let equal = owners(&cluster, &keys);
    for weight in [2, 1_000_000] {
        cluster.set_weight("node-4", weight).unwrap();
        let unequal = owners(&cluster, &keys);
        for (before, after) in equal.iter().zip(&unequal) {
            assert!(
                before == after || &**after == "node-4",
                "{before} to {after}"
            );
        }
        let share = unequal.iter().filter(|it| &***it == "node-4").count() as f64 / 20_000.0;
        let fair = f64::from(weight) / f64::from(weight + 8);
        let sd = (fair * (1.0 - fair) / 20_000.0).sqrt();
        assert!((share - fair).abs() < 5.0 * sd, "{share} instead of {fair}");
    }
    cluster.set_weight("node-4", 1).unwrap();
    assert_eq!(owners(&cluster, &keys), equal);
    // All equal, but not to 1: the same owners again.
    for name in names("node-", 9) {
        cluster.set_weight(&name, 7).unwrap();
    }
    assert_eq!(owners(&cluster, &keys), equal);
}

/// T27: weights 1, 2, 3, 4 and 100,000 keys: 10, 20, 30, 40 % within 5 standard deviations.
/// <https://github.com/jupyterhub/mybinder.org-deploy/pull/1336>
#[test]
fn shares_follow_the_weights() {
    let cluster = cluster("rendezvous", &["a=1", "b=2", "c=3", "d=4"]);
    let keys: KeyBuf = names("user", 100_000).iter().collect();
    let owners = owners(&cluster, &keys);
    for (name, share) in [("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.4)] {
        let count = owners.iter().filter(|it| &***it == name).count() as f64;
        let sd = (1e5 * share * (1.0_f64 - share)).sqrt();
        assert!((count - 1e5 * share).abs() < 5.0 * sd, "{name}: {count}");
    }
    // In the nodes' order: by weight.
    let shares: Vec<f64> = cluster.shares().unwrap();
    assert_eq!(shares, [0.1, 0.2, 0.3, 0.4]);
}
