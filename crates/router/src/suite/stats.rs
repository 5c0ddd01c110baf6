//! The two statistics that the suite decides by. All draws are seeded, so a verdict is the same in
//! every run; the false-alarm rates say how likely a correct strategy is to be unlucky for ever.

/// The value that a chi-square statistic with `df` degrees of freedom exceeds by chance with a
/// probability of at most about 1e-9.
///
/// Wilson and Hilferty's cube (1931) at z = 5.998, which is at or above the exact quantile for
/// every `df` from 1 up.
pub(super) fn chi_square_bound(df: usize) -> f64 {
    const Z: f64 = 5.998;
    let df = df as f64;
    let spread = 2.0 / (9.0 * df);
    let root = 1.0 - spread + Z * libm::sqrt(spread);
    df * root * root * root
}

/// Holds counts against expected shares. Cells that expect fewer than 5 are joined into one, so
/// that the statistic is near its distribution.
///
/// # Errors
///
/// Says how far off the counts are.
pub(super) fn counts_agree(counts: &[u64], shares: &[f64]) -> Result<(), String> {
    let total: u64 = counts.iter().sum();
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let (mut rest_count, mut rest_expected) = (0.0, 0.0);
    for (i, (&count, &share)) in counts.iter().zip(shares).enumerate() {
        let (count, expected) = (count as f64, share * total as f64);
        if share == 0.0 && count > 0.0 {
            return Err(format!("node {i} has share 0 and owns {count} keys"));
        }
        if expected < 5.0 {
            rest_count += count;
            rest_expected += expected;
        } else {
            cells.push((count, expected));
        }
    }
    if rest_expected >= 5.0 {
        cells.push((rest_count, rest_expected));
    } else if let Some(cell) = cells.first_mut() {
        cell.0 += rest_count;
        cell.1 += rest_expected;
    }
    if cells.len() < 2 {
        return Ok(());
    }
    let part = |&(count, expected): &(f64, f64)| (count - expected) * (count - expected) / expected;
    let statistic: f64 = cells.iter().map(part).sum();
    let bound = chi_square_bound(cells.len() - 1);
    if statistic <= bound {
        return Ok(());
    }
    let (count, expected) = cells
        .into_iter()
        .max_by(|a, b| part(a).total_cmp(&part(b)))
        .expect("there are at least two");
    Err(format!(
        "{total} keys on {} nodes: chi-square {statistic:.1}, at most {bound:.1} expected; worst \
         node owns {count} keys instead of {expected:.1}",
        counts.len()
    ))
}

/// Whether the mean of `values` is within 5 standard errors of `expected`, the error taken from
/// the squared distances to `expected` itself.
///
/// With 64 values the false-alarm rate is about 1e-10 for shares that are spread normally, and
/// 1e-5 for exponential ones, which a ring with one point a node gives.
pub(super) fn mean_agrees(values: &[f64], expected: f64, slack: f64) -> bool {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values
        .iter()
        .map(|value| (value - expected) * (value - expected))
        .sum::<f64>()
        / n;
    (mean - expected).abs() <= 5.0 * libm::sqrt(square / n) + slack * expected
}
