//! Files between measuring and reporting: the only thing that passes from one to the other.

mod compat;
mod experiment;
mod files;
mod frontier;
mod plan;
mod race;
mod row;
mod run;
mod single;
pub mod source;
mod store;
mod strategies;
mod table;

pub use compat::{AgreeRow, CompatEntry, ListEntry, LossRow, RefusalEntry, Spoken, compat_files};
pub use experiment::{ClaimRow, SeriesRow, Verdict};
pub use files::data_files;
pub use frontier::{DesignRow, EnoughRow, FIELDS, TimedDesignRow, names_field};
pub(crate) use plan::share;
pub use plan::{
    Books, Flow, LoadEntry, PlanDocument, PlanEntry, PlanNode, PlanRow, Quantity, StepEntry, Steps,
    Weighed, plan_rows,
};
pub use race::{MustRow, RaceRow, Side, race_files};
pub use row::{ArcRow, ContractRow, CriterionRow, OWN_CHANGE, RawRow, Row, Status, TimedRow};
pub use run::{FileEntry, Machine, MadeBy, Run, SCHEMA};
pub use single::SingleFile;
pub(crate) use store::{MARKED_FOLDERS, is_marked};
pub use store::{NewFile, Store, read_run};
pub use strategies::{CapabilitiesEntry, Compared, HashEntry, ParamEntry, StrategyEntry};
pub use table::{Rounded, from_csv, six_digits, to_csv};
