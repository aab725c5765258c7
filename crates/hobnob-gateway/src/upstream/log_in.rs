//! A login in the middle of a call: the page to visit, and its end.
//!
//! The dispatch of a tool asks for it if the caller's client can show a page. The redirect after a
//! login goes to a port on this machine for the local user, to a page of the listener for others.

use crate::upstream::host::ConnectionCallers;
use crate::upstream::oauth_settings::{oauth_builder, why_no_login};
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

/// Why a login ends with the hub.
const STOPPING: &str = "the hub is stopping";

/// The longest wait for a page to visit.
const PAGE_WAIT: Duration = Duration::from_secs(30);

/// A login that has just begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BegunLogin {
    /// The person goes on at this page.
    Page(String),
    /// There is nothing for a person to do: the server is reached without a new login.
    NotNeeded,
}

impl Upstream {
    /// Starts a login of this principal unless one is under way, or says why there is none.
    pub(crate) async fn begin_login(
        self: &Arc<Self>,
        principal: &Principal,
    ) -> Result<BegunLogin, String> {
        self.configured().check_startable().map_err(|why| why.0)?;
        let mut stage = self.logins.pages.join(principal, |sender| {
            let (upstream, principal) = (Arc::clone(self), principal.clone());
            self.context.tasks.tracker.spawn(async move {
                let outcome = tokio::select! {
                    () = upstream.context.tasks.stop.cancelled() => Err(STOPPING.to_owned()),
                    outcome = upstream.log_in(&principal, &sender) => outcome,
                };
                sender.send_replace(LoginStage::Ended(outcome));
            });
        });
        let ready = stage.wait_for(|stage| *stage != LoginStage::Begun);
        let ready = tokio::time::timeout(PAGE_WAIT, ready).await;
        let ready = ready.map_err(|_| "it does not name a page for the login; try again later")?;
        match &*ready.map_err(|_| STOPPING)? {
            LoginStage::Page(page) => Ok(BegunLogin::Page(page.clone())),
            LoginStage::Ended(outcome) => outcome.clone().map(|()| BegunLogin::NotNeeded),
            LoginStage::Begun => Err(STOPPING.to_owned()),
        }
    }

    /// Greets the server with a login prompt and closes the connection again: the grant ends up in
    /// the store.
    async fn log_in(
        &self,
        principal: &Principal,
        stage: &watch::Sender<LoginStage>,
    ) -> Result<(), String> {
        let configured = self.configured();
        let (spec, _) = configured.spec.as_ref().map_err(Clone::clone)?;
        let built = oauth_builder(spec, principal, &self.logins.store);
        let built = built.map_err(|error| error.to_string())?;
        let builder = built.ok_or_else(|| why_no_login(spec))?;
        let shown = stage.clone();
        let show = move |page: &str| drop(shown.send_replace(LoginStage::Page(page.to_owned())));
        let prompt: Arc<dyn LoginPrompt> = if *principal == Principal::anonymous() {
            loopback_prompt(spec, show)
        } else {
            // The browser of a named principal may reach this hub only through its listener.
            let pages = self.context.login_pages.get();
            pages.ok_or("this hub has no page for it")?.prompt(
                principal,
                self.name(),
                Box::new(show),
            )
        };
        let authorizer = builder.shared_prompt(prompt).build();
        let (callers, shared) = (ConnectionCallers::Many, Some(Arc::clone(&authorizer)));
        let greeted = self.greet(&configured, principal, callers, shared).await;
        authorizer.close().await;
        match greeted {
            Ok(launched) => {
                launched.remote.close();
                Ok(())
            }
            Err(why) => {
                tracing::info!(server = self.name(), %why, "the login was not completed");
                Err(why.to_string())
            }
        }
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
