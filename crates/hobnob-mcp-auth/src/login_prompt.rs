//! How a person sees the login page, and how its answer comes back: the port for login prompts.
//!
//! The flow begins a prompt before it registers, since the redirect is part of a registration.

use hobnob_mcp_engine::BoxFuture;
use reqwest::Url;

use crate::error::AuthError;

/// Has a person log in: in a browser on this machine, by a link, or automatically in a test.
pub trait LoginPrompt: Send + Sync + 'static {
    /// Prepares to receive the answer of one login.
    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn PendingLogin>, AuthError>>;
}

/// A login that is ready to receive its answer.
pub trait PendingLogin: Send {
    /// The redirect that receives the answer: on this machine, or an https address.
    fn redirect(&self) -> &str;

    /// Shows the page and waits for the answer: the full callback URL that the person was sent to.
    ///
    /// The page's URL is https, or http on this machine. Open it in a browser; never pass it to a
    /// shell.
    fn answer(self: Box<Self>, page: Url) -> BoxFuture<'static, Result<String, AuthError>>;
}
