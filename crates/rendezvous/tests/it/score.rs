//! The score as defined, the highest of many as that of few, and that scores order nodes evenly.

use point_hash::{SplitMix64, mix64};
use rendezvous::score::{highest, highest_of_few, score};

#[test]
fn the_halves_are_multiplied_and_xored() {
    // 3 * 5 = 15: the upper half is 15, and so is the lower one; the two lowest bits go.
    assert_eq!(score(3 << 32, 5), 0x3_c000_0003);
    assert_eq!(score(0, u64::MAX), 0x3fff_ffff_c000_0000);
    assert_eq!(score(7, 7), 0);
}

#[test]
fn a_score_leaves_two_bits_free() {
    let mut draw = SplitMix64::new(1);
    for _ in 0..100_000 {
        assert!(score(draw.draw(), draw.draw()) < 1 << 62);
    }
}

/// Every number of nodes up to some blocks and a rest, and 10^6 keys in all.
#[test]
fn vectors_find_what_one_after_the_other_does() {
    let mut draw = SplitMix64::new(2);
    let ids: Vec<u64> = (0..700).map(|_| draw.draw()).collect();
    for n in 1..=ids.len() {
        for _ in 0..1430 {
            let key_hash = draw.draw();
            let ids = &ids[..n];
            assert_eq!(highest(ids, key_hash), highest_of_few(ids, key_hash), "{n}");
        }
    }
}

/// The highest score stands once, twice, in the rest behind the rows, everywhere: the first place wins.
#[test]
fn of_equal_scores_the_first_place_wins() {
    let mut draw = SplitMix64::new(3);
    for n in [95, 96, 97, 128, 200, 255, 256, 257, 300] {
        let mut ids: Vec<u64> = (0..n).map(|_| draw.draw()).collect();
        let key_hash = draw.draw();
        let (place, best) = highest(&ids, key_hash);
        for other in 0..n as usize {
            let winner = ids[place];
            let before = std::mem::replace(&mut ids[other], winner);
            assert_eq!(
                highest(&ids, key_hash),
                (place.min(other), best),
                "{n}, {other}"
            );
            ids[other] = before;
        }
        // An id that equals the hash scores 0, and so do all.
        assert_eq!(
            highest(&vec![key_hash; n as usize], key_hash),
            (0, 0),
            "{n}"
        );
    }
}

/// Owners, and pairs of first and second owner, against equal counts: the sum of squares over many
/// sets of ids lies within 5 standard deviations of its mean. The product alone is off by thousands.
#[test]
fn the_order_of_the_nodes_looks_random() {
    assert!(unevenness(score) < 5.0);
    let alone = |key_hash: u64, id: u64| {
        let joined = key_hash ^ id;
        (joined >> 32) * (joined & 0xffff_ffff)
    };
    assert!(unevenness(alone) > 1000.0, "the test sees what is uneven");
}

/// How many standard deviations the counts of first and second owners are from even, whichever is
/// more.
fn unevenness(score: impl Fn(u64, u64) -> u64) -> f64 {
    const N: usize = 7;
    let mut sums = [(0.0, 0.0); 2];
    for set in 0..20_u64 {
        let ids: Vec<u64> = (0..N as u64).map(|i| mix64(set << 32 | i)).collect();
        let (mut owners, mut pairs) = (vec![0.0; N], vec![0.0; N * N]);
        for key in 0..100_000 {
            let key_hash = mix64(key + 17);
            let mut order: Vec<usize> = (0..N).collect();
            order.sort_unstable_by_key(|&i| std::cmp::Reverse(score(key_hash, ids[i])));
            owners[order[0]] += 1.0;
            pairs[order[0] * N + order[1]] += 1.0;
        }
        let of_two = (0..N * N).filter(|i| i / N != i % N).map(|i| pairs[i]);
        for (sum, counts) in sums.iter_mut().zip([owners, of_two.collect()]) {
            let mean = counts.iter().sum::<f64>() / counts.len() as f64;
            sum.0 += counts
                .iter()
                .map(|it| (it - mean).powi(2) / mean)
                .sum::<f64>();
            sum.1 += counts.len() as f64 - 1.0;
        }
    }
    let [owners, pairs] = sums.map(|(chi2, freedom)| (chi2 - freedom) / (2.0 * freedom).sqrt());
    owners.max(pairs)
}
