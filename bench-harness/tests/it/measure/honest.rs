//! An honest strategy: what it must show, and that no gate fails it.

use std::sync::Arc;

use bench_harness::{
    measure::{Measured, Part, Profile},
    record::{Status, TimedRow},
    workload::{KeyFile, KeySet, Popularity, zipf_shares},
};

use super::{HIGHEST, measure_with, measured, profile, row};

/// A single hot key decides: the busiest node has at least its share of all requests, 8 nodes times
/// 1 over the sum of 800 ranks' weights; and the mean square of cv is (n - 1) times the sum of the
/// squared shares, for a strategy of equal shares.
#[test]
fn requests_lie_as_the_popularity_of_keys_says() {
    let seeds = 40;
    let profile = Profile {
        more_key_sets: Some(8),
        keys_per_node: 10, // of the key sets beside, which are none of this test's
        ..profile(seeds)
    };
    let measured = measure_with(&HIGHEST, &[Part::Balance], profile, KeySet::Hex64);
    for popularity in Popularity::ALL {
        let scenario = popularity.scenario("hex64");
        let shares = zipf_shares(800, popularity.exponent());
        let row = |metric| {
            let mut rows = measured.balance.iter();
            rows.find(|row| row.scenario == scenario && row.metric == metric)
                .unwrap_or_else(|| panic!("no row {scenario} {metric}"))
        };
        let peak = row("peak_to_avg");
        assert_eq!((peak.keys, peak.seeds), (800, seeds));
        assert!(peak.p5.unwrap() >= 8.0 * shares[0], "{scenario}: {peak:?}");
        let cv = row("cv");
        let square = cv.mean.unwrap().powi(2) + cv.sd.unwrap().powi(2);
        let expected = 7.0 * shares.iter().map(|share| share * share).sum::<f64>();
        // 40 seeds; the sd of cv's square was seen at up to half of its mean: 4 standard errors.
        assert!(
            (square / expected - 1.0).abs() < 0.32,
            "{scenario}: {square} is not near {expected}"
        );
        let (lo, mean, hi) = (cv.noise_lo, cv.noise_mean.unwrap(), cv.noise_hi);
        assert!(lo < cv.mean && cv.mean < hi, "{scenario}: {cv:?}");
        assert!(
            (mean * mean / expected - 1.0).abs() < 0.3,
            "{scenario}: {cv:?}"
        );
    }
}

/// A strategy that is even and moves no more than it must. Two views that miss one node each differ on
/// the keys of both, twice what the difference of their weights asks for.
#[test]
fn views_of_a_minimal_strategy_are_near_their_references() {
    let profile = Profile {
        sizes: vec![10],
        view_sizes: vec![10],
        view_keys: 3000,
        ..profile(3)
    };
    let measured = measure_with(&HIGHEST, &[Part::Views], profile, KeySet::Hex64);
    let view = |change, metric| row(&measured.views, change, metric);
    for change in [
        "missing-1",
        "missing-2",
        "missing-4",
        "behind-1",
        "behind-4",
    ] {
        let differing = view(change, "view_disagreement");
        assert_eq!((differing.keys, differing.seeds), (3000, 3));
        let (mean, least) = (differing.mean.unwrap(), differing.reference.unwrap());
        assert!(least > 0.0);
        assert!(
            (0.95..2.1).contains(&(mean / least)),
            "{change}: {differing:?}"
        );
        let spread = view(change, "view_spread").mean.unwrap();
        assert!(1.0 < spread && spread <= view(change, "view_spread_p99").mean.unwrap());
        assert!(view(change, "view_load").mean.unwrap() > 1.0);
    }
    for change in ["lose-random", "add", "rolling"] {
        let misses = view(change, "stale_misses");
        let (mean, least) = (misses.mean.unwrap(), misses.reference.unwrap());
        assert!((mean / least - 1.0).abs() < 0.1, "{change}: {misses:?}");
    }
    // One of ten is gone: of its keys 29 clients in turn have not heard, and one more misses.
    let expected = 0.1 * 31.0 / 60.0;
    let lost = view("lose-random", "stale_misses").reference.unwrap();
    assert!((lost - expected).abs() < 1e-12);
}

/// Look-ups of few keys, so that to make them does not take longer than to time them.
fn timed(parts: &[Part], rounds: u64, competing_bytes: Option<usize>) -> Measured {
    let profile = Profile {
        competing_bytes,
        rounds,
        warming_ns: 0.0,
        ..profile(1)
    };
    let keys = KeyFile {
        name: "few".to_owned(),
        keys: KeySet::Hex64.keys(0, 4096),
    };
    measure_with(&HIGHEST, parts, profile, KeySet::File(Arc::new(keys)))
}

/// What competes for the caches is read, and the row says what clock it was timed with.
#[test]
fn a_look_up_that_competes_has_a_row_with_its_clock() {
    let competing = |rows: &Measured| {
        let mut rows = rows.lookup.iter().cloned();
        rows.find(|row| row.metric == "competing_ns")
    };
    let measured = timed(&[Part::Lookup], 5, Some(1 << 17));
    let row = competing(&measured).expect("the profile asks for it");
    assert_eq!((row.rounds, row.status), (5, Status::Ok));
    assert!(row.lo <= row.median && row.median <= row.hi && row.median > Some(0.0));
    assert!(row.note.starts_with("the clock steps by "), "{}", row.note);
    let measured = timed(&[Part::Lookup], 1, Some(usize::MAX / 2));
    let row = competing(&measured).expect("a row says why there is no value");
    assert_eq!((row.median, row.status), (None, Status::Unsupported));
    assert!(row.note.starts_with("no room for the "), "{}", row.note);
}

#[test]
fn look_ups_building_and_changing_have_a_row_each() {
    let measured = timed(&[Part::Lookup, Part::Build], 10, None);
    let metrics = |rows: &[TimedRow]| -> Vec<String> {
        assert!(rows.iter().all(|row| row.status == Status::Ok), "{rows:?}");
        rows.iter().map(|row| row.metric.clone()).collect()
    };
    let look_ups = [
        "lookup_ns",
        "route_batch_ns",
        "batch_mean_p99",
        "hash_ns",
        "load_ns",
    ];
    assert_eq!(metrics(&measured.lookup), look_ups, "nothing competes");
    assert_eq!(measured.lookup[0].rounds, 10);
    assert_eq!(
        metrics(&measured.build),
        ["build_ns", "add_ns", "remove_ns"]
    );
}

#[test]
fn an_honest_strategy_passes_every_gate() {
    let measured = measured(&HIGHEST, &[Part::Balance, Part::Movement, Part::Work]);
    let rows = [&measured.balance, &measured.movement, &measured.work];
    for row in rows.into_iter().flatten() {
        assert!(
            matches!(row.status, Status::Ok | Status::Unsupported),
            "{row:?}"
        );
        assert_eq!(row.note.is_empty(), row.status == Status::Ok, "{row:?}");
    }
    let balance = |metric| row(&measured.balance, "none", metric);
    assert_eq!(balance("exact_peak").mean, Some(1.0));
    assert_eq!(balance("cv").keys, 16_000);
    let cv = balance("cv");
    assert!(cv.noise_lo < cv.mean && cv.mean < cv.noise_hi, "{cv:?}");
    let movement = |change, metric| row(&measured.movement, change, metric);
    for change in ["lose-random", "add", "lose-50pct", "add-10pct"] {
        assert_eq!(movement(change, "collateral").mean, Some(0.0), "{change}");
        let moved = movement(change, "moved");
        assert_eq!(moved.mean, movement(change, "forced").mean);
        let distance = (moved.mean.unwrap() - moved.reference.unwrap()).abs();
        assert!(distance < 0.02, "{change} is near its optimum");
    }
    assert_eq!(movement("lose-random", "restored_mismatch").mean, Some(0.0));
    assert_eq!(movement("replace", "optimal").mean, Some(1.0 / 8.0));
    assert_eq!(
        movement("weight-double", "moved").status,
        Status::Unsupported
    );
    let n1 = movement("none", "n1_peak").mean.unwrap();
    assert!((8.0 / 7.0..1.3).contains(&n1), "one of eight lost: {n1}");
    assert_eq!(row(&measured.work, "none", "hash_evals").mean, Some(9.0));
}
