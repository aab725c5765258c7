//! The services of this process: opened once, shown in every view that includes them.
//!
//! `compose` opens them, views take kits from them, the notifier follows their store. A failing
//! store affects only the services that use it.

use super::context::ServiceContext;
use super::registry;
use super::task_store::ViewTaskStore;
use crate::grants::GrantReader;
use anyhow::Context as _;
use hobnob_config::{Places, Settings};
use hobnob_mcp_engine::{SealKey, random_bytes};
use hobnob_mcp_tasks::TaskStore;
use hobnob_policy::audit::AuditLog;
use hobnob_policy::{MachineService, ServiceAccess};
use hobnob_services::{BuiltInService, GrantSource as _};
use hobnob_store::{Instance, Store, StoreError};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Every enabled service, and the store behind them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Services {
    all: Arc<[Arc<dyn BuiltInService>]>,
    /// The grants that machine services decide by.
    grants: Arc<GrantReader>,
    /// `None` if no enabled service needs a store.
    shared: Option<SharedStore>,
}

/// The store, and this process's instance among all that share it.
#[derive(Clone)]
struct SharedStore {
    store: Arc<dyn Store>,
    /// `None` if the data folder is not writable.
    instance: Option<Arc<Instance>>,
    folder: PathBuf,
}

impl Services {
    /// Opens the services that the settings do not disable.
    pub(crate) fn open(
        places: &Places,
        settings: &Settings,
        audit: Option<Arc<AuditLog>>,
    ) -> anyhow::Result<Self> {
        let context = ServiceContext::new(places, settings, audit);
        let grants = Arc::clone(&context.grants);
        let all = registry::open_all(&context)?.into();
        let shared = context.opened_store().map(|store| {
            let folder = places.data_dir.clone();
            let instance = match Instance::start(&folder) {
                Ok(instance) => Some(Arc::new(instance)),
                Err(error) => {
                    tracing::warn!(%error, "long calls do not outlive this process");
                    None
                }
            };
            SharedStore { store, instance, folder }
        });
        Ok(Self { all, grants, shared })
    }

    /// The enabled services, in the order of the registry.
    pub(crate) fn all(&self) -> &[Arc<dyn BuiltInService>] {
        &self.all
    }

    /// The store, if some service has opened it.
    pub(crate) fn opened_store(&self) -> Option<Arc<dyn Store>> {
        self.shared.as_ref().map(|shared| Arc::clone(&shared.store))
    }

    pub(super) fn store(&self) -> Option<&dyn Store> {
        self.shared.as_ref().map(|shared| &*shared.store)
    }

    /// The key that seals the state that clients carry between rounds. All processes on this store
    /// share it, so a call may continue in another process.
    pub(crate) async fn seal_key(&self) -> anyhow::Result<Option<SealKey>> {
        let Some(store) = self.store() else { return Ok(None) };
        let fresh = random_bytes::<32>().context("there is no randomness")?;
        let bytes = match store.get_or_create("seal", fresh.to_vec()).await {
            Ok(bytes) => bytes,
            // Rounds must then end in this process.
            Err(error) => {
                tracing::debug!(%error, "the key for carried state is this process's own");
                return Ok(None);
            }
        };
        let invalid = "the store's key for carried state is not 32 bytes long";
        let bytes: [u8; 32] = bytes.try_into().ok().context(invalid)?;
        Ok(Some(SealKey::from_bytes(&bytes).context(invalid)?))
    }

    /// The store in which a view's long calls outlive the process; the plain view has no name.
    pub(crate) fn task_store(&self, view: Option<&str>) -> Option<Arc<dyn TaskStore>> {
        let shared = self.shared.as_ref()?;
        // Each long call would fail, because it must be stored before its client knows of it.
        let instance = shared.instance.as_ref().filter(|_| shared.store.unavailable().is_none())?;
        let (store, folder) = (Arc::clone(&shared.store), shared.folder.clone());
        Some(Arc::new(ViewTaskStore::new(store, Arc::clone(instance), folder, view)))
    }

    /// Reads what kits list, before the first view opens. If the store fails, views open without
    /// it, tools say why, and the lists follow once it can be read.
    pub(crate) async fn refresh(&self) {
        for service in self.all() {
            if let Err(error) = service.refresh().await {
                let error = anyhow::Error::from(error).context("the store cannot be read");
                self.report_failure(&error);
            }
        }
    }

    /// Logs a failure of the store once, and stops using a damaged one.
    pub(super) fn report_failure(&self, error: &anyhow::Error) {
        let Some(store) = self.store() else { return };
        let was_known = store.unavailable().is_some();
        if let Some(why @ StoreError::Damaged(_)) = error.downcast_ref() {
            store.give_up(why);
        }
        match was_known {
            true => tracing::debug!("the store is not available: {error:#}"),
            false => tracing::warn!(
                "memory, tasks and trees may not be available, everything else is: {error:#}"
            ),
        }
    }

    /// The command that enables a machine service, if it is disabled.
    pub(crate) fn enabling(&self, service: &str) -> Option<String> {
        let service = MachineService::parse(service)?;
        let is_off = self.grants.current().access(service) == ServiceAccess::Disabled;
        is_off.then(|| format!("hobnob enable {}", service.as_str()))
    }

    pub(super) fn grants(&self) -> &GrantReader {
        &self.grants
    }

    /// Why the store cannot be used, and why nothing is granted if the file of grants is at fault.
    pub(crate) fn problems(&self) -> Vec<String> {
        let store = self.store().and_then(|store| store.unavailable());
        store.map(|error| error.to_string()).into_iter().chain(self.grants.problem()).collect()
    }

    /// Runs the background work of all services until `stop`.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let mut running = JoinSet::new();
        for service in self.all() {
            let (service, stop) = (Arc::clone(service), stop.clone());
            running.spawn(async move { service.run(stop).await });
        }
        while let Some(ended) = running.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "the background work of a service ended early");
            }
        }
    }

    /// Lets every service write down what must not be lost.
    pub(crate) async fn close(&self) {
        for service in self.all() {
            service.close().await;
        }
    }
}
