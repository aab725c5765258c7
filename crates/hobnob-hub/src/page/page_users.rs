//! The users of the embedded login, as the page signs them in.
//!
//! `serve` adds them to its listener. What must stay true: an attempt on the page counts like one on
//! the login page, and is in the audit log like that.

use hobnob_mcp_auth::SecretText;
use hobnob_mcp_auth::authorization_server::{EmbeddedAuthorizationServer, SignInRefusal};
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_ui::{UserRefusal, UserSignIn};
use std::sync::Arc;

/// Signs in the users of this authorization server.
#[derive(Debug)]
struct PageUsers(Arc<EmbeddedAuthorizationServer>);

/// The users of a listener that has logins of its own.
pub fn page_users(logins: &Arc<EmbeddedAuthorizationServer>) -> Arc<dyn UserSignIn> {
    Arc::new(PageUsers(Arc::clone(logins)))
}

impl UserSignIn for PageUsers {
    fn sign_in<'a>(
        &'a self,
        user: &'a str,
        password: Box<str>,
        from: ClientId,
    ) -> BoxFuture<'a, Result<Box<str>, UserRefusal>> {
        Box::pin(async move {
            let signed_in = self.0.sign_in(user, SecretText::new(password), from).await;
            signed_in.map(|token| token.expose().into()).map_err(|why| match why {
                SignInRefusal::Wrong => UserRefusal::Wrong,
                SignInRefusal::TooOften(seconds) => UserRefusal::TooOften(seconds),
                SignInRefusal::NoResource => UserRefusal::NothingToUse,
                SignInRefusal::Unavailable => UserRefusal::Unavailable,
            })
        })
    }

    fn sign_out<'a>(&'a self, token: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(self.0.sign_out(token))
    }
}
