//! A node leaves: loads before and after, counted as the program counts and as they are.

use anyhow::{Result, bail};
use router::{Cluster, Keys, NodeId, ParamKind, ParamRole};
use serde::Deserialize;

use super::{Claims, Findings, Numbered, Setup, counts};
use crate::{
    measure::Load,
    record::SeriesRow,
    workload::{Purpose, below, stream},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Benchmark {
    nodes: Numbered,
    keys: Numbered,
    remove: String,
    programs: Vec<Program>,
    shared_point: Shared,
    empty_node: Empty,
}

/// One of the two classes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    /// What its claims begin with.
    claims: String,
    spec: String,
}

/// Two nodes that share a point, and one more.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shared {
    spec: String,
    nodes: Vec<String>,
    remove: String,
}

/// Fewer keys than nodes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Empty {
    spec: String,
    nodes: Vec<String>,
    keys: Numbered,
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let benchmark: Benchmark = setup.definition.setup();
    let nodes = benchmark.nodes.list();
    let removed = removed(setup, &benchmark, &nodes)?;
    let keys = benchmark.keys.keys();
    let mut claims = Claims::new(setup.definition);
    let (mut series, mut printed) = (Vec::new(), Vec::new());
    setup
        .progress
        .phase("node-benchmark", benchmark.programs.len() + 1);
    let mut runs = Vec::new();
    for program in &benchmark.programs {
        let run = Removal::measure(setup, &program.spec, &nodes, &removed, keys.keys())?;
        setup.progress.step();
        run.print(&mut printed);
        run.series(&mut series);
        judge_numbers(
            &mut claims,
            &program.claims,
            &run,
            removed == benchmark.remove,
        );
        runs.push(run);
    }
    if let [plain, virtual_nodes] = runs.as_slice() {
        judge_text(&mut claims, plain, virtual_nodes);
        judge_points(setup, &mut claims, &runs, keys.keys());
    }
    judge_defects(setup, &mut claims, &benchmark, keys.keys())?;
    setup.progress.step();
    Ok(claims.finish(vec![("loads", series)], printed))
}

/// The node that leaves: the one asked for, one drawn by the seed, or the document's.
fn removed(setup: &Setup<'_>, benchmark: &Benchmark, nodes: &[String]) -> Result<String> {
    if let Some(name) = &setup.options.remove {
        if !nodes.contains(name) {
            let (first, last) = (&nodes[0], &nodes[nodes.len() - 1]);
            bail!("--remove: there is no node {name:?} among {first} to {last}");
        }
        return Ok(name.clone());
    }
    Ok(match setup.options.seed {
        Some(seed) => nodes[below(&mut stream(seed, Purpose::Changes), nodes.len())].clone(),
        None => benchmark.remove.clone(),
    })
}

/// What one program shows.
struct Removal {
    spec: String,
    removed: String,
    before: Cluster,
    counts_before: Vec<u64>,
    counts_after: Vec<u64>,
    names_after: Vec<String>,
    /// Places of the nodes after, in the order in which the first of their keys comes.
    met: Vec<usize>,
    /// Keys that lay on the node that left.
    reassigned: u64,
    /// Keys whose owner changed.
    changed: u64,
    /// Keys that each survivor gained, most first.
    receivers: Vec<(String, u64)>,
}

impl Removal {
    fn measure<S: AsRef<str>>(
        setup: &Setup<'_>,
        spec: &str,
        nodes: &[S],
        removed: &str,
        keys: Keys<'_>,
    ) -> Result<Self> {
        let before = setup.cluster(spec, nodes)?;
        let mut after = before.clone();
        after.remove(removed)?;
        let (old, new) = (setup.owners(&before, keys)?, setup.owners(&after, keys)?);
        let gone = before.id(removed);
        let changed = || old.iter().zip(&new).filter(|(old, new)| old != new);
        let mut gained: Vec<(NodeId, u64)> =
            after.nodes().iter().map(|node| (node.id, 0)).collect();
        for (_, to) in changed() {
            if let Some(place) = after.nodes().position(*to) {
                gained[place].1 += 1;
            }
        }
        gained.retain(|it| it.1 > 0);
        gained.sort_by_key(|it| std::cmp::Reverse(it.1));
        let name = |id| after.name(id).unwrap_or_default().to_owned();
        let mut met = Vec::new();
        let mut seen = vec![false; after.nodes().len()];
        for place in new.iter().filter_map(|&id| after.nodes().position(id)) {
            if !std::mem::replace(&mut seen[place], true) {
                met.push(place);
            }
        }
        Ok(Self {
            spec: spec.to_owned(),
            removed: removed.to_owned(),
            counts_before: counts(&before, &old),
            counts_after: counts(&after, &new),
            names_after: after.nodes().iter().map(|it| it.name.to_string()).collect(),
            met,
            reassigned: old.iter().filter(|&&id| Some(id) == gone).count() as u64,
            changed: changed().count() as u64,
            receivers: gained.into_iter().map(|(id, n)| (name(id), n)).collect(),
            before,
        })
    }

    /// The lines that the program prints.
    fn print(&self, lines: &mut Vec<String>) {
        let removed = &self.removed;
        lines.push(format!("Removing Node: {removed}"));
        lines.push("{".to_owned());
        for (i, &place) in self.met.iter().enumerate() {
            let comma = if i + 1 < self.met.len() { "," } else { "" };
            let (name, count) = (&self.names_after[place], self.counts_after[place]);
            lines.push(format!("  {name}: {count}{comma}"));
        }
        lines.push("}".to_owned());
        let keys: u64 = self.counts_before.iter().sum();
        lines.extend(["".to_owned(), "------ BEFORE Removal ------".to_owned()]);
        Stats::of(&self.counts_before).print(lines);
        let share = 100.0 * self.reassigned as f64 / keys as f64;
        lines.extend([
            String::new(),
            format!(" Removed Node: {removed}"),
            format!(" Keys Reassigned: {} / {keys}", self.reassigned),
            format!(" Reassigned: {share:.2}%"),
        ]);
        lines.extend(["".to_owned(), "------ AFTER Removal ------".to_owned()]);
        Stats::of(&self.counts_after).print(lines);
    }

    /// The load of every node, before and after.
    fn series(&self, rows: &mut Vec<SeriesRow>) {
        let nodes = self.before.nodes();
        let names = nodes.iter().map(|node| &*node.name);
        let before = names.zip(&self.counts_before);
        let after = self.names_after.iter().map(String::as_str);
        let after = after.zip(&self.counts_after);
        let mut add = |when: &str, name: &str, count: u64| {
            let place = nodes.iter().position(|node| &*node.name == name);
            let x = place.unwrap_or_default() as f64;
            let series = format!("{}, {when}", self.spec);
            rows.push(SeriesRow::point(&series, x, count as f64, "keys").named(name));
        };
        before.for_each(|(name, &count)| add("before", name, count));
        after.for_each(|(name, &count)| add("after", name, count));
    }
}

/// The program's statistics: nodes without keys are left out of all but the average.
struct Stats {
    total: u64,
    average: f64,
    max: u64,
    min: u64,
    sd: f64,
}

impl Stats {
    fn of(counts: &[u64]) -> Self {
        let nodes = counts.len() as f64;
        let met: Vec<u64> = counts.iter().copied().filter(|&it| it > 0).collect();
        let total: u64 = met.iter().sum();
        let average = total as f64 / nodes;
        let squares = met.iter().map(|&it| (it as f64 - average).powi(2));
        Self {
            total,
            average,
            max: met.iter().copied().max().unwrap_or(0),
            min: met.iter().copied().min().unwrap_or(0),
            sd: (squares.sum::<f64>() / nodes).sqrt(),
        }
    }

    fn print(&self, lines: &mut Vec<String>) {
        lines.extend([
            format!("- Total keys: {}", self.total),
            format!("- Avg per node: {:.2}", self.average),
            format!("- Max per node: {}", self.max),
            format!("- Min per node: {}", self.min),
            format!("- Std deviation: {:.2}", self.sd),
        ]);
    }
}

/// Loads as they are, every node counted.
fn load(counts: &[u64]) -> (u64, f64) {
    let weights = &vec![1.0 / counts.len() as f64; counts.len()];
    let min = counts.iter().copied().min().unwrap_or(0);
    (min, Load { counts, weights }.sd_keys())
}

/// The numbers that the program prints; those after the removal only where the same node left.
fn judge_numbers(claims: &mut Claims<'_>, id: &str, run: &Removal, published_node: bool) {
    let stats = Stats::of(&run.counts_before);
    claims.number(&format!("{id}-max"), stats.max as f64);
    claims.number(&format!("{id}-min"), stats.min as f64);
    claims.number(&format!("{id}-sd"), stats.sd);
    let stats = Stats::of(&run.counts_after);
    // Where owners and the program's way of counting parted, the number would be the owners'.
    for (what, value) in [
        ("reassigned", run.changed as f64),
        ("after-max", stats.max as f64),
        ("after-min", stats.min as f64),
        ("after-sd", stats.sd),
    ] {
        let id = format!("{id}-{what}");
        if published_node {
            claims.number(&id, value);
        } else {
            let why = format!("here {} left, not the node of the article", run.removed);
            claims.not_checkable(&id, super::claims::shown(value), &why);
        }
    }
}

/// What the text says of the two programs.
fn judge_text(claims: &mut Claims<'_>, plain: &Removal, many: &Removal) {
    let next = next_on_ring(&plain.before, &plain.removed);
    let (to, gained) = plain.receivers.first().cloned().unwrap_or_default();
    claims.holds(
        "next-server",
        format!(
            "{gained} of {} keys to {to}; next on the ring is {}",
            plain.changed,
            next.as_deref().unwrap_or("nobody")
        ),
        plain.receivers.len() == 1 && next.as_deref() == Some(&*to),
    );
    let place = plain.names_after.iter().position(|it| *it == to);
    let after = place.map_or(0, |place| plain.counts_after[place]);
    let fair = Stats::of(&plain.counts_after).average;
    let shares = after as f64 / fair;
    claims.holds(
        "overload",
        format!(
            "{to} from {} to {after} keys, {shares:.2} fair shares",
            after - gained
        ),
        shares > 1.0,
    );
    let cv = |run: &Removal| {
        let stats = Stats::of(&run.counts_before);
        (
            stats.sd / stats.average,
            stats.min as f64 / stats.average,
            stats.max as f64 / stats.average,
        )
    };
    let (before, (sd, min, max)) = (cv(plain).0, cv(many));
    claims.holds(
        "nearly-even",
        format!("sd {sd:.3} of a fair share after {before:.3}; loads from {min:.2} to {max:.2} fair shares"),
        sd < before / 5.0,
    );
    let most = many.receivers.first().map_or(0, |it| it.1);
    claims.holds(
        "spread",
        format!(
            "to {} of {} nodes, at most {most} of {} keys to one",
            many.receivers.len(),
            many.names_after.len(),
            many.changed
        ),
        many.receivers.len() > many.names_after.len() / 2,
    );
}

/// What the text says of the points: how many are lost, found how, and how many others use.
fn judge_points(setup: &Setup<'_>, claims: &mut Claims<'_>, runs: &[Removal], keys: Keys<'_>) {
    let points = |run: &Removal| run.before.points().map_or(0, |it| it.len()) as u64;
    let wanted = |run: &Removal| {
        let spec = run.before.spec();
        let param = spec
            .strategy()
            .params
            .iter()
            .find(|it| it.role == ParamRole::PointsPerNode);
        let each = param.map_or(1, |it| spec.params().count(it.name));
        u64::from(each) * run.before.nodes().len() as u64
    };
    let lost: Vec<u64> = runs.iter().map(|run| wanted(run) - points(run)).collect();
    let of: Vec<String> = runs
        .iter()
        .zip(&lost)
        .map(|(run, lost)| format!("{lost} of {}", wanted(run)))
        .collect();
    claims.holds(
        "collisions",
        format!("shared points: {}", of.join(", ")),
        lost.iter().all(|&it| it == 0),
    );
    let Some(run) = runs.last() else { return };
    let asked = keys.slice(0..keys.len().min(1000));
    let traces = asked.iter().filter_map(|key| run.before.trace(key));
    let probes: f64 = traces.map(|it| f64::from(it.probes)).sum::<f64>() / asked.len() as f64;
    let all = points(run);
    let measured = format!(
        "{probes:.0} of {all} points looked at on average; log2 is {}",
        all.ilog2() + 1
    );
    claims.holds("fast", measured, probes < 100.0);
    let spoken: Vec<(i64, &str)> = setup
        .catalog
        .strategies()
        .iter()
        .filter(|strategy| !strategy.spoken_by.is_empty())
        .filter_map(|strategy| {
            let points = strategy
                .params
                .iter()
                .find(|it| it.role == ParamRole::PointsPerNode)?;
            match points.kind {
                ParamKind::Int { default, .. } => Some((default, strategy.name)),
                _ => None,
            }
        })
        .collect();
    if spoken.is_empty() {
        let why = "no strategy here says which clients and proxies place keys as it does";
        claims.not_checkable("more-points", "", why);
        return;
    }
    let list: Vec<String> = spoken
        .iter()
        .map(|(n, name)| format!("{n} ({name})"))
        .collect();
    let measured = format!("points a node by default: {}", list.join(", "));
    claims.holds(
        "more-points",
        measured,
        spoken.iter().all(|it| it.0 >= 1000),
    );
}

/// The owner of the first point behind the one of `name`, around the ring, for one point a node.
fn next_on_ring(cluster: &Cluster, name: &str) -> Option<String> {
    let points = cluster.points()?;
    let own = cluster.id(name)?;
    let place = points.iter().position(|point| point.owner == own)?;
    let next = &points[(place + 1) % points.len()];
    cluster.name(next.owner).map(str::to_owned)
}

/// What the programs get wrong, with the smallest input that shows it.
fn judge_defects(
    setup: &Setup<'_>,
    claims: &mut Claims<'_>,
    benchmark: &Benchmark,
    keys: Keys<'_>,
) -> Result<()> {
    let shared = &benchmark.shared_point;
    let run = Removal::measure(setup, &shared.spec, &shared.nodes, &shared.remove, keys)?;
    claims.number("foreign-moves", run.changed as f64);
    let empty = &benchmark.empty_node;
    let cluster = setup.cluster(&empty.spec, &empty.nodes)?;
    let owners = setup.owners(&cluster, empty.keys.keys().keys())?;
    let counts = counts(&cluster, &owners);
    let (min, sd) = load(&counts);
    claims.number("empty-min", min as f64);
    claims.number("empty-sd", sd);
    claims.number("empty-sd-as-published", Stats::of(&counts).sd);
    Ok(())
}
