//! The contract: what a routing strategy is, and the suite that every strategy passes.
//!
//! A *strategy* answers one question: which node owns this key? A newcomer writes two methods of
//! [`Router`] ([`Router::update`] and [`Router::route`]) and one [`Strategy`] that describes it.
//! Everything else is done once, for all strategies alike:
//!
//! ```text
//!   "ring:vnodes=100" --Catalog::parse--> Spec --Cluster::build--> Cluster --route(key)--> NodeId
//!                                                                  |  checks every change,
//!                                                                  |  gives every name its id
//!                                                                  v
//!                                                                Router  (the strategy itself)
//! ```
//!
//! # Examples
//!
//! ```
//! use router::{Capabilities, Catalog, Cluster, Members, NodeId, NodeSpec, Router, Step, Strategy};
//!
//! #[derive(Clone, Default)]
//! struct FirstByte {
//!     owners: Vec<NodeId>,
//! }
//!
//! impl Router for FirstByte {
//!     fn update(&mut self, members: &Members, _steps: &[Step]) {
//!         self.owners = members.iter().map(|node| node.id).collect();
//!     }
//!     fn route(&self, key: &[u8]) -> NodeId {
//!         let byte = usize::from(*key.first().unwrap_or(&0));
//!         self.owners[byte % self.owners.len()]
//!     }
//! }
//!
//! static FIRST_BYTE: Strategy = Strategy {
//!     name: "first-byte",
//!     family: "example",
//!     summary: "The key's first byte modulo the nodes",
//!     source: "this example",
//!     build: |_, _, _| Ok(Box::new(FirstByte::default())),
//!     ..Strategy::DEFAULT
//! };
//!
//! let catalog = Catalog::new([&FIRST_BYTE]).unwrap();
//! let spec = catalog.parse("first-byte").unwrap();
//! let mut cluster = Cluster::build(&spec, &["a".into(), "b".into()]).unwrap();
//! let owner = cluster.route(b"key").unwrap();
//! assert_eq!(cluster.name(owner), Some("b"));
//! cluster.remove("b").unwrap();
//! assert_eq!(cluster.name(cluster.route(b"key").unwrap()), Some("a"));
//! ```

mod change;
mod cluster;
mod error;
mod keys;
mod node;
mod params;
mod routing;
mod spec;
mod strategy;
pub mod suite;
mod theory;

pub use change::{Change, NodeSpec};
pub use cluster::Cluster;
pub use error::{Error, ErrorKind};
pub use keys::{KeyBuf, Keys};
pub use node::{Members, Node, NodeId, check_name};
pub use params::{Param, ParamKind, ParamRole, Params};
pub use routing::{Point, Position, Router, RouterClone, Step, Trace};
pub use spec::{Catalog, Spec};
pub use strategy::{
    BuildFn, Capabilities, HashFn, Role, Sizes, Strategy, WeightSupport, check_points,
};
pub use theory::{Estimate, Question};

/// The most points, table entries or slots that a router may hold; a spec that asks for more is
/// refused before anything is built.
pub const MAX_POINTS: u64 = 1 << 27;
