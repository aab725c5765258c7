//! The grants of a test, which it changes between calls as a person's command would.

use hobnob_policy::{GrantSet, GrantSources};
use hobnob_services::GrantSource;
use parking_lot::Mutex;

/// Grants nothing until the test sets grants.
#[derive(Default)]
pub(crate) struct TestGrants(Mutex<GrantSet>);

impl TestGrants {
    pub(crate) fn set(&self, sources: &GrantSources) {
        *self.0.lock() = GrantSet::parse(sources).unwrap();
    }
}

impl GrantSource for TestGrants {
    fn current(&self) -> GrantSet {
        self.0.lock().clone()
    }
}
