//! The documents' experiments, run again: published beside measured, with a verdict.
//!
//! ```text
//!   experiments/NAME.toml   specs, nodes, keys, changes, published values, tolerances
//!            |
//!   experiment/KIND.rs      runs it with the strategies of the caller's catalog
//!            |
//!         Findings          claims with verdicts, series for charts, lines for the terminal
//!            |
//!   data/experiment-NAME.csv  data/experiment-NAME-SERIES.csv  data/timed-NAME.csv  and tables of its own
//! ```
//!
//! What an experiment runs is data; how one kind of it runs is code, which knows no strategy by
//! name. To add one: a file in `experiments/`, a function `fn(&Setup) -> anyhow::Result<Findings>`
//! here, an entry in [`EXPERIMENTS`], and, where it deserves one, a chart in `report`.

mod cache_storm;
mod cascade;
mod claims;
mod clock;
mod definition;
mod frontier;
mod growth;
mod java_homework;
mod java_map;
#[cfg(all(feature = "live", unix))]
mod live;
#[cfg(not(all(feature = "live", unix)))]
#[path = "no_live.rs"]
mod live;
mod node_benchmark;
mod papers;
mod replay;
mod replicas;
mod ruby_tables;
mod setup;
mod skew;
mod survey;
mod treemap_demo;
mod views;

use anyhow::{Context as _, ensure};

pub use claims::Claims;
pub use definition::{Claim, Definition, Page, Within};
pub use setup::{Numbered, Options, Setup, counts};

use crate::record::{ClaimRow, NewFile, SeriesRow, to_csv};

/// The experiments, in the order in which `all` runs them and the pages show them.
pub static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "ruby-tables",
        text: include_str!("../../experiments/ruby-tables.toml"),
        run: ruby_tables::run,
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "node-benchmark",
        text: include_str!("../../experiments/node-benchmark.toml"),
        run: node_benchmark::run,
        takes: &["--remove", "--seed"],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "java-homework",
        text: include_str!("../../experiments/java-homework.toml"),
        run: java_homework::run,
        takes: &["--seed"],
        live: &[(
            "redis",
            &Experiment {
                name: "java-homework-redis",
                text: include_str!("../../experiments/java-homework-redis.toml"),
                run: live::homework_in_redis,
                takes: &["--strategy"],
                ..Experiment::DEFAULT
            },
        )],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "treemap-demo",
        text: include_str!("../../experiments/treemap-demo.toml"),
        run: treemap_demo::run,
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "cache-storm",
        text: include_str!("../../experiments/cache-storm.toml"),
        run: cache_storm::run,
        takes: &["--strategy"],
        live: &[(
            "memcached",
            &Experiment {
                name: "cache-storm-memcached",
                text: include_str!("../../experiments/cache-storm-memcached.toml"),
                run: live::storm_in_memcached,
                takes: &["--strategy"],
                ..Experiment::DEFAULT
            },
        )],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "skew",
        text: include_str!("../../experiments/skew.toml"),
        run: skew::run,
        in_all: false,
        takes: &["--strategy"],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "views",
        text: include_str!("../../experiments/views.toml"),
        run: views::run,
        in_all: false,
        takes: &["--strategy"],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "replay",
        text: include_str!("../../experiments/replay.toml"),
        run: replay::run,
        in_all: false,
        own_page: true,
        takes: &[
            "--strategy",
            "--log",
            "--events",
            "--nodes",
            "--bytes-per-node",
        ],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "cascade",
        text: include_str!("../../experiments/cascade.toml"),
        run: cascade::run,
        in_all: false,
        takes: &["--strategy"],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "frontier",
        text: include_str!("../../experiments/frontier.toml"),
        run: frontier::run,
        in_all: false,
        own_page: true,
        takes: &["--strategy"],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "replicas",
        text: include_str!("../../experiments/replicas.toml"),
        run: replicas::run,
        in_all: false,
        takes: &["--strategy"],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "papers",
        text: include_str!("../../experiments/papers.toml"),
        run: papers::run,
        in_all: false,
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "survey",
        text: include_str!("../../experiments/survey.toml"),
        run: survey::run,
        in_all: false,
        takes: &["--strategy"],
        ..Experiment::DEFAULT
    },
    Experiment {
        name: "growth",
        text: include_str!("../../experiments/growth.toml"),
        run: growth::run,
        in_all: false,
        takes: &["--strategy"],
        ..Experiment::DEFAULT
    },
];

/// Runs an experiment.
pub type Run = fn(&Setup<'_>) -> anyhow::Result<Findings>;

/// An experiment: what it runs, and how.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name on the command line and in file names.
    pub name: &'static str,
    /// Its definition, in TOML.
    pub text: &'static str,
    /// Runs it.
    pub run: Run,
    /// Whether `all` runs it; the others are called by name.
    pub in_all: bool,
    /// Whether it has a page of its own in the report.
    pub own_page: bool,
    /// Which of the options of [`Options`] it heeds.
    pub takes: &'static [&'static str],
    /// Its part with real servers: the server's name, and the experiment that takes its place.
    pub live: &'static [(&'static str, &'static Experiment)],
}

impl Experiment {
    /// Part of `all`, without options and servers.
    pub const DEFAULT: Self = Self {
        name: "",
        text: "",
        run: |_| Ok(Findings::default()),
        in_all: true,
        own_page: false,
        takes: &[],
        live: &[],
    };

    /// What it runs.
    ///
    /// # Panics
    ///
    /// When its TOML is not a definition, which is a fault of this program.
    #[must_use]
    pub fn definition(&self) -> Definition {
        toml::from_str(self.text)
            .unwrap_or_else(|err| panic!("experiments/{}.toml: {err}", self.name))
    }

    /// The experiment called `name`.
    ///
    /// # Errors
    ///
    /// Lists those that there are.
    pub fn find(name: &str) -> anyhow::Result<&'static Self> {
        let names = || EXPERIMENTS.iter().map(|it| it.name).collect::<Vec<_>>();
        let found = EXPERIMENTS.iter().find(|it| it.name == name);
        found.with_context(|| {
            let names = names().join(", ");
            format!("unknown experiment {name:?}; valid are: all, {names}")
        })
    }

    /// All experiments, each with its parts with servers behind it.
    pub fn with_parts() -> impl Iterator<Item = &'static Self> {
        EXPERIMENTS.iter().flat_map(|it| {
            let parts = it.live.iter().map(|&(_, part)| part);
            std::iter::once(it).chain(parts)
        })
    }

    /// Its part with this server.
    ///
    /// # Errors
    ///
    /// When it has none.
    pub fn with_server(&self, server: &str) -> anyhow::Result<&'static Self> {
        let found = self.live.iter().find(|(name, _)| *name == server);
        let (_, experiment) =
            found.with_context(|| format!("experiment {} has no part with {server}", self.name))?;
        Ok(experiment)
    }

    /// Refuses options that would have no effect.
    ///
    /// # Errors
    ///
    /// Names the option.
    pub fn check(&self, options: &Options) -> anyhow::Result<()> {
        for option in options.given() {
            ensure!(
                self.takes.contains(&option),
                "{option} has no effect on experiment {}",
                self.name
            );
        }
        Ok(())
    }
}

/// What an experiment found.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Findings {
    /// Claims that every machine decides alike.
    pub claims: Vec<ClaimRow>,
    /// Claims about time.
    pub timed: Vec<ClaimRow>,
    /// The series that charts need, by name.
    pub series: Vec<(&'static str, Vec<SeriesRow>)>,
    /// Tables with columns of their own.
    pub extra: Vec<Extra>,
    /// What the document's program prints, line by line.
    pub printed: Vec<String>,
}

/// A table with columns of its own, such as another program's: the content of
/// `experiment-NAME-TABLE.csv`, or of `timed-NAME-TABLE.csv`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extra {
    /// Its part of the file's name.
    pub table: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether every machine makes the same.
    pub deterministic: bool,
}

impl Extra {
    /// A table.
    #[must_use]
    pub fn new(table: &'static str, bytes: Vec<u8>, deterministic: bool) -> Self {
        Self {
            table,
            bytes,
            deterministic,
        }
    }
}

impl Findings {
    /// The data files of the experiment called `name`.
    ///
    /// # Errors
    ///
    /// When a row cannot be written, which none of ours can cause.
    pub fn files(&self, name: &str) -> anyhow::Result<Vec<NewFile>> {
        let mut files = Vec::new();
        if !self.claims.is_empty() {
            let path = format!("data/experiment-{name}.csv");
            files.push(NewFile::data(&path, to_csv(&self.claims)?, true));
        }
        for (series, rows) in &self.series {
            let path = format!("data/experiment-{name}-{series}.csv");
            files.push(NewFile::data(&path, to_csv(rows)?, true));
        }
        for extra in &self.extra {
            let room = if extra.deterministic {
                "experiment"
            } else {
                "timed"
            };
            let path = format!("data/{room}-{name}-{}.csv", extra.table);
            files.push(NewFile::data(
                &path,
                extra.bytes.clone(),
                extra.deterministic,
            ));
        }
        if !self.timed.is_empty() {
            let path = format!("data/timed-{name}.csv");
            files.push(NewFile::data(&path, to_csv(&self.timed)?, false));
        }
        Ok(files)
    }
}
