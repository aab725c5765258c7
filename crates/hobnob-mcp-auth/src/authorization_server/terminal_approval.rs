//! Logins approved on the machine itself: a person with access to the store types the code that the
//! page shows.
//!
//! A command of the embedding program calls this, in a process of its own. What must stay true: the
//! person sees the same facts as on the page, and the page's browser has to continue by itself.

use std::sync::Arc;

use super::failure::ServerFailure;
use super::record_store::{AuthorizationStore, Committed};
use super::records::{LoadedRecord, RequestBody, TerminalCodeBody, UserBody, load};
use super::redirect_rule::{is_loopback_redirect, shown_host};
use super::secrets::{plain_terminal_code, secret_digest};

/// A login that waits for a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLogin {
    /// The name that the client gave itself; it is not verified.
    pub client_name: Box<str>,
    /// The host whose document describes the client; without one, the client registered itself.
    pub client_host: Option<Box<str>>,
    /// The host of the redirect, where the answer goes.
    pub redirect_host: Box<str>,
    /// Whether the answer goes to a program on the browser's own machine.
    pub answers_locally: bool,
    /// The resource that the client wants to use.
    pub resource: Box<str>,
    /// The scopes that the client would get.
    pub scopes: Vec<Box<str>>,
    /// The user who has already approved it.
    pub approved_by: Option<Box<str>>,
}

/// The outcome of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalOutcome {
    /// The login is approved, and its page can go on.
    Approved,
    /// No login with this code waits any more.
    NotWaiting,
    /// No user has this name.
    NoSuchUser,
}

/// The logins of one store that wait for a decision.
#[derive(Debug, Clone)]
pub struct TerminalApprovals(Arc<dyn AuthorizationStore>);

impl TerminalApprovals {
    /// The waiting logins of this store.
    pub fn new(store: Arc<dyn AuthorizationStore>) -> Self {
        Self(store)
    }

    /// Finds the login whose page shows this code.
    pub async fn find(&self, code: &str, now: u64) -> Result<Option<WaitingLogin>, ServerFailure> {
        Ok(self.request(code, now).await?.map(|request| {
            let RequestBody { client_name, client_host, redirect, resource, scopes, .. } =
                request.body;
            WaitingLogin {
                client_name,
                client_host,
                redirect_host: shown_host(&redirect).into(),
                answers_locally: is_loopback_redirect(&redirect),
                resource,
                scopes: scopes.split_whitespace().map(Into::into).collect(),
                approved_by: request.body.approved_by,
            }
        }))
    }

    /// Approves the login with this code on behalf of this user.
    pub async fn approve(
        &self,
        code: &str,
        user: &str,
        now: u64,
    ) -> Result<ApprovalOutcome, ServerFailure> {
        if load::<UserBody>(&*self.0, user).await?.is_none() {
            return Ok(ApprovalOutcome::NoSuchUser);
        }
        let Some(mut request) = self.request(code, now).await? else {
            return Ok(ApprovalOutcome::NotWaiting);
        };
        request.body.approved_by = Some(user.into());
        let change = request.replaced(Some(request.body.valid_until))?;
        Ok(match self.0.commit(vec![change]).await? {
            Committed::Done => ApprovalOutcome::Approved,
            Committed::Conflict => ApprovalOutcome::NotWaiting,
        })
    }

    async fn request(
        &self,
        code: &str,
        now: u64,
    ) -> Result<Option<LoadedRecord<RequestBody>>, ServerFailure> {
        let key = secret_digest(&plain_terminal_code(code));
        let Some(code) = load::<TerminalCodeBody>(&*self.0, &key).await? else { return Ok(None) };
        let request = load::<RequestBody>(&*self.0, &code.body.request).await?;
        Ok(request.filter(|request| now < request.body.valid_until))
    }
}
