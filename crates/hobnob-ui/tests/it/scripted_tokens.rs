//! Tokens that a test gives and takes, for the listener of principals.

use crate::page_hub::PageHub;
use crate::requests::{Browser, PageRequest, opened, post};
use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_mcp_http::{
    Authentication, ChallengeReason, HttpLimits, Identity, IdentityRefusal, TokenGate,
};
use hobnob_mcp_types::{Method, MethodName, Params};
use hobnob_ui::PageConnection;
use http::HeaderValue;
use parking_lot::Mutex;
use serde_json::json;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// The principals of tokens, as they are now. A token that begins with `work` counts only for the
/// profile `work`, and one that ends with `list` only for lists.
#[derive(Debug, Default)]
pub(crate) struct Tokens(pub(crate) Mutex<BTreeMap<String, String>>);

#[derive(Debug)]
struct Bearer {
    principal: Principal,
    only_lists: bool,
}

impl Identity for Bearer {
    fn principal(&self) -> &Principal {
        &self.principal
    }

    fn check(&self, _: &str, method: &MethodName, _: &Params) -> Result<(), Box<str>> {
        match self.only_lists && *method != MethodName::Known(Method::ToolsList) {
            true => Err("call".into()),
            false => Ok(()),
        }
    }

    fn check_all(&self, _: &str) -> Result<(), Box<str>> {
        Ok(())
    }
}

impl Authentication for Tokens {
    fn recall(&self, _: &str, _: &str) -> Option<Arc<dyn Identity>> {
        None
    }

    fn verify<'a>(
        &'a self,
        token: &'a str,
        prefix: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Identity>, IdentityRefusal>> {
        let known = self.0.lock().get(token).cloned();
        Box::pin(std::future::ready(match known {
            None => Err(IdentityRefusal::Invalid),
            Some(_) if token.starts_with("work") && prefix != "/p/work" => {
                Err(IdentityRefusal::OtherAudience)
            }
            Some(name) => Ok(Arc::new(Bearer {
                principal: Principal::named(&name),
                only_lists: token.ends_with("list"),
            }) as Arc<dyn Identity>),
        }))
    }

    fn challenge(&self, _: &str, _: &ChallengeReason) -> Option<HeaderValue> {
        None
    }
}

/// A page for bearers of these tokens, each with its principal.
pub(crate) fn shared_hub(
    tokens: &[(&str, &str)],
    connection: PageConnection,
    audit: Option<PathBuf>,
) -> (PageHub, Arc<Tokens>) {
    let known = tokens.iter().map(|(token, name)| ((*token).to_owned(), (*name).to_owned()));
    let tokens = Arc::new(Tokens(Mutex::new(known.collect())));
    let limits =
        HttpLimits { requests_per_minute: NonZeroUsize::new(10_000), ..HttpLimits::default() };
    let gate = TokenGate::new(Arc::clone(&tokens) as _, &limits);
    (PageHub::for_bearers(gate, connection, audit), tokens)
}

/// The request that signs in.
pub(crate) fn signing_in(token: &str) -> PageRequest {
    post("/ui/api/session").json(&json!({ "token": token }))
}

/// The browser of a principal.
pub(crate) async fn signed_in(hub: &PageHub, token: &str) -> Browser {
    opened(&signing_in(token).send(hub).await)
}
