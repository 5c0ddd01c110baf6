//! The two ends of the program: lines for a person on standard error, output on standard output.

use std::io::{self, BufWriter, StdoutLock, Write as _};

use anyhow::Context as _;

/// What was being done when output failed.
pub(crate) const STDOUT: &str = "cannot write to standard output";

/// Prints `ringmark: MESSAGE` to standard error, as one line whatever the message holds.
pub(crate) fn say(message: &str) {
    let mut line = String::from("ringmark: ");
    for c in message.chars() {
        // Input that is echoed must not break the line, colour the terminal or turn the text round.
        if c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line.push('\n');
    // Nobody is left to be told when standard error is closed.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Lets `print` write to standard output through a large buffer, and sees to it that all arrives.
///
/// # Errors
///
/// What `print` answers, and a full disk or a closed pipe.
pub(crate) fn print(
    print: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    print(&mut out)?;
    out.flush().context(STDOUT)
}

/// Prints lines to standard output.
///
/// # Errors
///
/// A full disk or a closed pipe.
pub(crate) fn print_lines(lines: &[String]) -> anyhow::Result<()> {
    print(|out| {
        let mut written = lines.iter().map(|line| writeln!(out, "{line}"));
        written.try_for_each(|it| it).context(STDOUT)
    })
}

/// Makes an interrupt end the program at once with exit 130: for verbs that have nothing to tidy up.
///
/// # Errors
///
/// When the system takes no handler.
pub(crate) fn end_when_interrupted() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        say("interrupted");
        std::process::exit(130);
    })
    .context("cannot watch for an interrupt")
}
