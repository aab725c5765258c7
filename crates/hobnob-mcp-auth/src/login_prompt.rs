//! How a person gets to the page of a login, and its answer back: a port for whoever shows it.
//!
//! The flow begins a prompt before it registers, since the redirect is part of a registration.

use hobnob_mcp_engine::BoxFuture;
use reqwest::Url;

use crate::error::AuthError;

/// Has a person log in: in a browser on this machine, by a link, or in a test by itself.
pub trait LoginPrompt: Send + Sync + 'static {
    /// Gets ready for the answer of one login.
    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn PendingLogin>, AuthError>>;
}

/// A login that is ready for its answer.
pub trait PendingLogin: Send {
    /// Where the answer comes: on this machine, or an https address.
    fn redirect(&self) -> &str;

    /// Shows the page and waits for the answer: the whole address that the person was sent to.
    ///
    /// The address is an https one, or an http one of this machine. It is for a browser, and must
    /// not be handed to a shell.
    fn answer(self: Box<Self>, page: Url) -> BoxFuture<'static, Result<String, AuthError>>;
}
