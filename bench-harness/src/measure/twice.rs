//! One strategy entered twice: two look-ups between which there is no difference to find.

use super::{
    Stopped,
    grid::{Contender, Part, Request},
    progress::Progress,
    timing,
};

/// What the rounds showed of one strategy that was entered twice.
#[derive(Clone, PartialEq, Debug)]
pub struct Twice {
    /// Its spec.
    pub strategy: String,
    /// Nanoseconds a look-up, one a round, of either entry.
    pub rounds: [Vec<f64>; 2],
}

/// Times look-ups of so many pairs, each strategy of `request` in turn, at its first size: routers,
/// rounds and order of turns are those of a comparison, both entries are built apart, and every pair
/// has rounds and an order of its own. A strategy that cannot serve that size is passed over.
///
/// # Errors
///
/// When it was interrupted.
pub fn twice(request: &Request, pairs: usize, progress: &Progress) -> Result<Vec<Twice>, Stopped> {
    let request = Request {
        parts: vec![Part::Lookup],
        ..request.clone()
    };
    let n = request.profile.sizes.first().copied().unwrap_or(1);
    let keys = request.key_set.keys(0, timing::TIMED_KEYS);
    let serves = |it: &&Contender| timing::serves(&request, it, n);
    let contenders: Vec<&Contender> = request.contenders.iter().filter(serves).collect();
    progress.phase("A/A", pairs * request.profile.rounds as usize);
    let mut found = Vec::new();
    for (contender, pair) in contenders.iter().cycle().zip(0..pairs) {
        let timed = timing::look_ups(&request, [*contender; 2], n, &keys, pair as u64, progress)?;
        found.push(Twice {
            strategy: contender.spec.to_string(),
            rounds: timed,
        });
    }
    progress.end_phase();
    Ok(found)
}
