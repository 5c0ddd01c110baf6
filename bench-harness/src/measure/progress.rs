//! Where a run stands: progress for a person, and where the time went.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use router::Spec;

/// The run was interrupted; nothing was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

/// Shows how far a run is, on standard error and only if that is a terminal; remembers how long
/// each phase took; and knows whether the user wants it to stop.
#[derive(Debug, Default)]
pub struct Progress {
    stop: AtomicBool,
    bar: Mutex<Option<(ProgressBar, &'static str, Instant)>>,
    timings: Mutex<Vec<(&'static str, Duration)>>,
    spent: Mutex<BTreeMap<String, Duration>>,
}

impl Progress {
    /// Nothing done yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a phase of so many steps; the one before ends.
    pub fn phase(&self, name: &'static str, steps: usize) {
        self.end_phase();
        let bar = ProgressBar::new(steps as u64).with_style(
            ProgressStyle::with_template("{prefix:<12} {bar:30} {pos}/{len}, {eta} left")
                .expect("the template is well-formed"),
        );
        bar.set_prefix(name);
        *lock(&self.bar) = Some((bar, name, Instant::now()));
    }

    /// Begins a phase of so many bytes; of an unknown number where the input is a pipe.
    pub fn phase_of_bytes(&self, name: &'static str, size: Option<u64>) {
        self.end_phase();
        let (bar, template) = match size {
            Some(size) => (
                ProgressBar::new(size),
                "{prefix:<12} {bar:30} {bytes}/{total_bytes}, {eta} left",
            ),
            None => (
                ProgressBar::no_length(),
                "{prefix:<12} {bytes}, {bytes_per_sec}",
            ),
        };
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        let bar = bar.with_style(style);
        bar.set_prefix(name);
        *lock(&self.bar) = Some((bar, name, Instant::now()));
    }

    /// So many bytes of the phase are done.
    pub fn at_byte(&self, n: u64) {
        if let Some((bar, ..)) = &*lock(&self.bar) {
            bar.set_position(n);
        }
    }

    /// One more step is done.
    pub fn step(&self) {
        self.steps(1);
    }

    /// So many more steps are done.
    pub fn steps(&self, n: usize) {
        if let Some((bar, ..)) = &*lock(&self.bar) {
            bar.inc(n as u64);
        }
    }

    /// Ends the phase that runs, if one does.
    pub fn end_phase(&self) {
        if let Some((bar, name, since)) = lock(&self.bar).take() {
            bar.finish_and_clear();
            lock(&self.timings).push((name, since.elapsed()));
        }
    }

    /// How long each phase took, in order.
    #[must_use]
    pub fn timings(&self) -> Vec<(&'static str, Duration)> {
        lock(&self.timings).clone()
    }

    /// Adds what one thread spent on measuring a strategy.
    pub fn spent(&self, strategy: &Spec, since: Instant) {
        let mut spent = lock(&self.spent);
        *spent.entry(strategy.to_string()).or_default() += since.elapsed();
    }

    /// What all threads together spent on each strategy, by its canonical spec, the most first.
    #[must_use]
    pub fn by_strategy(&self) -> Vec<(String, Duration)> {
        let mut spent: Vec<(String, Duration)> = lock(&self.spent).clone().into_iter().collect();
        spent.sort_by_key(|&(_, took)| std::cmp::Reverse(took));
        spent
    }

    /// Asks the run to stop at the next step.
    pub fn interrupt(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the run is to go on.
    ///
    /// # Errors
    ///
    /// When it was interrupted.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Interrupted);
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
