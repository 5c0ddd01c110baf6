//! Processor time and real time of a piece of work.

use std::time::Instant;

/// Seconds that a piece of work took, as Ruby's `Benchmark` has them.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Times {
    pub(super) real: f64,
    /// User and system, where the system tells.
    processor: Option<(f64, f64)>,
}

impl Times {
    /// `user`, `system`, `total`, `real`.
    pub(super) fn columns(&self) -> [(&'static str, Option<f64>); 4] {
        [
            ("user", self.processor.map(|it| it.0)),
            ("system", self.processor.map(|it| it.1)),
            ("total", self.processor.map(|it| it.0 + it.1)),
            ("real", Some(self.real)),
        ]
    }

    /// All of them together.
    pub(super) fn sum(all: &[Self]) -> Self {
        all.iter().fold(Self::default(), |sum, it| Self {
            real: sum.real + it.real,
            processor: match (sum.processor, it.processor) {
                (Some(a), Some(b)) => Some((a.0 + b.0, a.1 + b.1)),
                (a, b) => a.or(b),
            },
        })
    }
}

/// Does `work` on this thread; how long it took.
pub(super) fn timed(work: impl FnOnce()) -> Times {
    let (before, since) = (processor(), Instant::now());
    work();
    let (real, after) = (since.elapsed().as_secs_f64(), processor());
    let processor = before.zip(after);
    Times {
        real,
        processor: processor.map(|(before, after)| (after.0 - before.0, after.1 - before.1)),
    }
}

/// User and system seconds of this thread so far (of the process, where threads are not told apart).
#[cfg(unix)]
fn processor() -> Option<(f64, f64)> {
    use nix::sys::{
        resource::{UsageWho, getrusage},
        time::TimeValLike as _,
    };
    #[cfg(target_os = "linux")]
    const WHO: UsageWho = UsageWho::RUSAGE_THREAD;
    #[cfg(not(target_os = "linux"))]
    const WHO: UsageWho = UsageWho::RUSAGE_SELF;
    let usage = getrusage(WHO).ok()?;
    let seconds = |time: nix::sys::time::TimeVal| time.num_microseconds() as f64 / 1e6;
    Some((seconds(usage.user_time()), seconds(usage.system_time())))
}

#[cfg(not(unix))]
fn processor() -> Option<(f64, f64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up() {
        let work = || {
            std::hint::black_box((0..1000_u64).sum::<u64>());
        };
        let each = [timed(work), timed(work)];
        let [(_, user), (_, system), (_, total), (_, real)] = Times::sum(&each).columns();
        assert_eq!(total, user.zip(system).map(|(user, system)| user + system));
        assert_eq!(real, Some(each[0].real + each[1].real));
    }
}
