//! Other people's crates behind our contract: the harness, given more strategies.
//!
//! A peer is a strategy like any other: the contract suite, balance, movement and look-ups. Its module holds
//! the calls of its crate and nothing else; what all adapters share is in `adapter` and `hashing`. What each
//! promises is what its own pages promise.

mod adapter;
mod anchorhash;
mod choose_k;
mod conhash;
mod consistent_hash_ring;
mod hash_rings;
mod hashing;
mod hashring;
mod intern;
mod jump;
mod ketama;
mod maglev;
mod mpchash;
mod pingora_ketama;
mod rendezvous;

use router::Strategy;

/// The race of the peers against ours: who, at which sizes, and what is demanded.
pub const RACE: &str = include_str!("../race.toml");

/// The peers, by module.
pub fn peers() -> impl Iterator<Item = &'static Strategy> {
    let modules = [
        anchorhash::STRATEGIES,
        choose_k::STRATEGIES,
        conhash::STRATEGIES,
        consistent_hash_ring::STRATEGIES,
        hash_rings::STRATEGIES,
        hashring::STRATEGIES,
        jump::STRATEGIES,
        ketama::STRATEGIES,
        maglev::STRATEGIES,
        mpchash::STRATEGIES,
        pingora_ketama::STRATEGIES,
        rendezvous::STRATEGIES,
    ];
    modules.into_iter().flatten()
}
