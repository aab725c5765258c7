//! A person whom a client sends to the page of a login, and who does there what a test says. The tests
//! of `hobnob` use it, too.

use hobnob_mcp_auth::{AuthError, LoginPrompt, PendingLogin, Url};
use hobnob_mcp_engine::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Visits a page, and returns the redirect with which the login ends.
type Visit = dyn Fn(Url) -> BoxFuture<'static, Result<String, AuthError>> + Send + Sync;

/// The person, and how often they were sent to a page.
#[derive(Clone)]
pub(crate) struct Person {
    visit: Arc<Visit>,
    logins: Arc<AtomicUsize>,
}

impl Person {
    pub(crate) fn new(
        visit: impl Fn(Url) -> BoxFuture<'static, Result<String, AuthError>> + Send + Sync + 'static,
    ) -> Self {
        Self { visit: Arc::new(visit), logins: Arc::default() }
    }

    pub(crate) fn logins(&self) -> usize {
        self.logins.load(Ordering::SeqCst)
    }
}

impl LoginPrompt for Person {
    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn PendingLogin>, AuthError>> {
        Box::pin(async move { Ok(Box::new(self.clone()) as Box<dyn PendingLogin>) })
    }
}

impl PendingLogin for Person {
    fn redirect(&self) -> &str {
        "http://127.0.0.1:9/callback"
    }

    fn answer(self: Box<Self>, page: Url) -> BoxFuture<'static, Result<String, AuthError>> {
        self.logins.fetch_add(1, Ordering::SeqCst);
        (self.visit)(page)
    }
}
