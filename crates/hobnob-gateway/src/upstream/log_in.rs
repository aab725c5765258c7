//! A login that a caller is asked for in the middle of a call: the page to visit, and its end.
//!
//! The dispatch of a tool asks for it where its caller can be shown a page. The answer to the local user
//! comes to a port of this machine, that to others to a page of the listener, if there is one.

use crate::upstream::connection_state::{ConnectionState, ResourceEvents};
use crate::upstream::host::ConnectionCallers;
use crate::upstream::launch::{Greeting, LaunchOwner};
use crate::upstream::oauth_settings::oauth_builder;
use crate::upstream::page_login::LoginStage;
use crate::upstream::server::Upstream;
use hobnob_config::ServerSpec;
use hobnob_mcp_auth::{LoginPrompt, LoopbackLogin};
use hobnob_mcp_engine::Principal;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The port that the answer of a login comes to, unless the entry names one or it is taken. Always
/// the same, so that one registration serves all logins.
pub const LOGIN_PORT: u16 = 41_815;

/// How long it may take until there is a page to visit.
const PAGE_WAIT: Duration = Duration::from_secs(30);

impl Upstream {
    /// The page on which this principal logs in; begins a login if none of theirs is under way. `None`
    /// if there is no page to visit.
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

    /// Greets the server with somebody to ask, and lets go of it again: what comes of the login is in
    /// the store.
    async fn log_in(&self, principal: &Principal, stage: &watch::Sender<LoginStage>) {
        let configured = self.configured();
        let Ok((spec, effective)) = &configured.spec else { return };
        let launcher = self.context.launcher.read().unwrap_or_else(PoisonError::into_inner).clone();
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
                tracing::info!(server = self.name(), %why, "nobody logged in");
            }
        }
        authorizer.close().await;
    }

    /// How this principal is asked; nothing where their browser cannot reach us.
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
