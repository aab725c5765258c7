//! A login in the middle of a call: the page to visit, and its end.
//!
//! The dispatch of a tool asks for it if the caller's client can show a page. The redirect after a
//! login goes to a port on this machine for the local user, to a page of the listener for others.

use crate::upstream::connection_state::{ConnectionState, ResourceEvents};
use crate::upstream::host::ConnectionCallers;
use crate::upstream::launch::{Greeting, LaunchOwner};
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
        let mut stage = self.page_logins.join(principal, |sender| {
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
        let Ok((spec, effective)) = &configured.spec else { return };
        let launcher = self.context.launcher.read().clone();
        let built = oauth_builder(spec, principal, &launcher.logins);
        let Ok(Some(builder)) = built else { return };
        let Some(prompt) = self.login_prompt(spec, principal, stage) else { return };
        let authorizer = builder.shared_prompt(prompt).build();
        let (log, callers) = (self.log(), ConnectionCallers::Many);
        let owner = LaunchOwner {
            tasks: &self.context.tasks.tracker,
            log: &log,
            callers,
            authorizer: Some(Arc::clone(&authorizer)),
        };
        let new_state = || {
            let events = Arc::clone(&self.context.events) as Arc<dyn ResourceEvents>;
            ConnectionState::new(self.name(), principal, events)
        };
        let greeting = Greeting { era: self.era(), time: launcher.handshake };
        match launcher.launch(spec, effective, greeting, &owner, new_state).await {
            Ok(launched) => launched.remote.close(),
            Err(why) => {
                let why = configured.conceal(&why);
                tracing::info!(server = self.name(), %why, "the login was not completed");
            }
        }
        authorizer.close().await;
    }

    /// The prompt for this principal; `None` if their browser cannot reach this hub.
    fn login_prompt(
        &self,
        spec: &ServerSpec,
        principal: &Principal,
        stage: &watch::Sender<LoginStage>,
    ) -> Option<Arc<dyn LoginPrompt>> {
        let shown = stage.clone();
        let show = move |page: &str| {
            shown.send_replace(LoginStage::Page(page.to_owned()));
        };
        if *principal != Principal::anonymous() {
            let pages = self.context.login_pages.get()?;
            return Some(pages.prompt(principal, self.name(), Box::new(show)));
        }
        let prompt = LoopbackLogin::new(move |page| show(page.as_str()));
        Some(Arc::new(match spec.oauth.as_ref().and_then(|oauth| oauth.callback_port) {
            Some(port) => prompt.port(port).as_localhost(),
            None => prompt.port(LOGIN_PORT),
        }))
    }
}
