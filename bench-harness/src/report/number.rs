//! Numbers as a reader wants them: three digits, and a unit.

/// What a number counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// A share of one, shown in percent.
    Share,
    /// A plain ratio or a count.
    Plain,
    /// Nanoseconds, shown in the unit that fits.
    Nanoseconds,
    /// Bytes, shown in the unit that fits.
    Bytes,
}

impl Unit {
    /// `value` with three digits and its unit.
    pub(super) fn text(self, value: f64) -> String {
        /// Shares below a hundred-thousandth are not told apart.
        const LEAST: f64 = 1e-5;
        let (scaled, suffix) = self.scaled(value);
        if self == Self::Share && value.abs() < LEAST * 100.0 {
            return match value {
                0.0 => "0 %".to_owned(),
                value if value.abs() < LEAST * 0.95 => "< 0.001 %".to_owned(),
                _ => format!("{scaled:.3} %"),
            };
        }
        // Bytes and counts come in whole.
        let whole = value.fract() == 0.0 && value.abs() < 1000.0 && self != Self::Nanoseconds;
        format!("{}{suffix}", digits(scaled, 3, whole))
    }

    /// A tick's text: as many digits as it has, and its unit.
    pub(super) fn tick(self, value: f64) -> String {
        let (scaled, suffix) = self.scaled(value);
        format!("{}{suffix}", digits(scaled, 6, true))
    }

    fn scaled(self, value: f64) -> (f64, &'static str) {
        let steps: &[(f64, &'static str)] = match self {
            Self::Share => return (value * 100.0, " %"),
            Self::Plain => return (value, ""),
            Self::Nanoseconds => &[(1e9, " s"), (1e6, " ms"), (1e3, " us")],
            Self::Bytes => &[(1e9, " GB"), (1e6, " MB"), (1e3, " kB")],
        };
        for &(size, suffix) in steps {
            // 999.96 ns would be written as "1000 ns": it belongs to the next unit.
            if value.abs() >= size * 0.9995 {
                return (value / size, suffix);
            }
        }
        let small = if self == Self::Bytes { " B" } else { " ns" };
        (value, small)
    }
}

/// `value` with `n` significant digits, or all before the point where there are more, thousands
/// apart, without an exponent where it can be read without; `trim` drops zeros behind the point.
fn digits(value: f64, n: i32, trim: bool) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rounded first: 9.996 with three digits has two places left of the point.
    let rounded: f64 = format!("{value:.*e}", usize::try_from(n - 1).unwrap_or(0))
        .parse()
        .unwrap_or(value);
    let size = rounded.abs();
    if !(1e-5..1e9).contains(&size) {
        let text = format!("{value:.1e}");
        return text.replace(".0e", "e");
    }
    let before_point = libm::floor(libm::log10(size)) as i32 + 1;
    let places = usize::try_from((n - before_point).max(0)).unwrap_or(0);
    let mut text = format!("{value:.places$}");
    if trim && text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    thousands(&text)
}

/// Sets commas between thousands.
fn thousands(text: &str) -> String {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (whole, fraction) = rest
        .split_once('.')
        .map_or((rest, None), |(w, f)| (w, Some(f)));
    let mut out = String::from(sign);
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A whole number with commas between thousands.
pub(super) fn count(value: u64) -> String {
    thousands(&value.to_string())
}

/// "1 node", "2 nodes".
pub(super) fn plural(n: u64, one: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {one}{s}", count(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(unit: Unit, value: f64, text: &str, tick: &str) {
        assert_eq!(
            (unit.text(value).as_str(), unit.tick(value).as_str()),
            (text, tick)
        );
    }

    #[test]
    fn numbers_read_well() {
        check(Unit::Plain, 0.0, "0", "0");
        check(Unit::Plain, 1.0, "1", "1");
        check(Unit::Plain, 9.996, "10.0", "9.996");
        check(Unit::Plain, -1234.6, "-1,235", "-1,234.6");
        check(Unit::Plain, 1e-300, "1e-300", "1e-300");
        check(Unit::Plain, 2.5e99, "2.5e99", "2.5e99");
        check(Unit::Share, 0.025, "2.50 %", "2.5 %");
        check(Unit::Nanoseconds, 34.123, "34.1 ns", "34.123 ns");
        check(Unit::Nanoseconds, 999.96, "1.00 us", "0.99996 us");
        check(Unit::Nanoseconds, 2e9, "2.00 s", "2 s");
        check(Unit::Share, 0.0, "0 %", "0 %");
        check(Unit::Share, 1e-5, "0.001 %", "0.001 %");
        check(Unit::Share, 1e-7, "< 0.001 %", "0.00001 %");
        check(Unit::Bytes, 24.0, "24 B", "24 B");
        check(Unit::Bytes, 2584.0, "2.58 kB", "2.584 kB");
        assert_eq!(plural(1, "node"), "1 node");
        assert_eq!(plural(1000, "node"), "1,000 nodes");
    }
}
