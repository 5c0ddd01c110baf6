//! How many different keys a strategy can tell apart: whether their hash is folded on the way.

use crate::{Cluster, KeyBuf, NodeId, ParamRole, Position};

use super::{Bench, Checked, Stop, draw::Rng};

/// Keys in the sample. Folded to 16 bits, about 8000^2 / 2 / 2^16 = 488 pairs of them fall
/// together, with a standard deviation of 22.
const N_KEYS: usize = 8000;

/// A strategy that tells so many keys apart has passed: 200 pairs that fall together, 13 standard
/// deviations below what folding to 16 bits leaves. Short of that it must still be gaining.
const ENOUGH: f64 = 2.5 * 65_536.0;

/// Sizes of the clusters that keys are compared in: primes, each about 1.4 times the one before,
/// so that remainders by them have nothing in common and histories of joining are long.
const SIZES: [usize; 18] = [
    23, 31, 43, 61, 83, 113, 157, 223, 313, 431, 607, 853, 1193, 1667, 2333, 3271, 4583, 6421,
];

/// Points in all clusters together: a ring with as many leaves 64 pairs together.
const MOST_POINTS: usize = 1 << 20;

/// Keys are not folded to 16 bits or so on the way to their owner.
///
/// Two keys whose hashes were folded to the same value have the same owner in every cluster. So
/// random keys are routed in clusters of many sizes and names, and of the pairs that agree so far
/// those are kept that agree again. Every cluster parts more of them, until only folded pairs are
/// left; then the number of values behind them, K^2 / 2 / pairs, stands still.
///
/// A look-up table or a ring with few points cannot part them either. Such a strategy says so: by
/// a parameter of role `table`, or by its points.
pub(super) fn hash_width(bench: &Bench) -> Checked {
    let params = bench.spec.strategy().params;
    if let Some(table) = params.iter().find(|param| param.role == ParamRole::Table) {
        return Err(Stop::Unsupported(format!(
            "how finely keys are told apart is up to its parameter {}",
            table.name
        )));
    }
    let mut rng = Rng::new(70);
    let mut together = Together::new(rng.hex_keys(N_KEYS));
    // (nodes so far, values told apart so far)
    let mut gains: Vec<(usize, f64)> = Vec::new();
    let mut seen: Vec<Vec<String>> = Vec::new();
    for size in SIZES {
        let n_nodes = gains.last().map_or(0, |it| it.0) + size;
        if bench.room(size) < size || n_nodes * bench.points_per_node > MOST_POINTS {
            break;
        }
        seen.push(rng.addresses(size));
        let cluster = bench.cluster(&seen[seen.len() - 1])?;
        together.part(bench, &cluster);
        let values = together.values();
        if values >= ENOUGH {
            return Ok(());
        }
        gains.push((n_nodes, values));
    }
    let Some(&(n_nodes, values)) = gains.last() else {
        return Err(Stop::Unsupported("it holds too few nodes to tell".into()));
    };
    let found = format!("it tells only about {values:.0} keys apart");
    let mut points: Vec<Position> = Vec::new();
    for names in &seen {
        let cluster = bench.cluster(names)?;
        points.extend(cluster.points().into_iter().flatten().map(|it| it.position));
    }
    let told_by_points = values_of_points(&mut points);
    if told_by_points.is_some_and(|by_points| by_points < 2.0 * values) {
        return Err(Stop::Unsupported(format!(
            "{found}, which is what its points can do"
        )));
    }
    // Without folding the values grow at least as the nodes do; folded ones stand still. It takes
    // a few sizes to see that.
    let (half_nodes, half_values) = *gains
        .iter()
        .find(|it| it.0 * 2 >= n_nodes)
        .expect("the last one is such");
    let growth = values / half_values - 1.0;
    let wanted = n_nodes as f64 / half_nodes as f64 - 1.0;
    if wanted < 0.5 || growth > 0.6 * wanted {
        return Err(Stop::Unsupported(format!(
            "{found} with {n_nodes} nodes: too few nodes or points to see its hash"
        )));
    }
    Err(Stop::Failed(format!(
        "{found}, however many nodes are asked: keys are folded on the way"
    )))
}

/// Keys in groups that had the same owner as each other in every cluster so far; keys that stand
/// alone are dropped.
struct Together {
    keys: KeyBuf,
    groups: Vec<Vec<usize>>,
}

impl Together {
    fn new(keys: KeyBuf) -> Self {
        let groups = vec![(0..keys.len()).collect()];
        Self { keys, groups }
    }

    /// Parts the groups by the owners in this cluster.
    fn part(&mut self, bench: &Bench, cluster: &Cluster) {
        let all = self.keys.keys();
        let asked: KeyBuf = self.groups.iter().flatten().map(|&i| all.get(i)).collect();
        let mut owners = vec![NodeId::default(); asked.len()];
        cluster.route_batch(asked.keys(), &mut owners);
        bench.count(asked.len());
        let mut owners = owners.into_iter();
        let mut parted = Vec::new();
        for group in &self.groups {
            let mut with_owner: Vec<(NodeId, usize)> = owners
                .by_ref()
                .zip(group.iter().copied())
                .take(group.len())
                .collect();
            with_owner.sort_unstable();
            let same = with_owner.chunk_by(|one, other| one.0 == other.0);
            parted.extend(
                same.filter(|group| group.len() > 1)
                    .map(|group| group.iter().map(|&(_, i)| i).collect()),
            );
        }
        self.groups = parted;
    }

    /// The number of equally likely values that leaves as many pairs together: infinite for none.
    fn values(&self) -> f64 {
        let pairs = |n: usize| n as f64 * (n as f64 - 1.0) / 2.0;
        let left: f64 = self.groups.iter().map(|group| pairs(group.len())).sum();
        pairs(self.keys.len()) / left
    }
}

/// The number of values that these points can tell apart at best: the inverse of the chance that
/// two keys fall between the same neighbours. `None` without points, and where all points lie
/// within 16 bits, which is the very folding that is looked for.
fn values_of_points(points: &mut Vec<Position>) -> Option<f64> {
    points.sort_unstable();
    points.dedup();
    let number = |position: &Position| match *position {
        Position::Unsigned(value) => value as f64,
        Position::Signed(value) => value as f64,
    };
    let (first, last) = (number(points.first()?), number(points.last()?));
    let bits = match (points.first()?, last) {
        (Position::Signed(_), _) => 32,
        (_, last) if last < libm::exp2(16.0) => return None,
        (_, last) if last < libm::exp2(32.0) => 32,
        (_, last) if last < libm::exp2(64.0) => 64,
        _ => 128,
    };
    let whole = libm::exp2(f64::from(bits));
    let square = |arc: f64| (arc / whole) * (arc / whole);
    let arcs = points
        .windows(2)
        .map(|pair| number(&pair[1]) - number(&pair[0]));
    let chance: f64 = arcs.map(square).sum::<f64>() + square(whole - (last - first));
    Some(1.0 / chance)
}
