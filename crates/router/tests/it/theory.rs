//! What theory says of any minimal strategy.

use router::Estimate;

/// Checks mean and deviation of what moves, where a share's relative variance is 0.3 at any size.
#[track_caller]
fn check(n: u64, removed: u64, added: u64, expected: Option<(f64, Option<f64>)>) {
    let found = Estimate::moved_minimally(n, removed, added, |_| Some(0.3));
    let (Some(found), Some((mean, sd))) = (found, expected) else {
        assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
        return;
    };
    assert!((found.mean - mean).abs() < 1e-12, "{found:?}");
    match (found.sd, sd) {
        (Some(found), Some(sd)) => assert!((found - sd).abs() < 1e-12, "{found}"),
        (found, sd) => assert_eq!(found, sd),
    }
}

#[test]
fn keys_of_those_who_go_and_for_those_who_come() {
    let sd = |some: f64, n: f64| (0.3 * some / n * (1.0 - some / n) / (n - 1.0)).sqrt();
    check(10, 1, 0, Some((0.1, Some(sd(1.0, 10.0)))));
    check(10, 3, 0, Some((0.3, Some(sd(3.0, 10.0)))));
    check(9, 0, 1, Some((0.1, Some(sd(1.0, 10.0)))));
    check(1, 0, 1, Some((0.5, Some(sd(1.0, 2.0)))));
    check(10, 1, 1, Some((2.0 / 11.0, None)));
    check(10, 0, 0, Some((0.0, Some(0.0))));
    check(10, 10, 0, None);
    check(10, 10, 5, Some((1.0, Some(0.0))));
    check(10, 11, 5, None);
    check(0, 0, 5, None);
    let unknown = Estimate::moved_minimally(10, 1, 0, |_| None);
    assert_eq!(unknown, Some(Estimate::mean(0.1)));
}
