//! The context that services are opened with. The store is opened when the first service asks for
//! it, so no file is touched while no service needs one.

use super::models::open_models;
use crate::grants::GrantReader;
use crate::store::{open_store_or_retry, store_on_demand};
use hobnob_config::{ConfinementLevel, Places, Settings};
use hobnob_llm::{ModelDirectory, ResolvedModel};
use hobnob_mcp_process::supervisor::Level;
use hobnob_policy::audit::AuditLog;
use hobnob_services::MachineAccess;
use hobnob_store::Store;
use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

/// Folders, settings, the store and the audit log, while services are opened.
pub(super) struct ServiceContext<'a> {
    pub(super) places: &'a Places,
    pub(super) settings: &'a Settings,
    /// `None` if the settings disable the audit log.
    pub(super) audit: Option<Arc<AuditLog>>,
    pub(super) grants: Arc<GrantReader>,
    store: OnceCell<Arc<dyn Store>>,
    models: OnceCell<ModelDirectory>,
}

impl<'a> ServiceContext<'a> {
    pub(super) fn new(
        places: &'a Places,
        settings: &'a Settings,
        audit: Option<Arc<AuditLog>>,
    ) -> Self {
        let grants = Arc::new(GrantReader::new(places, audit.clone()));
        Self { places, settings, audit, grants, store: OnceCell::new(), models: OnceCell::new() }
    }

    /// The providers of the settings, shared by all services.
    pub(super) fn models(&self) -> anyhow::Result<ModelDirectory> {
        if let Some(models) = self.models.get() {
            return Ok(models.clone());
        }
        let models = open_models(self.settings)?;
        Ok(self.models.get_or_init(|| models).clone())
    }

    /// The default model of the settings. If it cannot be used, this logs why and returns `None`,
    /// for services that work without one.
    pub(super) fn default_model(&self) -> Option<ResolvedModel> {
        let name = self.settings.models.default.as_deref()?;
        let found = self.models().and_then(|models| Ok(models.resolve(name)?));
        found.map_err(|error| tracing::warn!("[models] default cannot be used: {error:#}")).ok()
    }

    /// The supervision level for programs; `None` means the best that works.
    pub(super) fn level(&self) -> Option<Level> {
        match self.settings.confinement.level {
            ConfinementLevel::Auto => None,
            ConfinementLevel::Namespace => Some(Level::Namespace),
            ConfinementLevel::Subreaper => Some(Level::Subreaper),
            ConfinementLevel::Group => Some(Level::Group),
        }
    }

    /// Hobnob's own folders, which no program of an assistant may see or be granted.
    pub(super) fn own_folders(&self) -> Vec<PathBuf> {
        self.places.own_folders()
    }

    /// The grants and the audit log for a machine service.
    pub(super) fn machine(&self) -> MachineAccess {
        MachineAccess::new(Arc::clone(&self.grants) as _, self.audit.clone())
    }

    /// The store of this user, shared by all services. A store that cannot be opened now answers
    /// with errors and opens as soon as it can.
    pub(super) fn store(&self) -> Arc<dyn Store> {
        let open = || open_store_or_retry(self.places, &self.settings.limits);
        Arc::clone(self.store.get_or_init(open))
    }

    /// The same store for a service that may never need it: unless opened by then, it opens with
    /// the first record that is read or written. Call it after all calls of [`Self::store`].
    pub(super) fn store_on_demand(&self) -> Arc<dyn Store> {
        let unopened = || store_on_demand(self.places, &self.settings.limits);
        self.store.get().map_or_else(unopened, Arc::clone)
    }

    /// The store, if a service has asked for it.
    pub(super) fn opened_store(self) -> Option<Arc<dyn Store>> {
        self.store.into_inner()
    }
}
