//! What a change of the user's own cluster would move: one document, and the same as rows.

use serde::{Deserialize, Serialize};

use super::{Rounded, table::six};

/// All that `plan` found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlanDocument {
    /// Where the keys came from.
    pub keys: String,
    /// Whether every key counts once; else it counts as often as it comes.
    pub distinct: bool,
    /// What a person should know of the keys, a sentence each.
    pub notes: Vec<String>,
    /// Every node before or after, those before first.
    pub nodes: Vec<PlanNode>,
    /// An entry a strategy.
    pub plans: Vec<PlanEntry>,
}

/// A node and its weights.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlanNode {
    /// Its name.
    pub node: String,
    /// Its weight before; none where it is not there yet.
    pub before: Option<u32>,
    /// Its weight after; none where it has left.
    pub after: Option<u32>,
}

/// What the change moves under one strategy.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlanEntry {
    /// The canonical spec.
    pub strategy: String,
    /// The books: of keys, and of bytes and hits where they are known.
    pub books: Vec<Books>,
    /// The load of each node before and after, those before first.
    pub loads: Vec<LoadEntry>,
    /// What moves from which node to which, the most keys first.
    pub flows: Vec<Flow>,
    /// The change step by step, where that was asked for.
    pub steps: Option<Steps>,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// Keys.
    Keys,
    /// Bytes stored.
    Bytes,
    /// Requests.
    Hits,
}

impl Quantity {
    /// Its name in all files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Bytes => "bytes",
            Self::Hits => "hits",
        }
    }
}

/// Some keys in all that is counted; nothing where the keys came without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Weighed {
    /// Keys.
    pub keys: u64,
    /// Bytes stored under them.
    pub bytes: Option<u128>,
    /// Requests for them.
    pub hits: Option<u128>,
}

impl Weighed {
    /// What it is in one quantity, where that is known.
    #[must_use]
    pub fn of(&self, quantity: Quantity) -> Option<u128> {
        match quantity {
            Quantity::Keys => Some(u128::from(self.keys)),
            Quantity::Bytes => self.bytes,
            Quantity::Hits => self.hits,
        }
    }
}

/// The books of a change in one quantity. Shares are of `total`, nothing where that is 0.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Books {
    /// What is counted.
    pub quantity: Quantity,
    /// All of it.
    pub total: u128,
    /// How much moves.
    pub moved: u128,
    /// How much of that had to, because an owner left, joined or has another weight.
    pub forced: u128,
    /// How much moves between nodes that stayed as they were.
    pub collateral: u128,
    /// `moved` as a share.
    pub moved_share: Option<f64>,
    /// `forced` as a share.
    pub forced_share: Option<f64>,
    /// `collateral` as a share.
    pub collateral_share: Option<f64>,
    /// The share that the weights alone say must move.
    pub optimal: f64,
    /// The least share that any router with these loads could move.
    pub own_optimal: Option<f64>,
    /// Moved over `own_optimal`, for pure removals and pure additions.
    pub excess: Option<f64>,
    /// The busiest node before, in fair shares.
    pub peak_before: Option<f64>,
    /// The busiest node after, in fair shares.
    pub peak_after: Option<f64>,
}

/// What lies on one node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LoadEntry {
    /// Its name.
    pub node: String,
    /// What lies there before.
    pub before: Weighed,
    /// What lies there after.
    pub after: Weighed,
}

/// What moves from one node to another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Flow {
    /// The owner before.
    pub from: String,
    /// The owner after.
    pub to: String,
    /// How much.
    pub moved: Weighed,
}

/// The change as single ones, one after another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Steps {
    /// Each single change.
    pub steps: Vec<StepEntry>,
    /// What moves in at least one step.
    pub moved_once: Weighed,
    /// What moves in more than one step.
    pub moved_again: Weighed,
    /// What the steps leave on another node than the change as a whole.
    pub elsewhere: Weighed,
}

/// One single change.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StepEntry {
    /// The change, as the command line takes it.
    pub change: String,
    /// Its books.
    pub books: Vec<Books>,
}

/// A number of the document, as a row.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlanRow {
    /// The canonical spec.
    pub strategy: String,
    /// The number of the step, from 1; empty for the whole change.
    pub step: Option<usize>,
    /// The single change of the step; empty for the whole change.
    pub change: String,
    /// What is counted.
    pub quantity: String,
    /// Which number it is.
    pub metric: String,
    /// The node that it is taken from, or that it lies on before.
    pub from: String,
    /// The node that it goes to, or lies on after.
    pub to: String,
    /// How much, exactly, where it is an amount.
    pub amount: Option<u128>,
    /// As a share of all, or a ratio.
    pub value: Option<f64>,
}

impl Rounded for PlanRow {
    fn rounded(&self) -> Self {
        Self {
            value: six(self.value),
            ..self.clone()
        }
    }
}

/// The document as rows: the books, then loads and flows, then the steps, strategy by strategy.
#[must_use]
pub fn plan_rows(document: &PlanDocument) -> Vec<PlanRow> {
    let mut rows = Vec::new();
    for plan in &document.plans {
        for books in &plan.books {
            let blank = blank(&plan.strategy, books.quantity);
            book_rows(&mut rows, &blank, books);
            let share = |amount: u128| share(amount, books.total);
            let mut row = |metric: &str, from: &str, to: &str, amount: Option<u128>| {
                let Some(amount) = amount else { return };
                rows.push(PlanRow {
                    metric: metric.to_owned(),
                    from: from.to_owned(),
                    to: to.to_owned(),
                    amount: Some(amount),
                    value: share(amount),
                    ..blank.clone()
                });
            };
            for load in &plan.loads {
                row(
                    "load_before",
                    &load.node,
                    "",
                    load.before.of(books.quantity),
                );
                row("load_after", "", &load.node, load.after.of(books.quantity));
            }
            for flow in &plan.flows {
                row("flow", &flow.from, &flow.to, flow.moved.of(books.quantity));
            }
            if let Some(steps) = &plan.steps {
                for (metric, moved) in [
                    ("moved_once", steps.moved_once),
                    ("moved_again", steps.moved_again),
                    ("elsewhere", steps.elsewhere),
                ] {
                    row(metric, "", "", moved.of(books.quantity));
                }
            }
        }
        for (number, step) in (1..).zip(plan.steps.iter().flat_map(|it| &it.steps)) {
            for books in &step.books {
                let blank = PlanRow {
                    step: Some(number),
                    change: step.change.clone(),
                    ..blank(&plan.strategy, books.quantity)
                };
                book_rows(&mut rows, &blank, books);
            }
        }
    }
    rows
}

fn blank(strategy: &str, quantity: Quantity) -> PlanRow {
    PlanRow {
        strategy: strategy.to_owned(),
        step: None,
        change: String::new(),
        quantity: quantity.name().to_owned(),
        metric: String::new(),
        from: String::new(),
        to: String::new(),
        amount: None,
        value: None,
    }
}

fn book_rows(rows: &mut Vec<PlanRow>, blank: &PlanRow, books: &Books) {
    for (metric, amount, value) in [
        ("total", Some(books.total), None),
        ("moved", Some(books.moved), books.moved_share),
        ("forced", Some(books.forced), books.forced_share),
        ("collateral", Some(books.collateral), books.collateral_share),
        ("optimal", None, Some(books.optimal)),
        ("own_optimal", None, books.own_optimal),
        ("excess", None, books.excess),
        ("peak_before", None, books.peak_before),
        ("peak_after", None, books.peak_after),
    ] {
        rows.push(PlanRow {
            metric: metric.to_owned(),
            amount,
            value,
            ..blank.clone()
        });
    }
}

/// `amount` as a share of `total`, nothing where that is 0.
#[must_use]
pub(crate) fn share(amount: u128, total: u128) -> Option<f64> {
    (total > 0).then(|| amount as f64 / total as f64)
}

impl Books {
    /// The same with six significant digits in shares and ratios.
    #[must_use]
    pub fn rounded(&self) -> Self {
        Self {
            moved_share: six(self.moved_share),
            forced_share: six(self.forced_share),
            collateral_share: six(self.collateral_share),
            optimal: six(Some(self.optimal)).unwrap_or(self.optimal),
            own_optimal: six(self.own_optimal),
            excess: six(self.excess),
            peak_before: six(self.peak_before),
            peak_after: six(self.peak_after),
            ..self.clone()
        }
    }
}

impl PlanDocument {
    /// The same with six significant digits in shares and ratios, as in every file.
    #[must_use]
    pub fn rounded(&self) -> Self {
        let mut rounded = self.clone();
        for plan in &mut rounded.plans {
            let steps = plan.steps.iter_mut().flat_map(|it| &mut it.steps);
            let books = steps.flat_map(|step| &mut step.books);
            for books in plan.books.iter_mut().chain(books) {
                *books = books.rounded();
            }
        }
        rounded
    }
}
