//! What every strategy is asked alike: nodes, keys, changes and popularity, drawn by seed or read
//! from files.
//!
//! ```text
//!   seed --stream(seed, purpose)--> node names      changes
//!                                   keys            popularity
//! ```
//!
//! Every list is a function of its seed and of nothing else: not of the strategy, the machine, the
//! number of threads or the order of calls. Another program can make the same lists; what it needs
//! is written at [`stream`], [`below`], [`NodeNames`], [`KeySet`] and [`Scenario`].

mod changes;
mod csv_input;
mod difference;
mod error;
mod events;
mod files;
mod input;
mod keys;
mod lists;
mod node_file;
mod nodes;
mod popularity;
mod records;
mod requests;
mod rng;
mod views;

pub use changes::{LossOrder, Scenario, change_text, inverse, two_orders};
pub use difference::difference;
pub use error::Error;
pub use events::{Act, Event, Happening, Step, read_events, steps};
pub use files::{KeyReader, MAX_KEY, MAX_KEY_FILE, read_keys};
pub use input::shown;
pub use keys::{KeyFile, KeySet};
pub use lists::{ListPlan, NodeList};
pub use node_file::{MAX_NODE_FILE, NodesFormat, read_nodes, read_nodes_as};
pub use nodes::{NodeNames, node_names};
pub use popularity::{Popularity, ranks, whole_requests, zipf_shares};
pub use records::{Columns, RecordReader, Records};
pub use requests::{RequestLog, Requests, SeededRequests, Traffic};
pub use rng::{Purpose, below, stream};
pub use views::View;
