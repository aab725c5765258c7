//! The service of chats as a built-in: its kit for a presentation, and what the store's changes
//! mean to it.
//!
//! Kits list sessions as prompts as they were read last; `refresh` reads them again.

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

    /// Only whoever has sessions needs tools for them.
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
    /// The sessions of everybody without a name, as views are not of one caller.
    async fn read_listed(&self) -> Result<Arc<[ModelSessionName]>, StoreError> {
        let access = TreeAccess { owner: Owner::default(), now: Time::now() };
        let page = PageRequest { after: None, limit: MAX_MODEL_SESSIONS };
        let page = self.parts().sessions.model_sessions(access, page).await.map_err(store_error)?;
        Ok(page.items.into_iter().map(|session| session.name).collect())
    }
}
