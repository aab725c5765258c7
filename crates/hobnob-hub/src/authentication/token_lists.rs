//! Filters lists for bearers of static tokens: scopes never grow, so they see what they may use.
//!
//! Tokens of logins can be extended (step-up), and clients extend them only for tools that they
//! know: their lists are complete.

use hobnob_gateway::catalog::ListKind;
use hobnob_gateway::{ListAccess, ListFilter};
use hobnob_mcp_auth::resource_server::{AccessRights, NamedOwners, StaticTokenSource};
use hobnob_mcp_engine::Principal;
use hobnob_mcp_types::{Method, MethodName, Params};
use serde_json::json;
use std::sync::Arc;

/// Looks up the token of a caller.
#[derive(Debug)]
pub struct TokenLists {
    tokens: Arc<dyn StaticTokenSource>,
    owners: Arc<dyn NamedOwners>,
}

impl TokenLists {
    pub(super) fn new(tokens: Arc<dyn StaticTokenSource>, owners: Arc<dyn NamedOwners>) -> Self {
        Self { tokens, owners }
    }
}

impl ListAccess for TokenLists {
    fn filter(
        &self,
        principal: &Principal,
        profile: Option<&str>,
        kind: ListKind,
    ) -> Option<ListFilter> {
        let (_, tokens) = self.tokens.current();
        let token = tokens.iter().find(|token| token.principal == *principal)?;
        let rights = AccessRights::of(&token.scopes);
        let prefix = profile.map(|name| format!("/p/{name}")).unwrap_or_default();
        if rights.check_all(&prefix).is_ok() {
            return None;
        }
        let owners = Arc::clone(&self.owners);
        let (method, member) = match kind {
            ListKind::Tools => (Method::ToolsCall, "name"),
            ListKind::Prompts => (Method::PromptsGet, "name"),
            ListKind::Resources | ListKind::Templates => (Method::ResourcesRead, "uri"),
        };
        let method = MethodName::Known(method);
        let may_use = move |key: &str| {
            // The same check that a call would have to pass.
            let params = Params::from_json(json!({ member: key }).to_string());
            params.is_ok_and(|params| rights.check(&*owners, &prefix, &method, &params).is_ok())
        };
        // Names without an owner need a scope for everything; with it, no filter is needed.
        let is_needed = member == "uri" || !may_use("");
        is_needed.then(|| Box::new(may_use) as ListFilter)
    }
}
