//! The experiments on the pages: what was published, what came out, and the charts of it.

use serde::Serialize;

use super::Cx;
use super::data::Judged;
use super::figure::{Figure, LeftOut, Section, place};
use super::page::Shown;
use super::tables::{self, Table};
use crate::experiment::Page;
use crate::record::Verdict;

/// The section of the experiments.
#[derive(Serialize)]
pub(super) struct Experiments<'a> {
    list: Vec<Part<'a>>,
    left_out: Vec<(&'static str, &'a str)>,
}

/// An experiment.
#[derive(Serialize)]
pub(super) struct Part<'a> {
    name: &'static str,
    title: String,
    document: String,
    about: String,
    /// Pages of the document's program: module and file.
    pages: Vec<(String, String)>,
    /// How many claims came out in each way.
    reproduced: usize,
    differ: usize,
    not_checkable: usize,
    /// What it found, in sentences.
    sentences: Vec<String>,
    tables: Vec<Table>,
    figures: Vec<Shown<'a>>,
    /// Whether it stands on a page of its own.
    own_page: bool,
}

impl<'a> Experiments<'a> {
    /// The experiments that were run; none where none was.
    pub(super) fn new(cx: &Cx<'a>, figures: &'a [Figure], left_out: &'a [LeftOut]) -> Option<Self> {
        let judged = &cx.data.experiments;
        let list = judged.iter().map(|it| Part::new(cx, it, figures)).collect();
        let left_out = left_out
            .iter()
            .filter(|it| it.section == Section::Experiments);
        (!judged.is_empty()).then(|| Self {
            list,
            left_out: left_out.map(|it| (it.title, it.why.as_str())).collect(),
        })
    }
}

impl Experiments<'_> {
    /// Those that have a page of their own.
    pub(super) fn own_pages(&self) -> impl Iterator<Item = &Part<'_>> {
        self.list.iter().filter(|it| it.own_page)
    }
}

impl<'a> Part<'a> {
    fn new(cx: &Cx<'a>, judged: &Judged, figures: &'a [Figure]) -> Self {
        let name = judged.experiment.name;
        let definition = judged.experiment.definition();
        let claims = || judged.claims.iter().chain(&judged.timed);
        let count = |verdict| claims().filter(|it| it.verdict == verdict).count();
        let own = format!("rm-experiment-{name}-");
        let figures = figures.iter().filter(|it| it.id.starts_with(&own));
        let [_, timed] = Judged::paths(name);
        let caption = format!("data/experiment-{name}.csv: the same on every machine.");
        let tables = [
            tables::recovery(cx).filter(|_| name == tables::RECOVERY_OF),
            tables::enough(cx).filter(|_| name == tables::FRONTIER_OF),
            tables::efficient(cx).filter(|_| name == tables::FRONTIER_OF),
            tables::judged("Claims", &caption, &judged.claims),
            tables::judged("Claims about time", &when(cx, &timed), &judged.timed),
        ];
        let page = |it: Page| (it.module, it.file);
        Self {
            name,
            title: definition.title,
            document: definition.document,
            about: definition.about.trim().to_owned(),
            pages: definition.pages.into_iter().map(page).collect(),
            reproduced: count(Verdict::Reproduced),
            differ: count(Verdict::Differs),
            not_checkable: count(Verdict::NotCheckable),
            sentences: match name {
                tables::FRONTIER_OF => tables::sentences(cx),
                _ => Vec::new(),
            },
            tables: tables.into_iter().flatten().collect(),
            figures: figures.map(Shown::of).collect(),
            own_page: judged.experiment.own_page,
        }
    }

    /// Its file, below the report folder.
    pub(super) fn file(&self) -> String {
        format!("experiments/{}.md", self.name)
    }
}

/// Where and when a timed file was made.
pub(super) fn when(cx: &Cx<'_>, path: &str) -> String {
    let run = &cx.data.run;
    let made = cx.data.made_by(path);
    let machine = made.map_or(Some(&run.machine), |it| it.machine.as_ref());
    let date = made.map_or(&run.date, |it| &it.date);
    let machine = machine.map_or("a machine that is not recorded".to_owned(), place);
    format!("{path}: {machine}, {date}.")
}
