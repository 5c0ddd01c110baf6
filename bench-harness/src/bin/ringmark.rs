//! The program with every strategy of this workspace.

use std::process::ExitCode;

use bench_harness::{measure::CountingAlloc, program};

/// Counts heap bytes for `memory`.
#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

fn main() -> ExitCode {
    program::main(registry::strategies(), None)
}
