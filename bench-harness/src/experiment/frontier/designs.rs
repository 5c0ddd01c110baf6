//! The designs: heap bytes, the busiest node, the time of a look-up, and who is efficient.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use rayon::prelude::*;
use router::{Role, Spec};
use serde::Deserialize;

use super::{
    Setup,
    efficient::{Between, efficient},
    points::MOST,
};
use crate::{
    measure::{
        self, Contender, Measured, Part, Peaks, Profile, Request, affordable,
        choice::{Demand, NEEDS},
        exact_peak,
    },
    record::{DesignRow, FIELDS, Row, Status, TimedDesignRow, TimedRow, names_field, six_digits},
    workload::KeySet,
};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Designs {
    nodes: u64,
    rounds: u64,
    /// Deployments behind a peak by exact shares, and the points or table entries that all of them may
    /// have together.
    deployments: u64,
    deployed_entries: u64,
    /// Where shares are not exact: keys of a deployment, and deployments.
    sampled_keys: u64,
    sampled_seeds: u64,
    fields: Vec<Field>,
    /// Designs without a parameter that matters here.
    strategies: Vec<String>,
    swept: Vec<Swept>,
}

/// Who competes with whom: those that have what is needed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    name: String,
    needs: Vec<String>,
}

/// A design along one of its parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Swept {
    spec: String,
    param: String,
    values: Vec<f64>,
}

/// What was measured of one design.
pub(super) struct Design {
    pub(super) row: DesignRow,
    pub(super) timed: TimedDesignRow,
    /// The busiest node: what it may be once the noise of the keys is taken out.
    peak: Option<Between>,
}

/// All designs that were asked for, and those that take part with what is measured of each.
pub(super) struct Found {
    pub(super) designs: Vec<Design>,
    /// Names of the fields, in the order of the definition.
    pub(super) fields: Vec<String>,
}

impl Found {
    /// The design of this canonical spec, if it took part.
    pub(super) fn of(&self, spec: &str) -> Option<&Design> {
        self.designs.iter().find(|it| it.row.strategy == spec)
    }
}

/// Measures everything.
pub(super) fn measure(setup: &Setup<'_>, wanted: &Designs) -> Result<Found> {
    let asked = asked(setup, wanted)?;
    let mut contenders: Vec<Contender> = asked.iter().map(|it| it.0.clone()).collect();
    // A strategy is held to its contract with the parameters that it stands first with.
    contenders.sort_by_key(|it| it.spec.to_string() != it.spec.strategy().name);
    let request = request(wanted, contenders);
    let mut peaks = exact_peaks(setup, &request)?;
    let without = request.contenders.iter();
    let without =
        without.filter(|it| matches!(peaks.get(&it.spec.to_string()), Some(Shares::None)));
    let sampled = Request {
        contenders: without.cloned().collect(),
        parts: vec![Part::Balance],
        n_keys: Some(wanted.sampled_keys),
        ..request.clone()
    };
    let sampled = match sampled.contenders.is_empty() {
        true => Measured::default(),
        false => measure::run(&sampled, setup.progress)?,
    };
    let costs = measure::run(&request, setup.progress)?;
    let fields = fields(wanted)?;
    let mut designs: Vec<Design> = asked
        .iter()
        .map(|(contender, sweep)| {
            let peaks = peaks.remove(&contender.spec.to_string());
            let peaks = peaks.unwrap_or_else(|| Shares::Refused("not asked".to_owned()));
            let of = |it: &Demand| {
                let role = contender.spec.strategy().role;
                let competes = !matches!(role, Role::Control | Role::Bound);
                competes && it.lacking(&contender.spec).is_empty()
            };
            let fields = fields.iter().filter(|it| of(&it.1)).map(|it| it.0);
            let fields: Vec<&str> = fields.collect();
            Design::new(wanted, contender, sweep, &fields, peaks, &sampled, &costs)
        })
        .collect();
    for (name, _) in &fields {
        mark(&mut designs, name);
    }
    Ok(Found {
        designs,
        fields: fields.iter().map(|it| it.0.to_owned()).collect(),
    })
}

/// The designs, each once, and what sweeps them.
fn asked(setup: &Setup<'_>, wanted: &Designs) -> Result<Vec<(Contender, String)>> {
    let mut specs: Vec<(Spec, String)> = Vec::new();
    if setup.options.strategies.is_empty() {
        for swept in &wanted.swept {
            let spec = setup.spec(&swept.spec)?;
            for value in &swept.values {
                let step = spec.with(&swept.param, &value.to_string())?;
                specs.push((step, format!("{spec}, {}", swept.param)));
            }
        }
    }
    let alone = setup.specs(&wanted.strategies)?;
    specs.extend(alone.into_iter().map(|it| (it, String::new())));
    let mut asked: Vec<(Contender, String)> = Vec::new();
    for (spec, sweep) in specs {
        let label = spec.to_string();
        if asked.iter().all(|it| it.0.spec.to_string() != label) {
            asked.push((Contender::new(spec), sweep));
        }
    }
    Ok(asked)
}

fn request(wanted: &Designs, contenders: Vec<Contender>) -> Request {
    Request {
        contenders,
        profile: Profile {
            name: "frontier",
            sizes: vec![wanted.nodes],
            seeds: wanted.sampled_seeds,
            deployments: wanted.deployments,
            deployments_large: wanted.deployments,
            deployed_entries: wanted.deployed_entries,
            rounds: wanted.rounds,
            ..Profile::quick()
        },
        parts: vec![Part::Memory, Part::Lookup],
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    }
}

/// The fields, each with its demand.
fn fields(wanted: &Designs) -> Result<Vec<(&str, Demand)>> {
    let mut fields = Vec::new();
    for field in &wanted.fields {
        let mut needs = Vec::new();
        for name in &field.needs {
            let Some(need) = NEEDS.into_iter().find(|it| it.name == name) else {
                bail!("field {:?} needs {name:?}, which there is not", field.name);
            };
            needs.push(need);
        }
        let demand = Demand {
            needs,
            ..Demand::default()
        };
        fields.push((field.name.as_str(), demand));
    }
    Ok(fields)
}

/// The busiest node of many deployments.
enum Shares {
    Exact(Peaks),
    /// The strategy does not state its shares.
    None,
    /// There is none; why.
    Refused(String),
}

/// The busiest node of every deployment of every design, by spec, on all cores.
fn exact_peaks(setup: &Setup<'_>, request: &Request) -> Result<BTreeMap<String, Shares>> {
    let n = request.profile.sizes[0];
    let contenders = &request.contenders;
    let runs: Vec<Result<u64, String>> = contenders
        .iter()
        .map(|it| {
            // Whether it serves so many nodes, before it is asked for its shares.
            router::Cluster::build(&it.spec, &request.deployment(0, n))
                .map_err(|err| err.to_string())?;
            affordable(&request.profile, it, n)
        })
        .collect();
    let tasks: Vec<(usize, u64)> = runs
        .iter()
        .enumerate()
        .flat_map(|(it, runs)| (0..*runs.as_ref().unwrap_or(&0)).map(move |seed| (it, seed)))
        .collect();
    setup.progress.phase("peaks", tasks.len());
    let peaks: Result<Vec<Option<f64>>> = tasks
        .par_iter()
        .map(|&(contender, seed)| {
            setup.check()?;
            let peak = exact_peak(&contenders[contender], &request.deployment(seed, n));
            setup.progress.step();
            Ok(peak)
        })
        .collect();
    let mut of: BTreeMap<usize, Vec<Option<f64>>> = BTreeMap::new();
    for (&(contender, _), peak) in tasks.iter().zip(peaks?) {
        of.entry(contender).or_default().push(peak);
    }
    let shares = runs.into_iter().enumerate().map(|(it, runs)| {
        let shares = match runs {
            Err(why) => Shares::Refused(why),
            Ok(_) => {
                let all = of.remove(&it).unwrap_or_default();
                let all: Option<Vec<f64>> = all.into_iter().collect();
                all.and_then(Peaks::new).map_or(Shares::None, Shares::Exact)
            }
        };
        (contenders[it].spec.to_string(), shares)
    });
    Ok(shares.collect())
}

impl Design {
    fn new(
        wanted: &Designs,
        contender: &Contender,
        sweep: &str,
        fields: &[&str],
        shares: Shares,
        sampled: &Measured,
        costs: &Measured,
    ) -> Self {
        let label = contender.spec.to_string();
        let mut row = DesignRow {
            strategy: label.clone(),
            sweep: sweep.to_owned(),
            nodes: wanted.nodes,
            fields: fields.join(FIELDS),
            ..DesignRow::default()
        };
        let mut notes = Vec::new();
        let failed = |it: &&crate::record::Compared| it.label == label && it.contract == "failed";
        if costs.strategies.iter().any(|it| failed(&it)) {
            notes.push("it failed its contract".to_owned());
        }
        let mut peak = None;
        match shares {
            Shares::Exact(peaks) => {
                // What the files do not tell apart is no difference.
                let value = six_digits(peaks.quantile(MOST));
                row.metric = "exact_peak_p95".to_owned();
                row.peak = Some(value);
                row.deployments = peaks.deployments();
                peak = Some(Between::exact(value));
            }
            Shares::None => {
                row.metric = "peak_to_avg".to_owned();
                let rows = sampled.balance.iter();
                let mut rows = rows.filter(|it| it.strategy == label && it.change == "none");
                match rows.find(|it| it.metric == "peak_to_avg").map(measured) {
                    Some(Ok(found)) => {
                        row.peak = found.p95.or(found.mean);
                        row.deployments = found.seeds;
                        row.keys = found.keys;
                        (row.noise_lo, row.noise_hi) = (found.noise_lo, found.noise_hi);
                        peak = row.peak.map(|hi| {
                            let lo = (hi / row.noise_hi.unwrap_or(1.0)).max(1.0);
                            Between::within(lo, hi)
                        });
                    }
                    Some(Err(why)) => notes.push(format!("busiest node: {why}")),
                    None => notes.push("busiest node: not measured".to_owned()),
                }
            }
            Shares::Refused(why) => notes.push(format!("busiest node: {why}")),
        }
        let mut memory = costs.memory.iter().filter(|it| it.strategy == label);
        match memory.find(|it| it.metric == "bytes_per_node" || it.mean.is_none()) {
            Some(found) => match measured(found) {
                Ok(found) => row.bytes_per_node = found.mean,
                Err(why) => notes.push(format!("bytes: {why}")),
            },
            None => notes.push("bytes: not measured".to_owned()),
        }
        row.note = notes.join("; ");
        let timed = timed(&row, &costs.lookup);
        Self { row, timed, peak }
    }

    /// Bytes, busiest node and time, as far as they are known.
    fn known(&self) -> [Option<Between>; 3] {
        let time = self.timed.lo.zip(self.timed.hi);
        [
            self.row.bytes_per_node.map(Between::exact),
            self.peak,
            time.map(|(lo, hi)| Between::timed(lo, hi)),
        ]
    }
}

/// The same with its times.
fn timed(row: &DesignRow, lookup: &[TimedRow]) -> TimedDesignRow {
    let of = |metric: &str| {
        let mut rows = lookup.iter();
        rows.find(|it| it.strategy == row.strategy && it.metric == metric)
    };
    let mut timed = TimedDesignRow {
        strategy: row.strategy.clone(),
        sweep: row.sweep.clone(),
        nodes: row.nodes,
        bytes_per_node: row.bytes_per_node,
        peak: row.peak,
        hash_ns: of("hash_ns").and_then(|it| it.median),
        load_ns: of("load_ns").and_then(|it| it.median),
        fields: row.fields.clone(),
        note: row.note.clone(),
        ..TimedDesignRow::default()
    };
    let why = match of("lookup_ns") {
        Some(found) if found.status == Status::Ok => {
            (timed.lookup_ns, timed.lo, timed.hi) = (found.median, found.lo, found.hi);
            timed.rounds = found.rounds;
            return timed;
        }
        Some(found) => found.note.as_str(),
        None => "not measured",
    };
    let note = [timed.note.as_str(), &format!("time: {why}")];
    let note: Vec<&str> = note.into_iter().filter(|it| !it.is_empty()).collect();
    timed.note = note.join("; ");
    timed
}

/// A row that holds a number, or why it does not.
fn measured(row: &Row) -> Result<&Row, &str> {
    match row.status {
        Status::Ok | Status::Structured => Ok(row),
        _ => Err(&row.note),
    }
}

/// Marks who is efficient in this field: in all three quantities, and in each two of them.
fn mark(designs: &mut [Design], field: &str) {
    let places: Vec<usize> = (0..designs.len())
        .filter(|&it| names_field(&designs[it].row.fields, field))
        .collect();
    let known: Vec<[Option<Between>; 3]> = places.iter().map(|&it| designs[it].known()).collect();
    let of_two = |[a, b]: [usize; 2]| {
        let both = known.iter().map(|it| Some([it[a]?, it[b]?]));
        efficient(&both.collect::<Vec<_>>())
    };
    let all = known.iter().map(|it| Some([it[0]?, it[1]?, it[2]?]));
    let all = efficient(&all.collect::<Vec<_>>());
    let [bytes_peak, ns_peak, ns_bytes] = [[0, 1], [2, 1], [2, 0]].map(of_two);
    for (i, place) in places.into_iter().enumerate() {
        let Design { row, timed, .. } = &mut designs[place];
        for (efficient, column) in [
            (bytes_peak[i], &mut row.efficient),
            (all[i], &mut timed.efficient),
            (ns_peak[i], &mut timed.efficient_ns_peak),
            (ns_bytes[i], &mut timed.efficient_ns_bytes),
        ] {
            if efficient {
                if !column.is_empty() {
                    column.push_str(FIELDS);
                }
                column.push_str(field);
            }
        }
    }
}

impl Found {
    /// The efficient ones of each field, a line each, and who was left out.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for field in &self.fields {
            let of = |list: fn(&Design) -> &str| {
                let designs = self.designs.iter();
                designs.filter(move |it| names_field(list(it), field))
            };
            let all = of(|it| &it.row.fields).count();
            let mut efficient: Vec<&Design> = of(|it| &it.timed.efficient).collect();
            efficient.sort_by(|a, b| {
                let bytes = |it: &Design| it.row.bytes_per_node.unwrap_or(f64::NAN);
                bytes(a).total_cmp(&bytes(b))
            });
            let nodes = self.designs.first().map_or(0, |it| it.row.nodes);
            lines.push(format!(
                "{field}: {} of {all} designs are efficient at {nodes} nodes",
                efficient.len()
            ));
            lines.extend(efficient.into_iter().map(|it| {
                format!(
                    "  {}: {:.1} bytes a node, busiest node {:.3}, {:.1} ns",
                    it.row.strategy,
                    it.row.bytes_per_node.unwrap_or(f64::NAN),
                    it.row.peak.unwrap_or(f64::NAN),
                    it.timed.lookup_ns.unwrap_or(f64::NAN)
                )
            }));
        }
        let incomplete = self.designs.iter().filter(|it| !it.timed.note.is_empty());
        let incomplete: Vec<String> = incomplete
            .map(|it| format!("left out: {}: {}", it.row.strategy, it.timed.note))
            .collect();
        lines.extend(incomplete);
        lines
    }
}
