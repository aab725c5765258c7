//! Systems without cgroups: no leaf is ever made here.

use crate::limits::{MemorySupport, ProcessLimits};
use std::convert::Infallible;
use std::path::Path;

/// Other systems limit the memory of single processes only.
pub fn memory_support(_hub: Option<u32>) -> MemorySupport {
    MemorySupport::Sampled { obstacle: "only Linux has cgroups".to_owned() }
}

#[derive(Debug)]
pub(in crate::runner) struct RunnerCgroups(Infallible);

impl RunnerCgroups {
    pub(in crate::runner) fn of_this_process() -> Option<&'static Self> {
        None
    }

    pub(in crate::runner) fn leaf(&'static self, _limits: &ProcessLimits) -> Option<RunnerLeaf> {
        match self.0 {}
    }
}

#[derive(Debug)]
pub(in crate::runner) struct RunnerLeaf(Infallible);

impl RunnerLeaf {
    pub(in crate::runner) fn folder(&self) -> &Path {
        match self.0 {}
    }

    pub(in crate::runner) fn is_exceeded(&self) -> bool {
        match self.0 {}
    }

    pub(in crate::runner) fn kill_all(&self) {
        match self.0 {}
    }
}

/// Never called, because no [`RunnerCgroups`] exists.
pub(in crate::runner) async fn remove_leaves(cgroups: &'static RunnerCgroups) {
    match cgroups.0 {}
}
