//! What theory says of `BinomialHash`: shares that are not quite equal, exactly.

use bucket_hash::{even, gap};
use router::{Estimate, Question};

/// The shares of n buckets, one of two kinds each.
///
/// Of m places, n exist: a try is beyond n with probability s = 1 - n/m, on a given upper bucket with
/// 1/m. With r rounds an upper bucket is hit with probability (1 + s + ... + s^r)/m, which is
/// (1 - s^(r+1))/n; the rest falls evenly on the m/2 lower ones.
pub(crate) struct Shares {
    n: u64,
    /// The lowest power of two that holds n buckets, halved.
    half: u64,
    /// The part of the power of two that is not there.
    s: f64,
    /// The probability that all tries lie beyond n.
    q: f64,
}

impl Shares {
    pub(crate) fn new(n: u64, rounds: u32) -> Self {
        let s = gap(n);
        Self {
            n,
            half: n.next_power_of_two() / 2,
            s,
            q: power(s, rounds + 1),
        }
    }

    /// A bucket's share.
    pub(crate) fn of(&self, bucket: u64) -> f64 {
        let fair = if bucket < self.half {
            self.lower()
        } else {
            1.0 - self.q
        };
        fair / self.n as f64
    }

    /// The share of a lower bucket in fair shares, the largest there is.
    fn lower(&self) -> f64 {
        1.0 + self.q * (1.0 - 2.0 * self.s)
    }

    /// The share of all buckets from this one on.
    fn at_or_after(&self, first: u64) -> f64 {
        let n_upper = self.n - first.max(self.half).min(self.n);
        let n_lower = self.n - first - n_upper;
        n_upper as f64 * self.of(self.n - 1) + n_lower as f64 * self.of(0)
    }
}

/// `base` to the power `exponent`, by multiplication: rounded alike on every machine.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |power, _| power * base)
}

pub(crate) fn expected(rounds: u32, question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { n } if n > 0 => {
            let Shares { s, q, .. } = Shares::new(n, rounds);
            Some(Estimate::exact(q * q * (1.0 - 2.0 * s)))
        }
        Question::Peak { n } if n > 0 => Some(Estimate::exact(Shares::new(n, rounds).lower())),
        // As with even shares, the keys that move are those of the buckets that go or come, at the
        // larger of both numbers.
        Question::Moved { n, removed, added } => {
            even(question)?;
            let kept = n - removed;
            let most = n.max(kept + added);
            Some(Estimate::exact(Shares::new(most, rounds).at_or_after(kept)))
        }
        Question::HashEvals { n } if n > 0 => {
            let m = n.next_power_of_two() as f64;
            let Work {
                tries,
                in_lower_half,
            } = Work::new(n, rounds);
            // The key's own hash, then a rehash a place that has more than one bucket in its level;
            // of the tries all that are in the upper half are relocated.
            let relocated = |m: f64| (1.0 - 2.0 / m).max(0.0);
            Some(Estimate::exact(
                1.0 + relocated(m) + 1.5 * tries + in_lower_half * relocated(m / 2.0),
            ))
        }
        Question::Probes { n } if n > 0 => {
            let work = Work::new(n, rounds);
            Some(Estimate::exact(1.0 + work.tries + work.in_lower_half))
        }
        _ => None,
    }
}

/// What a look-up does beyond its first place, in the mean.
struct Work {
    /// Rounds.
    tries: f64,
    /// How often it ends among the lower half of the power of two.
    in_lower_half: f64,
}

impl Work {
    fn new(n: u64, rounds: u32) -> Self {
        let s = gap(n);
        // A round follows a place beyond n; half of the rounds go to the lower half at once.
        let tries = s * (1.0 - power(s, rounds)) / (1.0 - s);
        Self {
            tries,
            in_lower_half: 0.5 * tries + power(s, rounds + 1),
        }
    }
}
