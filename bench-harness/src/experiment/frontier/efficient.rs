//! Who is efficient: nobody is as good in everything and better in something.

/// A quantity of which less is better, known to lie between two values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Between {
    lo: f64,
    hi: f64,
    /// Whether quantities that may be the same count as the same: times do, since they are never known
    /// better. Of others, who may be worse is not taken to be as good.
    timed: bool,
}

impl Between {
    /// A quantity that is known.
    pub(super) fn exact(value: f64) -> Self {
        Self::within(value, value)
    }

    /// One that is not less than `lo` and not more than `hi`.
    pub(super) fn within(lo: f64, hi: f64) -> Self {
        Self {
            lo,
            hi,
            timed: false,
        }
    }

    /// A time with its interval.
    pub(super) fn timed(lo: f64, hi: f64) -> Self {
        Self {
            lo,
            hi,
            timed: true,
        }
    }

    /// Whether it is less than the other, whatever the two are.
    fn less(self, other: Self) -> bool {
        self.hi < other.lo
    }

    /// Whether it counts as no more than the other.
    fn as_good(self, other: Self) -> bool {
        match self.timed {
            true => !other.less(self),
            false => self.hi <= other.lo,
        }
    }
}

/// Whether `a` is better than `b` in one quantity, and as good in the others.
fn beats<const N: usize>(a: &[Between; N], b: &[Between; N]) -> bool {
    let pairs = || a.iter().zip(b);
    pairs().any(|(a, b)| a.less(*b)) && pairs().all(|(a, b)| a.as_good(*b))
}

/// Which of the designs no other beats. One of which a quantity is not known is not among them, and
/// beats none.
pub(super) fn efficient<const N: usize>(designs: &[Option<[Between; N]>]) -> Vec<bool> {
    let known = |it: &[Between; N]| it.iter().all(|it| it.lo.is_finite() && it.hi.is_finite());
    let known = |it: &Option<[Between; N]>| it.filter(known);
    let others: Vec<[Between; N]> = designs.iter().filter_map(known).collect();
    let unbeaten = |it| known(it).is_some_and(|it| !others.iter().any(|other| beats(other, &it)));
    designs.iter().map(unbeaten).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(designs: &[[f64; 3]], wanted: &[bool]) {
        let designs: Vec<_> = designs
            .iter()
            .map(|it| Some(it.map(Between::exact)))
            .collect();
        assert_eq!(efficient(&designs), wanted);
    }

    #[test]
    fn nobody_is_better_than_the_efficient() {
        // Each is best in one thing; the last is beaten by the first.
        check(
            &[
                [1.0, 5.0, 5.0],
                [5.0, 1.0, 5.0],
                [5.0, 5.0, 1.0],
                [2.0, 5.0, 5.0],
            ],
            &[true, true, true, false],
        );
        // As good in two things, better in the third: enough.
        check(&[[1.0, 1.0, 1.0], [1.0, 1.0, 2.0]], &[true, false]);
        // Equal ones do not beat each other.
        check(
            &[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 4.0]],
            &[true, true, false],
        );
        check(&[[9.0, 9.0, 9.0]], &[true]);
        check(&[], &[]);
    }

    #[test]
    fn intervals_that_overlap_are_equal() {
        let exact = Between::exact(1.0);
        let timed = |lo, hi| Some([exact, Between::timed(lo, hi)]);
        // 10 to 12 and 11 to 13 may be the same; 14 is later than both.
        let all = [timed(10.0, 12.0), timed(11.0, 13.0), timed(14.0, 15.0)];
        assert_eq!(efficient(&all), [true, true, false]);
        // Ends that touch overlap.
        assert_eq!(
            efficient(&[timed(10.0, 12.0), timed(12.0, 13.0)]),
            [true, true]
        );
        // Overlapping in time, fewer bytes: the bytes decide.
        let smaller = Some([Between::exact(0.5), Between::timed(11.5, 20.0)]);
        assert_eq!(efficient(&[timed(10.0, 12.0), smaller]), [false, true]);
    }

    #[test]
    fn a_peak_that_may_be_higher_beats_nobody() {
        let of = |bytes, peak| Some([Between::exact(bytes), peak]);
        let sampled = Between::within(1.0, 1.025);
        // Fewer bytes, and perhaps as even: perhaps not.
        let all = [of(20.0, sampled), of(50.0, Between::exact(1.0))];
        assert_eq!(efficient(&all), [true, true]);
        // Surely more even, and surely as even.
        let all = [of(20.0, sampled), of(50.0, Between::exact(1.03))];
        assert_eq!(efficient(&all), [true, false]);
        let all = [of(20.0, sampled), of(10.0, Between::exact(1.0))];
        assert_eq!(efficient(&all), [false, true]);
    }

    #[test]
    fn what_is_not_known_neither_wins_nor_beats() {
        let known = Some([Between::exact(2.0), Between::exact(2.0)]);
        let unknown = Some([Between::exact(1.0), Between::timed(f64::NAN, 1.0)]);
        assert_eq!(efficient(&[known, unknown, None]), [true, false, false]);
    }
}
