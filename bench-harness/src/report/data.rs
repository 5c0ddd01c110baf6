//! Reads what `measure` wrote: the only input of a report.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::charts::{DESIGNS, ENOUGH, SERIES, TIMED_DESIGNS};
use super::race::RaceData;
use super::table::{Keyed, Table, hex};
use crate::experiment::Experiment;
use crate::record::{
    AgreeRow, ArcRow, ClaimRow, Compared, CompatEntry, ContractRow, CriterionRow, DesignRow,
    EnoughRow, LossRow, MadeBy, Row, Run, SCHEMA, SeriesRow, TimedDesignRow, TimedRow, read_run,
};

/// Everything a report is made from. A file that is not there is `None`: not measured.
#[derive(Debug)]
pub(super) struct Data {
    pub(super) run: Run,
    pub(super) strategies: Option<Vec<Compared>>,
    pub(super) balance: Option<Table<Row>>,
    pub(super) movement: Option<Table<Row>>,
    pub(super) views: Option<Table<Row>>,
    pub(super) work: Option<Table<Row>>,
    pub(super) memory: Option<Table<Row>>,
    pub(super) lookup: Option<Table<TimedRow>>,
    pub(super) build: Option<Table<TimedRow>>,
    pub(super) swap: Option<Table<TimedRow>>,
    pub(super) criterion: Option<Table<CriterionRow>>,
    pub(super) contract: Option<Table<ContractRow>>,
    pub(super) points: Option<Table<ArcRow>>,
    pub(super) compat: Option<Table<AgreeRow>>,
    pub(super) losses: Option<Table<LossRow>>,
    pub(super) clients: Option<CompatEntry>,
    pub(super) race: Option<RaceData>,
    pub(super) designs: Option<Table<DesignRow>>,
    pub(super) timed_designs: Option<Table<TimedDesignRow>>,
    pub(super) enough: Option<Table<EnoughRow>>,
    /// The claims of every experiment that was run.
    pub(super) experiments: Vec<Judged>,
    /// The series that the experiments' charts draw, by path.
    pub(super) series: BTreeMap<&'static str, Table<SeriesRow>>,
    /// What a reader of the report has to know about its files, one sentence each.
    pub(super) warnings: Vec<String>,
}

/// An experiment that was run.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) experiment: &'static Experiment,
    pub(super) claims: Vec<ClaimRow>,
    pub(super) timed: Vec<ClaimRow>,
}

impl Judged {
    /// The files with the claims of an experiment, and with those about time.
    pub(super) fn paths(name: &str) -> [String; 2] {
        [
            format!("data/experiment-{name}.csv"),
            format!("data/timed-{name}.csv"),
        ]
    }
}

impl Data {
    /// Reads `run.json` and the files in `data/` of `from`.
    pub(super) fn read(from: &Path) -> Result<Self> {
        let run = read_run(from)?;
        if run.schema != SCHEMA {
            let path = from.join("run.json");
            let schema = run.schema;
            bail!(
                "read {}: schema {schema}, this program reads {SCHEMA}",
                path.display()
            );
        }
        let mut reader = Reader {
            from,
            run: &run,
            warnings: Vec::new(),
        };
        Ok(Self {
            strategies: reader.json("data/strategies.json")?,
            balance: reader.csv("data/balance.csv")?,
            movement: reader.csv("data/movement.csv")?,
            views: reader.csv("data/views.csv")?,
            work: reader.csv("data/work.csv")?,
            memory: reader.csv("data/memory.csv")?,
            lookup: reader.csv("data/lookup.csv")?,
            build: reader.csv("data/build.csv")?,
            swap: reader.csv("data/swap.csv")?,
            criterion: reader.csv("data/criterion.csv")?,
            contract: reader.csv("data/contract.csv")?,
            points: reader.csv("data/points.csv")?,
            compat: reader.csv("data/compat.csv")?,
            losses: reader.csv("data/compat-loss.csv")?,
            clients: reader.json("data/compat.json")?,
            race: reader.race()?,
            designs: reader.csv(DESIGNS)?,
            timed_designs: reader.csv(TIMED_DESIGNS)?,
            enough: reader.csv(ENOUGH)?,
            experiments: reader.experiments()?,
            series: reader.series()?,
            warnings: reader.warnings,
            run,
        })
    }

    /// What made the file at `path`, where it stayed from an earlier run.
    pub(super) fn made_by(&self, path: &str) -> Option<&MadeBy> {
        let entry = self.run.files.iter().find(|file| file.path == path)?;
        entry.made_by.as_ref()
    }
}

struct Reader<'a> {
    from: &'a Path,
    run: &'a Run,
    warnings: Vec<String>,
}

impl Reader<'_> {
    /// The bytes of a file, or nothing where it is not there; held against `run.json`.
    fn bytes(&mut self, path: &str) -> Result<Option<Vec<u8>>> {
        let full = self.from.join(path);
        let bytes = match fs::read(&full) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == ErrorKind::NotFound => {
                if self.run.files.iter().any(|file| file.path == path) {
                    self.warnings
                        .push(format!("{path} is named in run.json but is not there."));
                }
                return Ok(None);
            }
            Err(e) => return Err(e).with_context(|| format!("read {}", full.display())),
        };
        match self.run.files.iter().find(|file| file.path == path) {
            None => self
                .warnings
                .push(format!("{path} is not named in run.json: it comes from another run.")),
            Some(file) if file.sha256 != hex(&Sha256::digest(&bytes)) => self.warnings.push(format!(
                "{path} is not the file that run.json names (its SHA-256 differs): it was changed, \
                 or comes from another run."
            )),
            Some(_) => {}
        }
        Ok(Some(bytes))
    }

    fn json<T: DeserializeOwned>(&mut self, path: &str) -> Result<Option<T>> {
        let Some(bytes) = self.bytes(path)? else {
            return Ok(None);
        };
        serde_json::from_slice(&bytes)
            .map(Some)
            .with_context(|| format!("read {}", self.from.join(path).display()))
    }

    /// The experiments whose claims are there, in their own order, those with servers behind.
    fn experiments(&mut self) -> Result<Vec<Judged>> {
        let mut found = Vec::new();
        for experiment in Experiment::with_parts() {
            let [claims, timed] = Judged::paths(experiment.name);
            let mut read = |path: &str| -> Result<Vec<ClaimRow>> {
                let rows = self.rows(path)?;
                Ok(rows.map_or(Vec::new(), |(rows, _)| rows))
            };
            let (claims, timed) = (read(&claims)?, read(&timed)?);
            if !claims.is_empty() || !timed.is_empty() {
                found.push(Judged {
                    experiment,
                    claims,
                    timed,
                });
            }
        }
        Ok(found)
    }

    fn race(&mut self) -> Result<Option<RaceData>> {
        let Some(table) = self.csv("data/timed-race.csv")? else {
            return Ok(None);
        };
        let musts = self.rows("data/timed-race-musts.csv")?;
        Ok(Some(RaceData {
            table,
            musts: musts.map_or(Vec::new(), |(musts, _)| musts),
        }))
    }

    fn series(&mut self) -> Result<BTreeMap<&'static str, Table<SeriesRow>>> {
        let mut series = BTreeMap::new();
        for &path in SERIES {
            if let Some(table) = self.csv(path)? {
                series.insert(path, table);
            }
        }
        Ok(series)
    }

    fn csv<T: Keyed + DeserializeOwned>(&mut self, path: &'static str) -> Result<Option<Table<T>>> {
        let rows = self.rows(path)?;
        Ok(rows.map(|(rows, lines)| Table::new(path, rows, lines)))
    }

    /// The rows of a CSV file, and each as a line of text.
    fn rows<T: DeserializeOwned>(&mut self, path: &str) -> Result<Option<(Vec<T>, Vec<String>)>> {
        let Some(bytes) = self.bytes(path)? else {
            return Ok(None);
        };
        let fault = |line: u64, what: String| {
            let file = self.from.join(path);
            anyhow!("read {}, line {line}: {what}", file.display())
        };
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let header = reader.headers().map_err(|e| fault(1, reason(&e)))?.clone();
        let (mut rows, mut lines) = (Vec::new(), Vec::new());
        for record in reader.records() {
            let record = record
                .map_err(|e| fault(e.position().map_or(0, csv::Position::line), reason(&e)))?;
            let line = record.position().map_or(0, csv::Position::line);
            rows.push(
                record
                    .deserialize(Some(&header))
                    .map_err(|e| fault(line, reason(&e)))?,
            );
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(&record)?;
            lines.push(String::from_utf8(writer.into_inner()?)?);
        }
        Ok(Some((rows, lines)))
    }
}

/// What is wrong, without the place, which the caller names.
fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("{len} fields instead of {expected_len}"),
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".to_owned(),
        _ => error.to_string(),
    }
}
