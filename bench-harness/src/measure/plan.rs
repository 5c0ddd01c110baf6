//! What a change of the user's own cluster would move, for several strategies side by side.
//!
//! ```text
//!   a thread of its own      all cores                        at the end
//!   reads ahead --batches--> owners before, after --counts--> the books, PlanEntry
//! ```
//!
//! Nothing is kept by key: what is kept is a count for each pair of nodes between which keys moved.
//! The counts of the threads are added up, so how many there are changes nothing.

mod count;
mod feed;
mod figures;
mod resize;

use std::io::{self, Write};

use rayon::prelude::*;

use super::{Interrupted, Progress};
use crate::{
    record::PlanEntry,
    workload::{self, RecordReader, Records},
};
use count::Counts;
use feed::Feed;
pub use resize::{Resize, Target};

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// An entry a resize, in their order.
    pub plans: Vec<PlanEntry>,
    /// What a person should know of the keys, a sentence each.
    pub notes: Vec<String>,
}

/// Why a plan ended without a result.
#[derive(Debug)]
pub enum Fault {
    /// The user interrupted it.
    Interrupted,
    /// The keys cannot be read.
    Keys(workload::Error),
    /// The moves cannot be written.
    Moves(io::Error),
    /// The books do not balance: a fault of the harness, or of a strategy that answers with nodes
    /// that are not there. Which strategy, and which identity.
    Books(String),
}

impl From<Interrupted> for Fault {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

/// Counts what each of `resizes` moves of the keys that `reader` has left.
///
/// The keys that the first one moves are written to `moves`, a line each: key, old owner, new owner,
/// in the order of the keys. Memory does not grow with the keys, unless a strategy knows load: then
/// they are all held at once.
///
/// # Errors
///
/// When it was interrupted, a file cannot be read or written, or the books do not balance.
pub fn run(
    resizes: &[Resize],
    reader: RecordReader,
    progress: &Progress,
    mut moves: Option<&mut dyn Write>,
) -> Result<Found, Fault> {
    progress.phase_of_bytes("keys", reader.size());
    let n_threads = rayon::current_num_threads();
    let whole = resizes.iter().any(Resize::knows_load);
    let mut feed = Feed::start(reader, whole, n_threads);
    let fresh = || -> Vec<Counts> { resizes.iter().map(Counts::new).collect() };
    let mut counts: Vec<Vec<Counts>> = (0..n_threads).map(|_| fresh()).collect();
    let list_moves = moves.is_some();
    loop {
        let batches: Vec<Records> = feed.next(n_threads, progress)?;
        if batches.is_empty() {
            break;
        }
        let lists: Vec<Vec<u8>> = batches
            .par_iter()
            .zip(&mut counts)
            .map(|(batch, counts)| {
                let mut list = Vec::new();
                for (place, (resize, counts)) in resizes.iter().zip(counts).enumerate() {
                    let list = (list_moves && place == 0).then_some(&mut list);
                    resize.count(batch, counts, list);
                }
                list
            })
            .collect();
        if let Some(moves) = &mut moves {
            for list in lists {
                moves.write_all(&list).map_err(Fault::Moves)?;
            }
        }
    }
    progress.end_phase();
    let mut sums = fresh();
    for counts in counts {
        for (sum, counts) in sums.iter_mut().zip(counts) {
            sum.add(counts);
        }
    }
    let weighed = feed.weighed();
    let plans = resizes.iter().zip(&sums);
    let plans = plans.map(|(resize, counts)| figures::entry(resize, counts, weighed));
    Ok(Found {
        plans: plans.collect::<Result<_, _>>().map_err(Fault::Books)?,
        notes: feed.notes(),
    })
}
