//! Login pages for callers on other machines, if the hub has an address for them.
//!
//! The binary provides them when its listener opens; a login in the middle of a call uses them.

use hobnob_mcp_auth::LoginPrompt;
use hobnob_mcp_engine::Principal;
use std::fmt;
use std::sync::Arc;

/// Receives the address of the page to visit.
pub type ShowPage = Box<dyn Fn(&str) + Send + Sync>;

/// Makes a login prompt from the principal, the server, and the receiver of the address.
type MakePrompt = dyn Fn(&Principal, &str, ShowPage) -> Arc<dyn LoginPrompt> + Send + Sync;

/// Lets named principals log in on pages that their browsers can reach.
#[derive(Clone)]
pub struct LoginPages(Arc<MakePrompt>);

impl LoginPages {
    /// Pages with prompts from `make`. Each prompt must verify that the visitor of its page is the
    /// principal.
    pub fn new(
        make: impl Fn(&Principal, &str, ShowPage) -> Arc<dyn LoginPrompt> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(make))
    }

    pub(super) fn prompt(
        &self,
        principal: &Principal,
        server: &str,
        show: ShowPage,
    ) -> Arc<dyn LoginPrompt> {
        (self.0)(principal, server, show)
    }
}

impl fmt::Debug for LoginPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoginPages")
    }
}
