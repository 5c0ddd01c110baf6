//! What a person who made a key file may not see in it.

use router::Keys;

use crate::workload::files::BOM;

/// Keys from here on are said to be long.
const LONG: usize = 1 << 20;

/// What was seen in a file of keys.
pub(super) struct Notes {
    name: String,
    /// Whether its keys are fields of rows, not lines.
    rows: bool,
    n_keys: u64,
    byte_order_mark: bool,
    empty: Seen,
    carriage_return: Seen,
    not_text: Seen,
    long: Seen,
    /// Whether the last line has no LF.
    pub(super) open_end: bool,
    /// Whether packed data ended too early.
    pub(super) cut_off: bool,
}

/// How often something was seen, and the number of the key where it was seen first.
#[derive(Default)]
struct Seen {
    count: u64,
    first: u64,
}

impl Seen {
    fn note(&mut self, number: u64) {
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
    }
}

impl Notes {
    pub(super) fn new(name: &str, rows: bool) -> Self {
        Self {
            name: name.to_owned(),
            rows,
            n_keys: 0,
            byte_order_mark: false,
            empty: Seen::default(),
            carriage_return: Seen::default(),
            not_text: Seen::default(),
            long: Seen::default(),
            open_end: false,
            cut_off: false,
        }
    }

    /// What messages call the file.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Looks at the next keys.
    pub(super) fn look(&mut self, keys: Keys<'_>) {
        for key in keys.iter() {
            self.n_keys += 1;
            let number = self.n_keys;
            if number == 1 && key.starts_with(BOM) {
                self.byte_order_mark = true;
            }
            if key.is_empty() {
                self.empty.note(number);
            }
            if key.contains(&b'\r') {
                self.carriage_return.note(number);
            }
            if str::from_utf8(key).is_err() {
                self.not_text.note(number);
            }
            if key.len() >= LONG {
                self.long.note(number);
            }
        }
    }

    /// A sentence for each thing seen.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut say = |text: String| out.push(format!("{}: {text}", self.name));
        if self.cut_off {
            say(format!(
                "warning: the packed data are cut off; the {} keys before the cut were counted",
                self.n_keys
            ));
        }
        if self.byte_order_mark {
            say("the byte order mark is kept as part of the first key".to_owned());
        }
        let place = if self.rows { "row" } else { "line" };
        for (seen, what) in [
            (&self.empty, "empty, which is a key like any other"),
            (
                &self.carriage_return,
                "with a CR, which is kept as part of the key",
            ),
            (&self.not_text, "not UTF-8, routed byte for byte"),
            (&self.long, "1 MiB or longer"),
        ] {
            if seen.count > 0 {
                let keys = if seen.count == 1 { "key" } else { "keys" };
                say(format!(
                    "{} {keys} {what}; the first is {place} {}",
                    seen.count, seen.first
                ));
            }
        }
        if self.open_end {
            say("the last line has no line feed and counts as a key".to_owned());
        }
        out
    }
}
