//! What the owner changes about servers on the page: each request goes to the file that carries it
//! out, on a thread that may block, and the hub then reads its configuration again.
//!
//! `page` makes one for the page's server, which has verified that the owner asks.

use super::{adding, approving, logging_in, removing};
use crate::change_log::ChangeLog;
use hobnob_config::Places;
use hobnob_gateway::Gateway;
use hobnob_mcp_engine::BoxFuture;
use hobnob_policy::audit::AuditLog;
use hobnob_ui::{
    AddServers, LoginProgress, NotDone, PastePreview, ServerApproval, ServerChanges, ServerPaste,
    ServerReview, ShownEntry, StartedLogin,
};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Changes the servers of one hub.
pub(super) struct OwnerServers {
    pub(super) gateway: Arc<Gateway>,
    pub(super) places: Places,
    pub(super) audit: Option<Arc<AuditLog>>,
}

impl OwnerServers {
    /// Runs what reads the files of the configuration.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Places) -> Result<T, NotDone> + Send + 'static,
    ) -> Result<T, NotDone> {
        let places = self.places.clone();
        spawn_blocking(move || read(&places)).await.map_err(|_| panicked()).flatten()
    }

    /// Runs what changes files, then applies the change to the hub.
    async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Places, &ChangeLog) -> Result<T, NotDone> + Send + 'static,
    ) -> Result<T, NotDone> {
        let (places, log) = (self.places.clone(), ChangeLog::of(self.audit.clone()));
        let gateway = Arc::clone(&self.gateway);
        let changed = spawn_blocking(move || {
            let changed = change(&places, &log)?;
            gateway.read_again();
            Ok(changed)
        });
        changed.await.map_err(|_| panicked()).flatten()
    }
}

fn panicked() -> NotDone {
    NotDone::Failed("this failed inside Hobnob; its log has more; try again".into())
}

impl ServerChanges for OwnerServers {
    fn preview(&self, paste: ServerPaste) -> BoxFuture<'_, Result<PastePreview, NotDone>> {
        Box::pin(self.read(move |places| Ok(adding::preview(places, &paste))))
    }

    fn add(&self, request: AddServers) -> BoxFuture<'_, Result<Vec<String>, NotDone>> {
        Box::pin(self.change(move |places, log| adding::add(places, log, &request)))
    }

    fn entry<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<ShownEntry, NotDone>> {
        let server = server.to_owned();
        Box::pin(self.read(move |places| removing::shown_entry(places, &server)))
    }

    fn remove<'a>(
        &'a self,
        server: &'a str,
        digest: &'a str,
    ) -> BoxFuture<'a, Result<(), NotDone>> {
        let (server, digest) = (server.to_owned(), digest.to_owned());
        Box::pin(self.change(move |places, log| removing::remove(places, log, &server, &digest)))
    }

    fn review<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<ServerReview, NotDone>> {
        let server = server.to_owned();
        Box::pin(self.read(move |places| approving::review(places, &server)))
    }

    fn approve<'a>(
        &'a self,
        server: &'a str,
        approval: ServerApproval,
    ) -> BoxFuture<'a, Result<(), NotDone>> {
        let server = server.to_owned();
        Box::pin(
            self.change(move |places, log| approving::approve(places, log, &server, &approval)),
        )
    }

    fn begin_login<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<StartedLogin, NotDone>> {
        Box::pin(logging_in::begin(&self.gateway, &self.places, server))
    }

    fn login_progress<'a>(
        &'a self,
        server: &'a str,
    ) -> BoxFuture<'a, Result<LoginProgress, NotDone>> {
        Box::pin(logging_in::progress(&self.gateway, &self.places, server))
    }

    fn log_out<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<String, NotDone>> {
        Box::pin(logging_in::log_out(&self.gateway, &self.places, server))
    }
}
