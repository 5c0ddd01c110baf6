//! What the strategy says of itself, against counting.

use router::{Cluster, Estimate, Question};

use super::{catalog, cluster, n_moved, numbered, owners};

fn moved(n: u64, removed: u64, added: u64) -> Option<Estimate> {
    let question = Question::Moved { n, removed, added };
    catalog().parse("modulo").unwrap().expected(question)
}

fn lcm(a: usize, b: usize) -> usize {
    (1..).map(|k| a * k).find(|it| it % b == 0).unwrap()
}

/// The shares of moved keys for every choice of `removed` of `n` nodes, each counted over one
/// period of the remainders.
fn counted(n: usize, removed: usize, added: usize) -> Vec<f64> {
    let period = lcm(n, n - removed + added);
    let choices = (0..1_u32 << n).filter(|it| it.count_ones() as usize == removed);
    choices
        .map(|leaving| {
            let survivors = (0..n).filter(|place| leaving >> place & 1 == 0);
            let after: Vec<usize> = survivors.chain(n..n + added).collect();
            let moved = (0..period).filter(|hash| after[hash % after.len()] != hash % n);
            moved.count() as f64 / period as f64
        })
        .collect()
}

#[test]
fn the_share_that_moves_is_what_counting_gives() {
    for n in 1..=7 {
        for removed in 0..=n {
            for added in 0..=7 {
                let stated = moved(n as u64, removed as u64, added as u64);
                if n - removed + added == 0 {
                    assert_eq!(stated, None, "nobody is left");
                    continue;
                }
                let stated = stated.unwrap();
                let counted = counted(n, removed, added);
                let mean = counted.iter().sum::<f64>() / counted.len() as f64;
                let case = format!("{n} nodes, {removed} leave, {added} join");
                assert!(
                    (stated.mean - mean).abs() < 1e-12,
                    "{case}: {} stated, {mean} counted",
                    stated.mean
                );
                if stated.sd == Some(0.0) {
                    let same = counted.iter().all(|it| (it - mean).abs() < 1e-12);
                    assert!(same, "{case}: it depends on who leaves");
                }
            }
        }
    }
}

#[test]
fn it_is_the_well_known_share_for_pure_resizes() {
    for (n, removed, added, expected) in [
        (10, 0, 1, 1.0 - 10.0 / 110.0),
        (10, 1, 0, 1.0 - 9.0 / 90.0),
        (3, 0, 1, 0.75),
        (10, 0, 10, 0.5),
        (10, 0, 0, 0.0),
        (10, 10, 10, 1.0),
        // The old node leaves and the new one joins last: half the survivors move up.
        (10, 1, 1, 0.55),
    ] {
        let stated = moved(n, removed, added).unwrap().mean;
        assert!(
            (stated - expected).abs() < 1e-12,
            "{n} - {removed} + {added}: {stated}"
        );
    }
}

/// A binomial count of a million stays within 5 standard deviations but once in 1.7 million; the
/// keys are fixed, so it either always does or never.
#[track_caller]
fn check_measured(n: u64, change: impl Fn(&mut Cluster), removed: u64, added: u64) {
    let keys = numbered("user");
    let before = cluster("modulo", n as usize);
    let mut after = before.clone();
    change(&mut after);
    let measured = n_moved(&owners(&before, keys.keys()), &owners(&after, keys.keys())) as f64;
    let stated = moved(n, removed, added).unwrap();
    assert_eq!(stated.sd, Some(0.0), "whoever leaves");
    let n_keys = keys.len() as f64;
    let sd = (n_keys * stated.mean * (1.0 - stated.mean)).sqrt();
    assert!(
        (measured - n_keys * stated.mean).abs() < 5.0 * sd,
        "{measured} moved, {} expected",
        n_keys * stated.mean
    );
}

#[test]
fn real_keys_move_as_stated() {
    check_measured(10, |it| it.add("10").unwrap(), 0, 1);
    check_measured(10, |it| it.remove("0").unwrap(), 1, 0);
    check_measured(10, |it| it.remove("5").unwrap(), 1, 0);
    check_measured(10, |it| it.remove("9").unwrap(), 1, 0);
}

#[test]
fn shares_are_exact() {
    for n in [1, 2, 3, 7, 10, 64] {
        for strategy in ["modulo", "modulo-java"] {
            let shares = cluster(strategy, n).shares().unwrap();
            assert_eq!(shares.len(), n);
            let total: f64 = shares.iter().sum();
            assert!((total - 1.0).abs() < 1e-12, "{strategy}, {n}: {total}");
        }
    }
    // 2^32 = 3 * 1431655765 + 1: the place of the lowest value, floorMod(-2^31, 3) = 1, has one
    // value more.
    let values: Vec<f64> = cluster("modulo-java", 3)
        .shares()
        .unwrap()
        .iter()
        .map(|share| share * 2_f64.powi(32))
        .collect();
    assert_eq!(values, [1_431_655_765.0, 1_431_655_766.0, 1_431_655_765.0]);
    // 2^32 = 10 * 429496729 + 6: places 2 to 7.
    let values: Vec<f64> = cluster("modulo-java", 10)
        .shares()
        .unwrap()
        .iter()
        .map(|share| share * 2_f64.powi(32) - 429_496_729.0)
        .collect();
    assert_eq!(values, [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn the_hash_that_mixes_nothing_promises_no_evenness() {
    let catalog = catalog();
    let java = catalog.parse("modulo-java").unwrap();
    assert!(catalog.parse("modulo").unwrap().capabilities().even);
    assert!(!java.capabilities().even);
    let question = Question::ShareVariance { n: 10 };
    assert_eq!(java.expected(question), None);
    let question = Question::HashEvals { n: 10 };
    assert_eq!(java.expected(question), Some(Estimate::exact(1.0)));
    // All keys of the same letters in twos: "Aa" and "BB" in any row have one hash.
    let ten = cluster("modulo-java", 10);
    let rows = (0..1 << 10).map(|bits| {
        let pairs = (0..10).map(|i| if bits >> i & 1 == 0 { "Aa" } else { "BB" });
        pairs.collect::<String>()
    });
    let mut places: Vec<_> = rows.map(|key| ten.route(key.as_bytes())).collect();
    places.dedup();
    assert_eq!(places.len(), 1, "1024 keys, one owner");
}
