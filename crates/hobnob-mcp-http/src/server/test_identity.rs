//! A caller whose token permits everything, for the tests of the gates.

use super::authentication::Identity;
use hobnob_mcp_engine::Principal;
use hobnob_mcp_types::{MethodName, Params};

#[derive(Debug)]
pub(super) struct Named(pub(super) Principal);

impl Identity for Named {
    fn principal(&self) -> &Principal {
        &self.0
    }

    fn check(&self, _: &str, _: &MethodName, _: &Params) -> Result<(), Box<str>> {
        Ok(())
    }

    fn check_all(&self, _: &str) -> Result<(), Box<str>> {
        Ok(())
    }
}
