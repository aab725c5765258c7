//! A login in the middle of a call: the page to visit, and its end.
//!
//! The dispatch of a tool asks for it if the caller's client can show a page. The redirect after a
//! login goes to a port on this machine for the local user, to a page of the listener for others.

use crate::upstream::host::ConnectionCallers;
use crate::upstream::oauth_settings::oauth_builder;
use crate::upstream::page_login::LoginStage;
use crate::upstream::server::Upstream;
use hobnob_config::ServerSpec;
use hobnob_mcp_auth::{LoginPrompt, LoopbackLogin};
use hobnob_mcp_engine::Principal;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The port for the redirect after a login, unless the entry names another or it is taken. It is
/// fixed so that one client registration serves all logins.
pub const LOGIN_PORT: u16 = 41_815;

/// The longest wait for a page to visit.
const PAGE_WAIT: Duration = Duration::from_secs(30);

impl Upstream {
    /// The page on which this principal logs in; starts a login unless one is under way. `None` if
    /// there is no page to visit.
    pub(crate) async fn login_page(self: &Arc<Self>, principal: &Principal) -> Option<String> {
        let mut stage = self.logins.pages.join(principal, |sender| {
            let (upstream, principal) = (Arc::clone(self), principal.clone());
            self.context.tasks.tracker.spawn(async move {
                tokio::select! {
                    () = upstream.context.tasks.stop.cancelled() => {}
                    () = upstream.log_in(&principal, &sender) => {}
                }
                sender.send_replace(LoginStage::Ended);
            });
        });
        let ready = stage.wait_for(|stage| *stage != LoginStage::Begun);
        let ready = tokio::time::timeout(PAGE_WAIT, ready).await.ok()?.ok()?;
        match &*ready {
            LoginStage::Page(page) => Some(page.clone()),
            LoginStage::Begun | LoginStage::Ended => None,
        }
    }

    /// Greets the server with a login prompt and closes the connection again: the grant ends up in
    /// the store.
    async fn log_in(&self, principal: &Principal, stage: &watch::Sender<LoginStage>) {
        let configured = self.configured();
        let Ok((spec, _)) = &configured.spec else { return };
        let built = oauth_builder(spec, principal, &self.logins.store);
        let Ok(Some(builder)) = built else { return };
        let shown = stage.clone();
        let show = move |page: &str| drop(shown.send_replace(LoginStage::Page(page.to_owned())));
        let prompt: Arc<dyn LoginPrompt> = if *principal == Principal::anonymous() {
            loopback_prompt(spec, show)
        } else {
            // The browser of a named principal may reach this hub only through its listener.
            let Some(pages) = self.context.login_pages.get() else { return };
            pages.prompt(principal, self.name(), Box::new(show))
        };
        let authorizer = builder.shared_prompt(prompt).build();
        let (callers, shared) = (ConnectionCallers::Many, Some(Arc::clone(&authorizer)));
        match self.greet(&configured, principal, callers, shared).await {
            Ok(launched) => launched.remote.close(),
            Err(why) => {
                tracing::info!(server = self.name(), %why, "the login was not completed");
            }
        }
        authorizer.close().await;
    }
}

/// A prompt for a person at this machine.
fn loopback_prompt(
    spec: &ServerSpec,
    show: impl Fn(&str) + Send + Sync + 'static,
) -> Arc<dyn LoginPrompt> {
    let prompt = LoopbackLogin::new(move |page| show(page.as_str()));
    Arc::new(match spec.oauth.as_ref().and_then(|oauth| oauth.callback_port) {
        Some(port) => prompt.port(port).as_localhost(),
        None => prompt.port(LOGIN_PORT),
    })
}
