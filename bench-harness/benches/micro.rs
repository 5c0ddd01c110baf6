//! Criterion over every strategy, in full: `just bench-micro [FILTER]`.

use bench_harness::{measure::Contender, micro};
use criterion::Criterion;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let contenders = Contender::all(&registry::catalog(), false);
    micro::look_ups(&mut criterion, &contenders, micro::NODES);
    criterion.final_summary();
}
