//! Who is compared: every strategy as it is, at equal points a node, and along its parameters.

use std::collections::BTreeSet;

use router::{Catalog, Error, ParamRole, Spec};

use super::grid::Contender;

/// Points a node at which every strategy with that parameter stands in the overview.
pub const COMPARED_POINTS: i64 = 160;

/// The values along which parameters of a role are swept.
fn sweep(role: ParamRole) -> &'static [&'static str] {
    match role {
        ParamRole::PointsPerNode => &["40", "100", "160", "200", "1000"],
        ParamRole::Table => &["65537", "655373"],
        ParamRole::Probes => &["21"],
        ParamRole::Capacity => &["1", "1.1", "2", "10"],
        ParamRole::Other => &[],
    }
}

impl Contender {
    /// A spec of the overview.
    #[must_use]
    pub fn new(spec: Spec) -> Self {
        let points = spec
            .strategy()
            .params
            .iter()
            .find(|param| param.role == ParamRole::PointsPerNode)
            .map(|param| spec.params().int(param.name).max(1).cast_unsigned());
        Self {
            spec,
            overview: true,
            points_per_node: points,
        }
    }

    /// Points, or entries of a table, of a cluster of `n` nodes: what building one costs, and how much
    /// memory a look-up reads from.
    #[must_use]
    pub fn entries(&self, n: u64) -> u64 {
        let params = self.spec.strategy().params.iter();
        let table = params
            .filter(|param| param.role == ParamRole::Table)
            .map(|param| self.spec.params().int(param.name).max(1).cast_unsigned());
        let points = n * self.points_per_node.unwrap_or(1);
        table.max().unwrap_or(0).max(points).max(1)
    }

    /// These specs, as the user gave them.
    ///
    /// # Errors
    ///
    /// The first spec that cannot be read.
    pub fn given(catalog: &Catalog, specs: &[String]) -> Result<Vec<Self>, Error> {
        let mut seen = BTreeSet::new();
        let mut contenders = Vec::new();
        for text in specs {
            let spec = catalog.parse(text)?;
            if seen.insert(spec.to_string()) {
                contenders.push(Self::new(spec));
            }
        }
        Ok(contenders)
    }

    /// Every strategy with its defaults, and at [`COMPARED_POINTS`] points a node where it has such
    /// a parameter; behind them, where `sweeps` says so, the steps of the parameter sweeps.
    #[must_use]
    pub fn all(catalog: &Catalog, sweeps: bool) -> Vec<Self> {
        let mut seen = BTreeSet::new();
        let mut contenders = Vec::new();
        let mut push = |spec: Spec, overview| {
            if seen.insert(spec.to_string()) {
                let contender = Self::new(spec);
                contenders.push(Self {
                    overview,
                    ..contender
                });
            }
        };
        let specs: Vec<Spec> = catalog
            .strategies()
            .iter()
            .filter_map(|strategy| catalog.parse(strategy.name).ok())
            .collect();
        for spec in &specs {
            push(spec.clone(), true);
            for (param, _) in swept(spec, |role| role == ParamRole::PointsPerNode) {
                if let Ok(spec) = spec.with(param, &COMPARED_POINTS.to_string()) {
                    push(spec, true);
                }
            }
        }
        if sweeps {
            for spec in &specs {
                for (param, values) in swept(spec, |_| true) {
                    for value in values {
                        // A value outside this strategy's range is not a step of its sweep.
                        if let Ok(spec) = spec.with(param, value) {
                            push(spec, false);
                        }
                    }
                }
            }
        }
        contenders
    }
}

/// The parameters of a spec whose role is wanted, with the values along which they are swept.
fn swept(
    spec: &Spec,
    wanted: impl Fn(ParamRole) -> bool,
) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    spec.strategy()
        .params
        .iter()
        .filter(move |param| wanted(param.role))
        .map(|param| (param.name, sweep(param.role)))
}
