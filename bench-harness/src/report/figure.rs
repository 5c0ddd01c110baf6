//! A figure: the frame that every chart has, from title to caption.

use std::collections::BTreeSet;

use super::Cx;
use super::absent::Absent;
use super::number::plural;
use super::pen::{BAND, GREY, INK, Pen, Stroke, Type, fit, width, wrap};
use super::scope::Scope;
use super::style::Shape;
use super::table::Drawn;
use crate::record::Machine;

/// Width of every figure.
pub(super) const WIDTH: f64 = 960.0;
/// Free space at its edges.
pub(super) const MARGIN: f64 = 24.0;
const INNER: f64 = WIDTH - 2.0 * MARGIN;

/// A part of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Section {
    Overview,
    Balance,
    Movement,
    Lookup,
    Build,
    /// The page of one family.
    Family,
    Clients,
    Race,
    Experiments,
}

/// A finished chart.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) id: String,
    pub(super) section: Section,
    /// The one family that it shows beside the control.
    pub(super) family: Option<String>,
    pub(super) title: String,
    /// How to read it.
    pub(super) reading: String,
    /// What it leaves out, and why.
    pub(super) notes: Vec<String>,
    /// Where its numbers come from.
    pub(super) caption: Vec<String>,
    /// First 12 hex digits of the SHA-256 of its rows, as its caption has them.
    pub(super) rows: String,
    /// Whether it shows timings: another machine or another day gives another one.
    pub(super) timed: bool,
    pub(super) svg: String,
}

impl Figure {
    /// Its file below the report folder.
    pub(super) fn path(&self) -> String {
        format!("charts/{}.svg", self.id.trim_start_matches("rm-"))
    }
}

/// A chart that cannot be drawn from these data.
#[derive(Debug)]
pub(super) struct LeftOut {
    pub(super) section: Section,
    pub(super) title: &'static str,
    pub(super) why: String,
}

/// What stands above a chart.
#[derive(Debug)]
pub(super) struct Head {
    /// The figure's id where it shows everybody.
    pub(super) id: &'static str,
    pub(super) section: Section,
    pub(super) title: String,
    pub(super) reading: String,
    pub(super) legend: Vec<Legend>,
}

/// A sample of a mark, and what it means.
#[derive(Clone, Debug)]
pub(super) struct Legend {
    pub(super) sample: Sample,
    pub(super) text: String,
}

/// The sample of a legend.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sample {
    Fill,
    Hatch,
    Dot,
    Hollow,
    Tick,
    HeavyTick,
    Band,
    Range,
    Line(Stroke<'static>),
}

impl Legend {
    pub(super) fn new(sample: Sample, text: impl Into<String>) -> Self {
        Self {
            sample,
            text: text.into(),
        }
    }
}

/// A figure in the making: head drawn, chart and foot to come.
pub(super) struct Sheet {
    /// The figure's id.
    pub(super) id: String,
    head: Head,
    pub(super) pen: Pen,
    /// Where the chart begins.
    pub(super) top: f64,
}

impl Sheet {
    pub(super) fn begin(cx: &Cx<'_>, mut head: Head) -> Self {
        if let Scope::Family(family) = cx.scope {
            head.title = format!("Family {family}: {}", lower_first(&head.title));
            head.section = Section::Family;
        }
        let mut pen = Pen::default();
        let title = Type {
            size: 17.0,
            ..Type::BODY.bold()
        };
        let mut y = 36.0;
        for line in wrap(&head.title, title.size, INNER, 2) {
            pen.text(MARGIN, y, title, &line);
            y += 21.0;
        }
        let reading = Type {
            size: 12.0,
            colour: GREY,
            ..Type::BODY
        };
        for line in wrap(&head.reading, reading.size, INNER, 4) {
            pen.text(MARGIN, y, reading, &line);
            y += 16.0;
        }
        let mut sheet = Self {
            id: cx.figure_id(head.id),
            head,
            pen,
            top: y,
        };
        sheet.legend();
        sheet
    }

    /// Draws the legend, left to right, in as many lines as it takes.
    fn legend(&mut self) {
        if self.head.legend.is_empty() {
            self.top += 6.0;
            return;
        }
        const SAMPLE: f64 = 22.0;
        let (mut x, mut y) = (MARGIN, self.top + 10.0);
        for Legend { sample, text } in self.head.legend.clone() {
            let text = fit(&text, Type::NOTE.size, INNER - SAMPLE - 6.0);
            let wide = SAMPLE + 6.0 + width(&text, Type::NOTE.size);
            if x > MARGIN && x + wide > WIDTH - MARGIN {
                x = MARGIN;
                y += 17.0;
            }
            self.sample(sample, x, y - 3.5, SAMPLE);
            self.pen.text(x + SAMPLE + 6.0, y, Type::NOTE, &text);
            x += wide + 22.0;
        }
        self.top = y + 14.0;
    }

    fn sample(&mut self, sample: Sample, x: f64, y: f64, w: f64) {
        let (middle, pen) = (x + w / 2.0, &mut self.pen);
        match sample {
            Sample::Fill => pen.rect(x, y - 5.0, w, 10.0, GREY),
            Sample::Hatch => {
                let fill = pen.hatch(&self.id, GREY);
                pen.rect(x, y - 5.0, w, 10.0, &fill);
            }
            Sample::Dot => pen.marker((middle, y), 3.6, Shape::Circle, GREY, true),
            Sample::Hollow => pen.marker((middle, y), 3.6, Shape::Circle, GREY, false),
            Sample::Tick => pen.line((middle, y - 6.5), (middle, y + 6.5), TICK),
            Sample::HeavyTick => pen.line((middle, y - 6.5), (middle, y + 6.5), HEAVY_TICK),
            Sample::Band => pen.rect(x, y - 6.0, w, 12.0, BAND),
            Sample::Range => pen.line((x, y), (x + w, y), Stroke::solid(GREY, 1.8)),
            Sample::Line(stroke) => pen.line((x, y), (x + w, y), stroke),
        }
    }

    /// Ends the figure below `bottom`, where its chart ends.
    pub(super) fn finish(
        mut self,
        cx: &Cx<'_>,
        bottom: f64,
        mut notes: Vec<String>,
        absent: Absent,
        drawn: &Drawn,
    ) -> Figure {
        notes.extend(absent.sentences());
        let mut y = bottom + 18.0;
        for note in &notes {
            for line in wrap(note, Type::NOTE.size, INNER, 3) {
                self.pen.text(MARGIN, y, Type::NOTE, &line);
                y += 14.0;
            }
        }
        let metadata = metadata(cx, &self.id, drawn);
        let caption = caption(&metadata);
        y += 4.0;
        self.pen.line(
            (MARGIN, y - 10.0),
            (WIDTH - MARGIN, y - 10.0),
            Stroke::solid("#d1d9e0", 1.0),
        );
        let set = Type {
            size: 9.5,
            ..Type::NOTE
        };
        for line in caption.iter().flat_map(|it| wrap(it, set.size, INNER, 2)) {
            y += 4.0;
            self.pen.text(MARGIN, y, set, &line);
            y += 9.0;
        }
        let value = |wanted| {
            let found = metadata.iter().find(|(name, _)| *name == wanted);
            found.map_or("", |(_, value)| value)
        };
        let made_by = format!("ringmark {}: {}", value("ringmark"), value("command"));
        let rows = value("rows").to_owned();
        let svg = self.pen.finish(
            (WIDTH, (y + 10.0).ceil()),
            &self.head.title,
            &made_by,
            &metadata,
        );
        Figure {
            id: self.id,
            family: match cx.scope {
                Scope::All => None,
                Scope::Family(family) => Some(family.to_owned()),
            },
            section: self.head.section,
            title: self.head.title,
            reading: self.head.reading,
            notes,
            caption,
            rows,
            timed: drawn.timed,
            svg,
        }
    }
}

/// `text` with a small first letter, to go on in a sentence.
fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

/// A reference that a mark is held against.
pub(super) const TICK: Stroke = Stroke::solid(INK, 1.6);
/// A second reference beside it.
pub(super) const HEAVY_TICK: Stroke = Stroke::solid(GREY, 3.4);

/// What made the figure. Only timed figures name a date, a machine or a commit: the others change
/// only when their rows do.
fn metadata(cx: &Cx<'_>, id: &str, drawn: &Drawn) -> Vec<(&'static str, String)> {
    let run = &cx.data.run;
    let kept = drawn
        .files()
        .into_iter()
        .find_map(|path| cx.data.made_by(path));
    let list = |items: Vec<String>| items.join(", ");
    let counts = |counts: &BTreeSet<u64>| list(counts.iter().map(u64::to_string).collect());
    let files = drawn.files().into_iter().map(str::to_owned).collect();
    let mut out = vec![
        ("figure", id.to_owned()),
        ("rows", drawn.fingerprint()),
        ("data", list(files)),
        ("ringmark", run.version.clone()),
        // An experiment runs what its definition says, whatever the profile.
        (
            "profile",
            match id.starts_with("rm-experiment-") {
                true => String::new(),
                false => run.profile.clone(),
            },
        ),
        ("scenario", list(drawn.scenarios.iter().cloned().collect())),
        (
            if drawn.timed { "rounds" } else { "seeds" },
            counts(&drawn.repeats),
        ),
        ("deployments", counts(&drawn.deployments)),
        (
            "command",
            kept.map_or(&run.command, |made| &made.command).clone(),
        ),
    ];
    out.retain(|(_, value)| !value.is_empty());
    if !drawn.timed {
        return out;
    }
    if let Some(made) = kept {
        // The commit of that run is not recorded.
        out.extend(made.machine.as_ref().map(|it| ("machine", place(it))));
        out.extend(made.rustc.clone().map(|it| ("rustc", it)));
        out.push(("date", made.date.clone()));
        out.push(("source", made.source_id.clone()));
        return out;
    }
    let commit = run.commit.as_deref().unwrap_or("unknown");
    let dirty = if run.dirty == Some(true) {
        " with uncommitted changes"
    } else {
        ""
    };
    out.push(("commit", format!("{commit}{dirty}")));
    out.push(("machine", place(&run.machine)));
    out.push(("rustc", run.rustc.clone()));
    out.push(("date", run.date.clone()));
    out
}

/// A machine in words.
pub(super) fn place(machine: &Machine) -> String {
    let cores = plural(machine.cores, "core");
    format!("{}, {cores}, {}", machine.cpu, machine.os)
}

/// The metadata as a reader's caption: what was asked in one line, who answered in the next.
fn caption(metadata: &[(&'static str, String)]) -> Vec<String> {
    let part = |names: &[&str]| {
        let parts = metadata.iter().filter(|(name, _)| names.contains(name));
        let parts: Vec<String> = parts
            .map(|(name, value)| match value.starts_with(name) {
                true => value.clone(),
                false => format!("{name} {value}"),
            })
            .collect();
        parts.join("; ")
    };
    let lines = [
        part(&["figure", "rows", "data"]),
        part(&[
            "ringmark",
            "profile",
            "scenario",
            "seeds",
            "deployments",
            "rounds",
            "command",
        ]),
        part(&["commit", "machine", "rustc", "date", "source"]),
    ];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}
