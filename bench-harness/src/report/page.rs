//! The pages: `README.md` for where the repository is hosted, `index.html` for everywhere,
//! `experiments/README.md`, and a page each for some of the experiments.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;

use super::Cx;
use super::experiments::{self, Experiments};
use super::figure::{Figure, LeftOut, Section, place};
use super::scope::{self, Scope};
use super::tables::{self, Table};
use crate::record::{Compared, FileEntry, NewFile, Run};

/// What the templates are given.
#[derive(Serialize)]
struct Page<'a> {
    run: &'a Run,
    machine: String,
    /// Commit, and whether there were changes.
    commit: String,
    warnings: &'a [String],
    /// The field at a glance, once a size; the usual size first.
    glances: Vec<Glance>,
    /// Programs that speak some of the strategies.
    speakers: BTreeSet<&'a str>,
    sections: Vec<Part<'a>>,
    experiments: Option<Experiments<'a>>,
    race: Option<Race<'a>>,
    contract_matrix: Option<Table>,
    contract_summary: Option<Table>,
    claims: Option<Table>,
    /// The compared strategies, each once, whatever its parameters.
    sources: Vec<&'a Compared>,
    /// Those that have a page of their own.
    families: Vec<Family<'a>>,
    files: &'a [FileEntry],
}

/// The page of the race.
#[derive(Serialize)]
struct Race<'a> {
    musts: Option<Table>,
    figures: Vec<Shown<'a>>,
    families: Vec<Table>,
    broken: Option<Table>,
    when: String,
}

/// The field at a glance at one size.
#[derive(Serialize)]
struct Glance {
    nodes: u64,
    table: Table,
}

/// A family of strategies, with its charts and tables; the control stands among them.
#[derive(Serialize)]
struct Family<'a> {
    name: &'a str,
    /// Its page, without folder and ending.
    file: String,
    figures: Vec<Shown<'a>>,
    tables: Vec<Table>,
    claims: Option<Table>,
    sources: Vec<&'a Compared>,
}

/// A section of charts and tables.
#[derive(Serialize)]
struct Part<'a> {
    id: &'static str,
    title: &'static str,
    intro: &'static str,
    figures: Vec<Shown<'a>>,
    left_out: Vec<(&'static str, &'a str)>,
    tables: Vec<Table>,
}

/// A figure, as the templates see it.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    id: &'a str,
    path: String,
    title: &'a str,
    reading: &'a str,
    notes: &'a [String],
    caption: &'a [String],
    svg: &'a str,
}

/// Title and introduction of each section of charts.
const SECTIONS: [(Section, &str, &str, &str); 7] = [
    (
        Section::Overview,
        "overview",
        "Overview",
        "Four questions decide between designs: how many keys move when a node comes or goes, how full the busiest \
         node becomes, how much of the cluster can be used if any node may fail, and what a look-up costs. No \
         design wins all four, so there is no score here.",
    ),
    (
        Section::Balance,
        "balance",
        "Balance",
        "How evenly the keys spread. Counted keys are uneven by chance even under a perfect strategy; the band shows \
         by how much, and share_cv and the exact figures have that noise taken out.",
    ),
    (
        Section::Movement,
        "movement",
        "Movement",
        "What a change of the nodes does to the keys. Moved = forced + in vain. Forced are the keys whose old owner \
         left or whose new owner joined; all others moved in vain.",
    ),
    (
        Section::Lookup,
        "lookup",
        "Look-up",
        "What one look-up costs: timed, next to what the hash of the key alone costs, and counted.",
    ),
    (
        Section::Build,
        "build",
        "Build and memory",
        "What it costs to build a cluster, to change it and to hold it.",
    ),
    (
        Section::Clients,
        "clients",
        "Clients that agree",
        "Programs that go by one name need not give a key to the same node. Each was asked for the owners of the same \
         keys on the same lists of nodes; every list is there for something that they do differently.",
    ),
    (
        Section::Race,
        "race",
        "Race",
        "Ours beside other people's crates, behind the same trait and in turns of the same rounds. race.md has every \
         size, what building and changing costs, and which crates break their contract.",
    ),
];

/// The page of the race.
const RACE: &str = "race.md";

/// The page of the experiments.
const EXPERIMENTS: &str = "experiments/README.md";

/// Makes the pages.
pub(super) fn pages(cx: &Cx<'_>, figures: &[Figure], left_out: &[LeftOut]) -> Result<Vec<NewFile>> {
    let page = Page::new(cx, figures, left_out);
    let mut env = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    env.set_syntax(syntax);
    env.set_auto_escape_callback(|name| {
        if name.ends_with(".html") {
            AutoEscape::Html
        } else {
            AutoEscape::None
        }
    });
    env.add_filter("md", |text: String| markdown(&text));
    env.add_filter("comment", |text: String| comment(&text));
    env.add_filter("plain", |text: String| plain(&text));
    env.add_template("style.css", include_str!("templates/style.css"))?;
    env.add_template("page.js", include_str!("templates/page.js"))?;
    env.add_template("index.html", include_str!("templates/index.html"))?;
    env.add_template("macros.md", include_str!("templates/macros.md"))?;
    env.add_template("family.md", include_str!("templates/family.md"))?;
    env.add_template("README.md", include_str!("templates/README.md"))?;
    env.add_template(RACE, include_str!("templates/race.md"))?;
    env.add_template(EXPERIMENTS, include_str!("templates/experiments.md"))?;
    env.add_template("experiment.md", include_str!("templates/experiment.md"))?;
    let fill = |path: String, template: &str, values: Value| -> Result<NewFile> {
        let text = env.get_template(template)?.render(values);
        let text = text.with_context(|| format!("fill the template of {path}"))?;
        Ok(NewFile {
            path,
            bytes: text.into_bytes(),
            // They say when and where.
            deterministic: false,
        })
    };
    let whole = Value::from(Serde(&page));
    let mut pages = Vec::new();
    let mut names = vec!["README.md", "index.html"];
    if !cx.data.experiments.is_empty() {
        names.push(EXPERIMENTS);
    }
    if cx.data.race.is_some() {
        names.push(RACE);
    }
    for name in names {
        pages.push(fill(name.to_owned(), name, whole.clone())?);
    }
    for part in page.experiments.iter().flat_map(Experiments::own_pages) {
        let values = context! { run => Serde(page.run), it => Serde(part) };
        pages.push(fill(part.file(), "experiment.md", values)?);
    }
    for family in &page.families {
        let path = format!("families/{}.md", family.file);
        let values = context! { run => Serde(page.run), family => Serde(family) };
        pages.push(fill(path, "family.md", values)?);
    }
    Ok(pages)
}

impl<'a> Page<'a> {
    fn new(cx: &Cx<'a>, figures: &'a [Figure], left_out: &'a [LeftOut]) -> Self {
        let run = &cx.data.run;
        let commit = run.commit.as_deref().unwrap_or("unknown");
        let dirty = if run.dirty == Some(true) {
            ", with uncommitted changes"
        } else {
            ""
        };
        let families = cx.families();
        let families = families.into_iter().map(|it| Family::new(cx, it, figures));
        Self {
            run,
            machine: place(&run.machine),
            commit: format!("{commit}{dirty}"),
            warnings: &cx.data.warnings,
            glances: tables::glances(cx)
                .into_iter()
                .map(|(nodes, table)| Glance { nodes, table })
                .collect(),
            speakers: sources(cx, |_| true)
                .into_iter()
                .flat_map(|it| it.strategy.spoken_by.iter().map(String::as_str))
                .collect(),
            sections: SECTIONS
                .iter()
                // A race is an event of its own: a report without one does not miss it.
                .filter(|it| it.0 != Section::Race || cx.data.race.is_some())
                .map(|&(section, id, title, intro)| Part {
                    id,
                    title,
                    intro,
                    figures: figures
                        .iter()
                        .filter(|it| it.section == section)
                        .map(Shown::of)
                        .collect(),
                    left_out: left_out
                        .iter()
                        .filter(|it| it.section == section)
                        .map(|it| (it.title, it.why.as_str()))
                        .collect(),
                    tables: tables_of(cx, section),
                })
                .collect(),
            experiments: Experiments::new(cx, figures, left_out),
            race: Race::new(cx, figures),
            contract_matrix: tables::matrix(cx),
            contract_summary: tables::summary(cx),
            claims: tables::claims(cx),
            sources: sources(cx, |_| true),
            families: families.collect(),
            files: &run.files,
        }
    }
}

/// The compared strategies that `of` accepts, each once, whatever its parameters.
fn sources<'a>(cx: &Cx<'a>, of: impl Fn(&Compared) -> bool) -> Vec<&'a Compared> {
    let described = cx.data.strategies.as_deref().unwrap_or_default();
    let mut sources: Vec<&Compared> = Vec::new();
    for entry in described.iter().filter(|entry| of(entry)) {
        let name = &entry.strategy.name;
        if sources.iter().all(|it| it.strategy.name != *name) {
            sources.push(entry);
        }
    }
    sources
}

impl<'a> Race<'a> {
    /// None where nobody was raced.
    fn new(cx: &Cx<'a>, figures: &'a [Figure]) -> Option<Self> {
        cx.data.race.as_ref()?;
        let figures = figures.iter().filter(|it| it.section == Section::Race);
        Some(Self {
            musts: tables::race::musts(cx),
            figures: figures.map(Shown::of).collect(),
            families: tables::race::families(cx),
            broken: tables::race::broken(cx),
            when: experiments::when(cx, "data/timed-race.csv"),
        })
    }
}

impl<'a> Family<'a> {
    fn new(cx: &Cx<'a>, name: &'a str, figures: &'a [Figure]) -> Self {
        let cx = Cx {
            scope: Scope::Family(name),
            ..*cx
        };
        let ours = |it: &&Figure| it.family.as_deref() == Some(name);
        let figures = figures.iter().filter(ours);
        let tables = [
            tables::glance(&cx),
            tables::balance(&cx),
            tables::in_vain(&cx),
            tables::lookup(&cx),
            tables::build(&cx),
        ];
        Self {
            name,
            file: scope::file_name(name),
            figures: figures.map(Shown::of).collect(),
            tables: tables.into_iter().flatten().collect(),
            claims: tables::claims(&cx),
            sources: sources(&cx, |it| it.strategy.family == name),
        }
    }
}

impl<'a> Shown<'a> {
    pub(super) fn of(figure: &'a Figure) -> Self {
        Self {
            id: &figure.id,
            path: figure.path(),
            title: &figure.title,
            reading: &figure.reading,
            notes: &figure.notes,
            caption: &figure.caption,
            svg: &figure.svg,
        }
    }
}

fn tables_of(cx: &Cx<'_>, section: Section) -> Vec<Table> {
    let table = match section {
        Section::Overview => tables::glance(cx),
        Section::Balance => tables::balance(cx),
        Section::Movement => tables::in_vain(cx),
        Section::Lookup => tables::lookup(cx),
        Section::Build => tables::build(cx),
        Section::Family => None,
        Section::Clients => return tables::clients(cx),
        Section::Race => tables::race::musts(cx),
        // They have pages of their own.
        Section::Experiments => None,
    };
    table.into_iter().collect()
}

/// One line without what a text cannot show: line breaks become blanks, other control characters
/// U+FFFD.
fn plain(text: &str) -> String {
    let shown = text.chars().map(|c| match c {
        '\n' | '\r' | '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    });
    shown.collect()
}

/// Text that means itself in Markdown, in a table too: what could mean anything else becomes a
/// character reference. An underscore within a word means nothing.
fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let text = plain(text);
    let mut chars = text.chars().peekable();
    let mut in_word = false;
    while let Some(c) = chars.next() {
        let within = c == '_' && in_word && chars.peek().is_some_and(|it| it.is_alphanumeric());
        if r"&<>|`*_[]\~$#{}".contains(c) && !within {
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
        in_word = c.is_alphanumeric() || within;
    }
    out
}

/// Text that does not end a comment.
fn comment(text: &str) -> String {
    plain(text).replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_means_itself() {
        assert_eq!(markdown("a|b\n*c* <d>"), "a&#124;b &#42;c&#42; &#60;d&#62;");
        assert_eq!(
            markdown("a-ring:vnodes=160 n1_peak"),
            "a-ring:vnodes=160 n1_peak"
        );
        assert_eq!(markdown("_a_"), "&#95;a&#95;");
        assert_eq!(comment("x --> y"), "x --&gt; y");
        assert_eq!(plain("a\u{1}b\nc"), "a\u{fffd}b c");
    }
}
