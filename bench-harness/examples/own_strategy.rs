//! A strategy of another repository, compared with all of ours: `cargo run --release -p bench-harness
//! --example own_strategy`.

use bench_harness::{
    measure::{self, Contender, Part, Profile, Progress, Request},
    workload::KeySet,
};
use router::{Capabilities, Catalog, Members, NodeId, Router, Step, Strategy};

/// The node at the place that a key's length points to: a poor strategy, but one in a few lines.
#[derive(Clone, Default)]
struct ByLength(Vec<NodeId>);

impl Router for ByLength {
    fn update(&mut self, members: &Members, _: &[Step]) {
        self.0 = members.iter().map(|node| node.id).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0[key.len() % self.0.len()]
    }
}

static BY_LENGTH: Strategy = Strategy {
    name: "by-length",
    family: "example",
    summary: "The length of a key modulo the nodes",
    source: "this example",
    capabilities: |_, _| Capabilities {
        history_free: true,
        ..Capabilities::NONE
    },
    build: |_, _, _| Ok(Box::<ByLength>::default()),
    ..Strategy::DEFAULT
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let catalog = Catalog::new(registry::strategies().chain([&BY_LENGTH]))?;
    let request = Request {
        contenders: Contender::given(&catalog, &["modulo".into(), "by-length".into()])?,
        profile: Profile::quick(),
        parts: vec![Part::Balance],
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    };
    let measured = measure::run(&request, &Progress::new())?;
    for row in measured
        .contract
        .iter()
        .filter(|row| row.status == "failed")
    {
        println!("{} fails {}: {}", row.strategy, row.check, row.note);
    }
    for row in measured
        .balance
        .iter()
        .filter(|row| row.metric == "peak_to_avg")
    {
        println!("{}, {} nodes: {:?}", row.strategy, row.nodes, row.mean);
    }
    Ok(())
}
