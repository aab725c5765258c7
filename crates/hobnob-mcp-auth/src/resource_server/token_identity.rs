//! The identity of a request with a verified token: its principal, and what the token allows.

use std::fmt;
use std::sync::Arc;

use hobnob_mcp_engine::Principal;
use hobnob_mcp_http::Identity;
use hobnob_mcp_types::{MethodName, Params};

use super::scope_rules::{AccessRights, NamedOwners};

/// The bearer of a verified token.
pub(super) struct TokenIdentity {
    principal: Principal,
    rights: AccessRights,
    owners: Arc<dyn NamedOwners>,
}

impl TokenIdentity {
    pub(super) fn new(
        principal: Principal,
        rights: AccessRights,
        owners: &Arc<dyn NamedOwners>,
    ) -> Self {
        Self { principal, rights, owners: Arc::clone(owners) }
    }

    #[cfg(test)]
    pub(super) fn for_tests(name: &str, scopes: &str) -> Self {
        let rights = AccessRights::of(&crate::scopes::Scopes::parse(scopes));
        let owners: Arc<dyn NamedOwners> = Arc::new(super::scope_rules::NoOwners);
        Self::new(Principal::named(name), rights, &owners)
    }
}

impl fmt::Debug for TokenIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenIdentity({})", self.principal.as_str())
    }
}

impl Identity for TokenIdentity {
    fn principal(&self) -> &Principal {
        &self.principal
    }

    fn check(&self, prefix: &str, method: &MethodName, params: &Params) -> Result<(), Box<str>> {
        self.rights.check(&*self.owners, prefix, method, params)
    }

    fn check_all(&self, prefix: &str) -> Result<(), Box<str>> {
        self.rights.check_all(prefix)
    }
}
