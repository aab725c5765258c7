//! The chat service as a `BuiltInService`: its kit for a presentation, and how it reacts to changes
//! in the store.
//!
//! Kits list sessions as prompts from a snapshot, which `refresh` reads anew.

use super::prompts::with_prompts;
use super::service::{ConeService, PresentedChats, store_error};
use super::tools::with_tools;
use crate::built_in::{BuiltInService, KitChange, KitStaleness};
use crate::presentation::{ListedOwner, Presentation};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_toolbox::{Kit, KitError};
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::memory::PageRequest;
use hobnob_store::model_sessions::{MAX_MODEL_SESSIONS, ModelSessionName};
use hobnob_store::trees::TreeAccess;
use hobnob_store::{Owner, StoreError, Time};
use std::sync::Arc;

impl BuiltInService for ConeService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let presented =
            PresentedChats { service: self.clone(), presentation: Arc::new(presentation.clone()) };
        let kit = with_tools(Kit::service(Self::NAME).with_state(presented));
        with_prompts(kit, &self.listed().shown_in(presentation)).build()
    }

    /// The tools are of use only to a person who has sessions.
    fn is_everyday(&self, _tool: &str, listed: ListedOwner) -> bool {
        listed == ListedOwner::Person && !self.listed().get().is_empty()
    }

    fn refresh(&self) -> BoxFuture<'_, Result<KitChange, StoreError>> {
        Box::pin(async { Ok(self.listed().replace(self.read_listed().await?)) })
    }

    fn staleness(&self, change: &RecordChange) -> KitStaleness {
        match &change.what {
            ChangedRecord::ModelSession { .. } => KitStaleness::Stale,
            ChangedRecord::Tree { .. }
            | ChangedRecord::Memory { .. }
            | ChangedRecord::Prompt { .. }
            | ChangedRecord::Task { .. } => KitStaleness::Current,
        }
    }
}

impl ConeService {
    /// The sessions without a named owner, since a view does not belong to one caller.
    async fn read_listed(&self) -> Result<Arc<[ModelSessionName]>, StoreError> {
        let access = TreeAccess { owner: Owner::default(), now: Time::now() };
        let page = PageRequest { after: None, limit: MAX_MODEL_SESSIONS };
        let page = self.parts().sessions.model_sessions(access, page).await.map_err(store_error)?;
        Ok(page.items.into_iter().map(|session| session.name).collect())
    }
}
