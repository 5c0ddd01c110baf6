//! Files between measuring and reporting: the only thing that passes from one to the other.

mod row;
mod run;
mod strategies;

pub use row::{ArcRow, ContractRow, CriterionRow, Row, Status, TimedRow};
pub use run::{FileEntry, Machine, MadeBy, Run};
pub use strategies::{CapabilitiesEntry, Compared, HashEntry, ParamEntry, StrategyEntry};
