//! The program with the strategies of this repository and the peers.

use std::process::ExitCode;

use bench_harness::{measure::CountingAlloc, program};

/// Counts heap bytes for `memory`.
#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

fn main() -> ExitCode {
    let strategies = registry::strategies().chain(ringmark_peers::peers());
    program::main(strategies, Some(ringmark_peers::RACE))
}
