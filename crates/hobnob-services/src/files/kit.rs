//! The file service as a `BuiltInService`: its kit, its events and its background work.

use super::housekeeping::CLEAN_INTERVAL;
use super::resources::with_resources;
use super::service::{FileService, PresentedFiles, ShownTools};
use super::sysmcp;
use super::tools::with_tools;
use crate::built_in::{BuiltInService, KitChange, ServiceEvent, ServiceEvents};
use crate::presentation::{Dialect, Presentation};
use hobnob_mcp_engine::{BoxFuture, ClientId, Interest, Principal, Subscriber};
use hobnob_mcp_toolbox::{Kit, KitError};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl BuiltInService for FileService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let presented =
            PresentedFiles { service: self.clone(), presentation: Arc::new(presentation.clone()) };
        let kit = Kit::service(Self::NAME).with_state(presented).may_subscribe(
            |files: &PresentedFiles, who, uri| files.service.may_subscribe(who, uri),
        );
        match (presentation.dialect, self.shown_tools()) {
            // Listed even before anything is granted; a refused call says what to grant.
            (Dialect::SysMcp, _) => sysmcp::with_tools(kit).build(),
            (Dialect::Native, ShownTools::Nothing) => kit.build(),
            (Dialect::Native, shown) => with_resources(with_tools(kit, shown)).build(),
        }
    }

    fn grants_changed(&self) -> KitChange {
        let grants = self.parts.access.grants();
        self.parts.folders.keep(&grants.all_file_roots());
        self.parts.watch.follow_grants(&grants, &self.parts.folders);
        let now = self.shown_tools();
        let mut shown = self.parts.shown.lock();
        match std::mem::replace(&mut *shown, now) == now {
            true => KitChange::Same,
            false => KitChange::Changed,
        }
    }

    fn events(&self) -> Option<ServiceEvents> {
        self.parts.watch.events()
    }

    /// Unnamed callers on this machine were checked when the watch of the resource began.
    fn may_learn_of_event(&self, event: &ServiceEvent, principal: &Principal) -> bool {
        let ServiceEvent::Contents(uri) = event;
        let who = Subscriber { client: ClientId::OURSELVES, principal };
        self.may_subscribe(who, uri)
    }

    fn interest(&self, uri: &str, interest: Interest) {
        self.parts.watch.interest(uri, interest, &self.parts.access, &self.parts.folders);
    }

    fn run(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        let parts = &self.parts;
        let clean = async {
            let mut ticks = tokio::time::interval(CLEAN_INTERVAL);
            loop {
                ticks.tick().await;
                parts.housekeeping.clean_if_due(&parts.folders, CLEAN_INTERVAL).await;
            }
        };
        Box::pin(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = parts.watch.run(&parts.access, &parts.folders) => {}
                () = clean => {}
            }
        })
    }
}
