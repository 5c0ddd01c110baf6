//! Axes: where a value lies between the ends, and which values get a tick.
//!
//! Made for any data: no values, one value, equal values, a zero on a logarithmic axis. Values
//! that are not finite, or beyond [`usable`], never get here.
//!
//! A [`Scale`] is a coordinate of plotters. Its own linear and logarithmic ranges are not used: they
//! have no place for a zero on a logarithmic axis, and take it on trust that a range is not empty.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// Whether a value can be drawn at all: a number, and not an absurd one.
pub(super) fn usable(value: f64) -> bool {
    value.abs() < 1e100
}

/// Where a logarithmic axis begins at the latest; what is smaller stands at its beginning.
const LEAST: f64 = 1e-100;

/// Share of a logarithmic axis that is set apart for zeros, where there are any.
const GUTTER: f64 = 0.07;

/// An axis.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    lo: f64,
    hi: f64,
    log: bool,
    /// A logarithmic axis with zeros: they stand apart at its beginning.
    zeros: bool,
    /// The values that get a tick, where they are given.
    given: Option<Vec<f64>>,
}

impl Scale {
    /// A linear axis with these ends, `lo < hi`.
    pub(super) fn linear(lo: f64, hi: f64) -> Self {
        Self {
            lo,
            hi,
            log: false,
            zeros: false,
            given: None,
        }
    }

    /// A logarithmic axis around the positive values.
    pub(super) fn log(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut lo, mut hi, mut zeros) = (f64::INFINITY, 0.0_f64, false);
        for value in values {
            if value > 0.0 {
                lo = lo.min(value.max(LEAST));
                hi = hi.max(value);
            }
            zeros |= value == 0.0;
        }
        if hi == 0.0 {
            (lo, hi) = (1.0, 10.0);
        }
        // A little room, and at least a tenth of a decade, so that equal values have an axis too.
        let room = (libm::log10(hi / lo) * 0.04).max(0.012);
        let spread = libm::pow(10.0, room);
        Self {
            lo: lo / spread,
            hi: hi * spread,
            log: true,
            zeros,
            given: None,
        }
    }

    /// A logarithmic axis of few values, each with its own tick: the sizes that were measured.
    pub(super) fn steps(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        Self {
            given: Some(values.clone()),
            ..Self::log(values)
        }
    }

    /// This axis with a tick at each of `ticks`, and no others.
    pub(super) fn ticked(self, ticks: Vec<f64>) -> Self {
        Self {
            given: Some(ticks),
            ..self
        }
    }

    /// Where `value` lies, 0 to 1; nothing where it cannot stand on this axis.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        if !self.log {
            return Some(((value - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0));
        }
        if value == 0.0 && self.zeros {
            return Some(GUTTER * 0.25);
        }
        if value <= 0.0 {
            return None;
        }
        let share = libm::log10(value / self.lo) / libm::log10(self.hi / self.lo);
        let begin = if self.zeros { GUTTER } else { 0.0 };
        Some(begin + (1.0 - begin) * share.clamp(0.0, 1.0))
    }

    /// Where the zeros' part of a logarithmic axis ends.
    pub(super) fn gutter(&self) -> Option<f64> {
        self.zeros.then_some(GUTTER * 0.6)
    }

    /// Values that get a tick, about `wanted` of them, rising.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<f64> {
        if let Some(given) = &self.given {
            return given.clone();
        }
        let wanted = wanted.max(2);
        let mut ticks = if self.zeros { vec![0.0] } else { Vec::new() };
        if self.log {
            ticks.extend(self.log_ticks(wanted));
        } else {
            ticks.extend(self.linear_ticks(wanted));
        }
        ticks
    }

    fn linear_ticks(&self, wanted: usize) -> Vec<f64> {
        let step = nice_step(self.hi - self.lo, wanted);
        let first = libm::ceil(self.lo / step - 1e-9);
        let last = libm::floor(self.hi / step + 1e-9);
        // `nice_step` leaves at most about `wanted` steps; the bound is for ends that lie so
        // close together that adding a step changes nothing.
        let n = (last - first).clamp(0.0, 4.0 * wanted as f64) as usize;
        (0..=n)
            .map(|i| round_to((first + i as f64) * step, step))
            .filter(|tick| (self.lo..=self.hi).contains(tick) || *tick == 0.0)
            .collect()
    }

    fn log_ticks(&self, wanted: usize) -> Vec<f64> {
        const FACTORS: [&[f64]; 5] = [
            &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
            &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            &[1.0, 2.0, 5.0],
            &[1.0, 3.0],
            &[1.0],
        ];
        if self.hi / self.lo < 2.0 {
            let linear = self.linear_ticks(wanted);
            return linear.into_iter().filter(|&tick| tick > 0.0).collect();
        }
        let first = libm::floor(libm::log10(self.lo)) as i32;
        let last = libm::ceil(libm::log10(self.hi)) as i32;
        let inside = |tick: &f64| (self.lo..=self.hi).contains(tick);
        for factors in FACTORS {
            let ticks: Vec<f64> = (first..=last)
                .flat_map(|exponent| factors.iter().map(move |f| f * power_of_ten(exponent)))
                .filter(inside)
                .map(|tick| round_to(tick, tick))
                .collect();
            if ticks.len() <= wanted + 1 {
                return ticks;
            }
        }
        // Every second decade, every third: as few as wanted, at multiples of the step.
        let every = (last - first) / i32::try_from(wanted).unwrap_or(1) + 1;
        (first..=last)
            .filter(|exponent| exponent % every == 0)
            .map(power_of_ten)
            .filter(inside)
            .collect()
    }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    /// What cannot stand on this axis lies at its beginning; [`Scale::at`] tells.
    fn map(&self, value: &f64, (begin, end): (i32, i32)) -> i32 {
        let along = self.at(*value).unwrap_or_default() * f64::from(end - begin);
        begin + along.round() as i32
    }

    /// The ticks; there are no finer grid lines between them.
    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        self.ticks(hint.max_num_points())
    }

    fn range(&self) -> Range<f64> {
        self.lo..self.hi
    }
}

/// 10^exponent as a decimal number reads, without the last digit's error of a power function.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

/// 1, 2 or 5 times a power of ten: the step that cuts `range` into about `wanted` parts.
fn nice_step(range: f64, wanted: usize) -> f64 {
    let rough = range / wanted as f64;
    let unit = power_of_ten(libm::floor(libm::log10(rough)) as i32);
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * unit)
        .find(|&step| step >= rough * 0.999_999)
        .unwrap_or(rough);
    if step > 0.0 { step } else { 1.0 }
}

/// `value` without the binary dust of a multiplication by `step`.
fn round_to(value: f64, step: f64) -> f64 {
    let places = (1.0 - libm::floor(libm::log10(step))).clamp(0.0, 17.0);
    format!("{value:.*}", places as usize)
        .parse()
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use plotters::coord::ranged1d::{BoldPoints, LightPoints};

    use super::*;

    #[track_caller]
    fn check(scale: &Scale, wanted: usize, ticks: &[f64]) {
        assert_eq!(scale.ticks(wanted), ticks, "{scale:?}");
        for &tick in ticks {
            let at = scale.at(tick).expect("a tick stands on its axis");
            assert!(
                (0.0..=1.0).contains(&at),
                "{tick} of {scale:?} lies at {at}"
            );
        }
    }

    #[test]
    fn ticks_are_round_and_few() {
        check(&Scale::linear(0.0, 1.0), 5, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        check(&Scale::linear(0.0, 1.0), 2, &[0.0, 0.5, 1.0]);
        check(
            &Scale::log([10.0, 1000.0]),
            4,
            &[10.0, 30.0, 100.0, 300.0, 1000.0],
        );
        check(&Scale::log([1.0, 4.0]), 4, &[1.0, 1.5, 2.0, 3.0]);
        check(&Scale::log([1e-9, 1e9]), 4, &[1e-6, 1.0, 1e6]);
        check(&Scale::log([1.0, 1.3]), 4, &[1.0, 1.1, 1.2, 1.3]);
        check(&Scale::log([5.0, 5.0]), 3, &[4.9, 5.0, 5.1]);
        check(
            &Scale::steps([1000.0, 10.0, 40.0, 10.0]),
            2,
            &[10.0, 40.0, 1000.0],
        );
        check(&Scale::log([]), 3, &[1.0, 2.0, 5.0, 10.0]);
        check(&Scale::log([0.0, 1.0, 100.0]), 3, &[0.0, 1.0, 10.0, 100.0]);
    }

    #[test]
    fn odd_values_end_and_stay_inside() {
        let odd = [1e-99, 1e-9, 1.0, 1.0 + f64::EPSILON, 1e9, 1e99, 5e-324];
        for a in odd {
            for b in odd {
                for scale in [Scale::log([a, b]), Scale::log([a, b, 0.0])] {
                    let ticks = scale.ticks(5);
                    assert!(ticks.len() <= 21, "{scale:?}: {ticks:?}");
                    let at = scale.at(a.max(b)).expect("a value it was made for");
                    assert!((0.0..=1.0).contains(&at), "{scale:?}: {at}");
                }
            }
        }
        assert_eq!(Scale::log([1.0, 2.0]).at(0.0), None);
        assert_eq!(Scale::log([0.0, 2.0]).at(-1.0), None);
        assert!(usable(1e99) && !usable(f64::NAN) && !usable(f64::INFINITY) && !usable(1e100));
    }

    /// Checks where plotters puts `value` on `scale`, between 0 and 1000.
    #[track_caller]
    fn check_pixel(scale: &Scale, value: f64, pixel: i32) {
        assert_eq!(scale.map(&value, (0, 1000)), pixel);
        // Upright axes run the other way.
        assert_eq!(scale.map(&value, (1000, 0)), 1000 - pixel);
    }

    #[test]
    fn plotters_gets_pixels_and_ticks_of_any_axis() {
        let share = Scale::linear(0.0, 1.0);
        check_pixel(&share, 0.25, 250);
        check_pixel(&share, 7.0, 1000);
        check_pixel(&share, f64::NAN, 0);
        assert_eq!(share.key_points(BoldPoints(2)), [0.0, 0.5, 1.0]);
        assert_eq!(share.key_points(LightPoints::new(2, 20)), [0.0; 0]);
        let share = share.ticked(vec![0.3]);
        assert_eq!(share.key_points(BoldPoints(9)), [0.3]);
        let zeros = Scale::log([0.0, 1.0]);
        check_pixel(&zeros, 0.0, 18);
        check_pixel(&zeros, 1.0, 535);
        check_pixel(&zeros, f64::INFINITY, 1000);
        check_pixel(&Scale::log([]), -1.0, 0);
    }
}
