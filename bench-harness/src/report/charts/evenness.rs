//! How evenly keys spread over the nodes, counted.

use super::{Structured, both, need, passed, sorted, value};
use crate::record::Row;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, count, plural};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::Scale;
use crate::report::table::{Drawn, Key, Table, nearest};
use crate::report::{Cx, FOCUS};
use crate::workload::Popularity;

const PATH: &str = "data/balance.csv";

/// Counted evenness at one size, with the exact one beside it.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    let table = need(&cx.data.balance, PATH)?;
    let scenario = table.main_scenario(|row| row.metric == "cv");
    let head = Head {
        id: "rm-balance-evenness",
        section: Section::Balance,
        title: String::new(),
        reading: "Further left is more even. Keys were counted, so even a perfect strategy shows the noise of its \
                  keys: the band. Left of it is more even than chance; right of it the strategy itself is uneven."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "counted keys, mean over the seeds"),
            Legend::new(Sample::Range, "5 % to 95 % over the seeds"),
            Legend::new(Sample::Tick, "exact, without key noise (at the left edge: less)"),
            Legend::new(Sample::Band, "hash noise, 5 % to 95 %"),
        ],
    };
    let sizes = table.sizes(|row| row.metric == "cv" && row.scenario == scenario);
    let nodes = nearest(&sizes, FOCUS).ok_or(format!("{PATH} has no rows of cv"))?;
    spread(cx, table, head, nodes, &[&scenario])
}

/// The same for each key set.
pub(super) fn key_sets(cx: &Cx<'_>) -> Result<Figure, String> {
    let table = need(&cx.data.balance, PATH)?;
    let scenarios = scenarios(table, |name| Popularity::of(name).is_none());
    if scenarios.len() < 2 {
        return Err(format!("{PATH} has a single key set"));
    }
    let head = Head {
        id: "rm-balance-key-sets",
        section: Section::Balance,
        title: String::new(),
        reading: "A good hash makes every key set look alike. Where the columns differ, the hash does not mix: \
                  keys that resemble each other land beside each other."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "counted keys, mean over the seeds"),
            Legend::new(Sample::Range, "5 % to 95 % over the seeds"),
            Legend::new(Sample::Band, "hash noise, 5 % to 95 %"),
        ],
    };
    let nodes = common_size(table, &scenarios)?;
    spread(cx, table, head, nodes, &scenarios)
}

/// The same for requests: keys of unequal popularity.
pub(super) fn popularity(cx: &Cx<'_>) -> Result<Figure, String> {
    let table = need(&cx.data.balance, PATH)?;
    let mut scenarios = scenarios(table, |name| Popularity::of(name).is_some());
    scenarios.sort_by_key(|name| Popularity::of(name));
    if scenarios.is_empty() {
        return Err(format!("{PATH} has no requests of unequal popularity"));
    }
    let head = Head {
        id: "rm-balance-popularity",
        section: Section::Balance,
        title: String::new(),
        reading: "Requests, not keys: some keys are asked much more often than others (Zipf's law; the larger the \
                  exponent, the hotter the hottest key). The band is what a perfect placement of single keys would \
                  show: one key cannot be split. Once a hot key decides, the strategies hardly differ."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "requests, mean over the seeds"),
            Legend::new(Sample::Range, "5 % to 95 % over the seeds"),
            Legend::new(Sample::Band, "hash noise at this popularity, 5 % to 95 %"),
        ],
    };
    let nodes = common_size(table, &scenarios)?;
    spread(cx, table, head, nodes, &scenarios)
}

/// The scenarios of cv that `of` accepts, those with the most rows first; no more than fit.
fn scenarios(table: &Table<Row>, of: impl Fn(&str) -> bool) -> Vec<&str> {
    /// More would leave no room for the axes.
    const MOST: usize = 4;
    let mut by_rows: Vec<(usize, &str)> = table
        .scenarios(|row| row.metric == "cv" && of(&row.scenario))
        .into_iter()
        .map(|name| {
            let of = |row: &&Row| row.metric == "cv" && row.scenario == name;
            (table.rows.iter().filter(of).count(), name)
        })
        .collect();
    by_rows.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    by_rows.truncate(MOST);
    by_rows.into_iter().map(|(_, name)| name).collect()
}

/// The size nearest to the focus at which the last of these scenarios was asked.
fn common_size(table: &Table<Row>, scenarios: &[&str]) -> Result<u64, String> {
    let last = scenarios.last().copied().unwrap_or_default();
    let sizes = table.sizes(|row| row.metric == "cv" && row.scenario == last);
    nearest(&sizes, FOCUS).ok_or(format!("{PATH} has no rows of cv"))
}

/// Rows of cv, a column a key set; the exact value where a single one is shown.
fn spread(
    cx: &Cx<'_>,
    table: &Table<Row>,
    mut head: Head,
    nodes: u64,
    scenarios: &[&str],
) -> Result<Figure, String> {
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut lines, mut values, mut exact) = (Vec::new(), Vec::new(), Vec::new());
    let mut structured = Structured::default();
    let mut keys = 0;
    for series in passed(cx, cx.groups(), &mut absent) {
        let (mut cells, mut rank) = (Vec::new(), None);
        for scenario in scenarios {
            let key = |metric: &'static str| Key {
                scenario,
                change: "none",
                nodes,
                metric,
                ..Key::default()
            };
            let (row, cv) = match value(&mut drawn, table, &series, key("cv")) {
                Ok(found) => found,
                Err(reason) => {
                    cells.push(Cell::without(&reason));
                    absent.add(&series.name, reason);
                    continue;
                }
            };
            keys = keys.max(row.keys);
            structured.note(&series.name, row);
            rank = rank.or(Some(cv));
            let mut marks = Vec::new();
            if let Some((lo, hi)) = both(row.noise_lo, row.noise_hi) {
                marks.push(Mark::Band { lo, hi });
                values.extend([lo, hi]);
            }
            if let Some((lo, hi)) = both(row.p5, row.p95) {
                marks.push(Mark::Range { lo, hi });
                values.extend([lo, hi]);
            }
            if scenarios.len() == 1
                && let Ok((_, at)) = value(&mut drawn, table, &series, key("exact_cv"))
            {
                exact.push(at);
                // Nothing at all stands at the edge, too.
                let at = at.max(f64::MIN_POSITIVE);
                marks.push(Mark::Tick { at, heavy: false });
            }
            marks.push(Mark::Dot {
                at: cv,
                size: 3.6,
                filled: true,
            });
            values.push(cv);
            let text = Unit::Plain.text(cv);
            let hover = format!("{}, {scenario}: cv {text}", series.name);
            cells.push(Cell::new(marks, vec![text], hover));
        }
        let Some(rank) = rank else { continue };
        lines.push((rank, Line::of(&series, cells)));
    }
    let lines = sorted(lines, |line| &line.name);
    // Exact shares may differ in the last bit only: such values stand at the axis's edge instead of
    // stretching it over many empty decades.
    let least = values.iter().copied().fold(f64::INFINITY, f64::min) / 4.0;
    values.extend(exact.into_iter().filter(|&at| at >= least));
    let scale = Scale::log(values);
    let columns: Vec<Column> = scenarios
        .iter()
        .map(|scenario| Column {
            title: format!("{scenario}: sd of load / fair share (log axis)"),
            scale: scale.clone(),
            unit: Unit::Plain,
            numbers: vec!["cv"],
        })
        .collect();
    let (what, each) = match scenarios {
        [first, ..] if Popularity::of(first).is_some() => {
            ("requests", ", popularity by popularity")
        }
        [_] => ("keys", ""),
        _ => ("keys", ", key set by key set"),
    };
    head.title = format!(
        "How evenly {what} spread over {}{each}",
        plural(nodes, "node")
    );
    let mut sheet = Sheet::begin(cx, head);
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    let mut notes = vec![format!("{} keys a seed.", count(keys))];
    notes.extend(structured.sentence());
    Ok(sheet.finish(cx, bottom, notes, absent, &drawn))
}
