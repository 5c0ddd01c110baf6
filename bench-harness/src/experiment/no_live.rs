//! In place of the experiments against real servers, where this program was built without them.

use anyhow::{Result, bail};

use super::{Findings, Setup};

pub(super) fn homework_in_redis(_: &Setup<'_>) -> Result<Findings> {
    refuse()
}

pub(super) fn storm_in_memcached(_: &Setup<'_>) -> Result<Findings> {
    refuse()
}

fn refuse() -> Result<Findings> {
    bail!("--live: this program was built without the feature `live`")
}
