//! What a lane asks: a whole cluster with its checks, or a router alone.
//!
//! Every change of a cluster goes over its list of members, whatever the strategy does then. How a
//! strategy's own cost grows is seen on its router alone, which is told lists that were made before
//! the clock starts.

use std::{hint::black_box, time::Instant};

use router::{Cluster, Members, NodeId, NodeSpec, Router, Spec, Step};

use super::alloc::heap_bytes;
use crate::workload::NodeNames;

/// Changes for which lists of members are made.
const TURNS: usize = 6;

/// What a lane asks.
pub(super) enum Asked<'a> {
    Whole(Whole),
    Alone(Alone<'a>),
}

impl Asked<'_> {
    pub(super) fn router(&self) -> &dyn Router {
        match self {
            Self::Whole(it) => it.cluster.router(),
            Self::Alone(it) => &*it.router,
        }
    }

    /// Builds it anew; nanoseconds.
    pub(super) fn build(&mut self, spec: &Spec) -> Result<f64, router::Error> {
        match self {
            Self::Whole(it) => it.build(spec),
            Self::Alone(it) => it.build(spec),
        }
    }

    /// Adds a node and removes one; nanoseconds of each that was done.
    pub(super) fn change(&mut self, spec: &Spec) -> [Option<f64>; 2] {
        match self {
            Self::Whole(it) => it.change(spec),
            Self::Alone(it) => it.change(spec),
        }
    }
}

/// A whole cluster.
pub(super) struct Whole {
    nodes: Vec<NodeSpec>,
    /// Who joins in `add_ns`.
    newcomer: String,
    cluster: Cluster,
}

impl Whole {
    /// The cluster of these nodes; why not, where the strategy refuses it.
    pub(super) fn new(nodes: Vec<NodeSpec>, cluster: Cluster) -> Result<Self, String> {
        let newcomer = NodeNames::new(0)
            .find(|name| cluster.id(name).is_none())
            .ok_or("no name is left for a newcomer")?;
        Ok(Self {
            nodes,
            newcomer,
            cluster,
        })
    }

    fn build(&mut self, spec: &Spec) -> Result<f64, router::Error> {
        let (built, ns) = clocked(|| Cluster::build(black_box(spec), black_box(&self.nodes)));
        self.cluster = built?;
        Ok(ns)
    }

    /// On a clone.
    fn change(&self, spec: &Spec) -> [Option<f64>; 2] {
        let mut changed = self.cluster.clone();
        let (done, ns) = clocked(|| changed.add(self.newcomer.as_str()));
        let added = done.is_ok().then_some(ns);
        let leaving = if spec.capabilities().any_removal {
            &self.nodes[self.nodes.len() / 2].name
        } else {
            &self.newcomer
        };
        let (done, ns) = clocked(|| changed.remove(leaving));
        black_box(&changed);
        [added, done.is_ok().then_some(ns)]
    }
}

/// Members of one size, and those before and after each of a few changes: made once, for all routers.
#[derive(Debug)]
pub(crate) struct Lists {
    start: Members,
    /// One after the other: who is in the middle leaves, and joins again behind all others.
    middle: Vec<Turn>,
    /// The last leaves; then it is as at the start again.
    last: NodeId,
    without_last: Members,
}

#[derive(Debug)]
struct Turn {
    who: NodeId,
    without: Members,
    with: Members,
}

impl Lists {
    /// The lists of these nodes, with ids as every cluster of them has, shown by a cluster of `spec`.
    ///
    /// # Errors
    ///
    /// When it refuses the nodes, or the loss of one.
    pub(crate) fn new(spec: &Spec, nodes: &[NodeSpec]) -> Result<Self, router::Error> {
        let mut cluster = Cluster::build(spec, nodes)?;
        let start = cluster.nodes().clone();
        let changed = |cluster: &mut Cluster, name: &str, leaves: bool| {
            match leaves {
                true => cluster.remove(name)?,
                false => cluster.add(name)?,
            }
            Ok::<_, router::Error>(cluster.nodes().clone())
        };
        let last = start.last().expect("a size is at least 1").clone();
        let without_last = changed(&mut cluster, &last.name, true)?;
        changed(&mut cluster, &last.name, false)?;
        let mut middle = Vec::new();
        for _ in 0..TURNS {
            let node = cluster.nodes()[cluster.nodes().len() / 2].clone();
            middle.push(Turn {
                who: node.id,
                without: changed(&mut cluster, &node.name, true)?,
                with: changed(&mut cluster, &node.name, false)?,
            });
        }
        Ok(Self {
            last: last.id,
            start,
            middle,
            without_last,
        })
    }

    /// How many members there are at the start.
    pub(crate) fn n(&self) -> u64 {
        self.start.len() as u64
    }
}

/// A router alone.
pub(super) struct Alone<'a> {
    lists: &'a Lists,
    router: Box<dyn Router>,
    /// How many of the changes it has gone through since it was built.
    place: usize,
    /// What the newly built router holds, where the program counts.
    pub(super) bytes: Option<u64>,
}

impl<'a> Alone<'a> {
    /// The router of the list's members, and what building it took; why not, where the strategy
    /// refuses them.
    pub(super) fn new(spec: &Spec, lists: &'a Lists) -> Result<(Self, f64), String> {
        let n = lists.start.len();
        if let Some(max) = spec
            .capabilities()
            .max_nodes
            .filter(|&it| (it as usize) < n)
        {
            return Err(format!("it holds at most {max} nodes"));
        }
        let ((router, ns), bytes) = heap_bytes(|| clocked(|| spec.router(&lists.start)));
        let alone = Self {
            lists,
            router: router.map_err(|why| why.to_string())?,
            place: 0,
            bytes,
        };
        Ok((alone, ns))
    }

    fn build(&mut self, spec: &Spec) -> Result<f64, router::Error> {
        let (built, ns) = clocked(|| spec.router(black_box(&self.lists.start)));
        self.router = built?;
        self.place = 0;
        Ok(ns)
    }

    /// One leaves and joins again, in the router itself; nothing once the lists are used up.
    fn change(&mut self, spec: &Spec) -> [Option<f64>; 2] {
        let lists = self.lists;
        let (who, without, with) = if spec.capabilities().any_removal {
            let Some(turn) = lists.middle.get(self.place) else {
                return [None; 2];
            };
            (turn.who, &turn.without, &turn.with)
        } else {
            (lists.last, &lists.without_last, &lists.start)
        };
        self.place += 1;
        let router = &mut self.router;
        let ((), removed) = clocked(|| router.update(black_box(without), &[Step::Remove(who)]));
        let ((), added) = clocked(|| router.update(black_box(with), &[Step::Add(who)]));
        [Some(added), Some(removed)]
    }
}

/// What `work` made, and nanoseconds that it took.
fn clocked<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let made = black_box(work());
    (made, start.elapsed().as_nanos() as f64)
}
