//! Finds the server to log in to by its name, or says why it has no login.
//!
//! `login` and `logout` begin here.

use crate::commands::scope::{typed_name, unknown};
use hobnob_config::{
    Approvals, ConfiguredServer, Places, ServerSpec, Servers, process_environment,
};
use hobnob_gateway::{needs_person, oauth_builder, why_no_login};
use hobnob_mcp_auth::{FileGrantStore, OAuthBuilder};
use hobnob_mcp_engine::Principal;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_text::shell_word;
use std::sync::Arc;

/// A server that has a login.
pub(in crate::commands) struct LoggableServer {
    pub(in crate::commands) configured: ConfiguredServer,
    spec: ServerSpec,
    principal: Principal,
    store: Arc<FileGrantStore>,
}

/// Finds the server; an error says why there is no login to it, and what to do instead.
pub(in crate::commands) fn find(
    places: &Places,
    name: &str,
    principal: Option<&str>,
) -> anyhow::Result<LoggableServer> {
    let name = typed_name(name)?;
    let servers = Servers::load(places, &process_environment);
    let Some(server) = servers.get(name.as_str()) else {
        return Err(unknown(places, name.as_str()));
    };
    let approvals = Approvals::load(&places.approvals());
    let approved = approvals.is_ok_and(|it| server.is_approved(&places.project, &it));
    if !approved && server.origin == hobnob_config::Origin::Project {
        let why = format!(
            "server `{name}` comes from the project and was never approved; look at it and approve \
             it first: hobnob approve {}",
            shell_word(name.as_str())
        );
        return Err(Ended::new(Code::Denied, why).into());
    }
    let spec = match &server.state {
        Ok(spec) => spec.clone(),
        Err(problem) => return Err(Ended::new(Code::Failed, problem.to_string()).into()),
    };
    let store = Arc::new(FileGrantStore::new(places.logins()));
    let principal = principal.map_or_else(Principal::anonymous, Principal::named);
    let found = LoggableServer { configured: server.clone(), spec, principal, store };
    // Fail before anything happens if the server has no login.
    drop(found.builder()?);
    Ok(found)
}

impl LoggableServer {
    pub(in crate::commands) fn name(&self) -> &str {
        self.configured.name.as_str()
    }

    pub(in crate::commands) fn spec(&self) -> &ServerSpec {
        &self.spec
    }

    /// Whether a person has to log in; otherwise Hobnob logs in by itself.
    pub(in crate::commands) fn needs_person(&self) -> bool {
        needs_person(&self.spec)
    }

    /// The port to which the browser brings the answer, if the entry names one.
    pub(in crate::commands) fn callback_port(&self) -> Option<u16> {
        self.spec.oauth.as_ref().and_then(|oauth| oauth.callback_port)
    }

    /// The settings of its login.
    pub(in crate::commands) fn builder(&self) -> anyhow::Result<OAuthBuilder> {
        let name = self.name();
        let builder = oauth_builder(&self.spec, &self.principal, &self.store)
            .map_err(|error| Ended::new(Code::Failed, format!("server `{name}`: {error}")))?;
        let why = why_no_login(&self.spec);
        builder.ok_or_else(|| Ended::usage(format!("server `{name}` {why}")).into())
    }
}
