//! Pages of logins for callers who are not at this machine, where the hub has an address for them.
//!
//! The binary hands them over when its listener opens; a login in the middle of a call uses them.

use hobnob_mcp_auth::LoginPrompt;
use hobnob_mcp_engine::Principal;
use std::fmt;
use std::sync::Arc;

/// Gets the address of a page that is to be visited.
pub type ShowPage = Box<dyn Fn(&str) + Send + Sync>;

/// Makes the prompt of a login: for whom, to which server, and who gets the address of its page.
type MakePrompt = dyn Fn(&Principal, &str, ShowPage) -> Arc<dyn LoginPrompt> + Send + Sync;

/// Has named principals log in on pages that their browsers reach.
#[derive(Clone)]
pub struct LoginPages(Arc<MakePrompt>);

impl LoginPages {
    /// Pages whose prompts are made like this. A prompt must make sure that whoever visits its page is
    /// the principal.
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
