//! The registry service: its parts, and the one path from a request to its result.

use crate::machine_access::MachineAccess;
use crate::presentation::{Failure, Presentation};
use hobnob_machine::registry::{KeyOutcome, Registry, RegistryError};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::KeyWish;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

/// Most programs that run at once. A change waits for all of them: Wine saves when none runs.
const SLOTS: u32 = 4;

/// The registry of this machine. Cheap to clone.
#[derive(Clone)]
pub struct RegistryService {
    pub(super) machine: MachineAccess,
    pub(super) registry: Option<Arc<Registry>>,
    slots: Arc<Semaphore>,
}

impl RegistryService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "registry";

    /// `registry` is `None` on a machine without one.
    pub fn new(machine: MachineAccess, registry: Option<Registry>) -> Self {
        let slots = Arc::new(Semaphore::new(SLOTS as usize));
        Self { machine, registry: registry.map(Arc::new), slots }
    }
}

impl fmt::Debug for RegistryService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryService").field("registry", &self.registry).finish_non_exhaustive()
    }
}

/// The service in one presentation; every handler works with this. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedRegistry {
    pub(super) service: RegistryService,
    pub(super) presentation: Arc<Presentation>,
}

/// The result of a request: the normalised key, and what was found or done there.
pub(super) struct KeyResult {
    pub(super) key: String,
    pub(super) outcome: KeyOutcome,
}

/// Whether a request changes the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WishEffect {
    /// Several of them may run at once.
    Reads,
    /// It runs while no other request does.
    Changes,
}

impl PresentedRegistry {
    /// Carries out a request, if it is still granted after the wait for a slot.
    pub(super) async fn perform(
        &self,
        context: &CallContext,
        effect: WishEffect,
        wish: KeyWish,
    ) -> Result<KeyResult, ToolError> {
        let Some(registry) = self.service.registry.clone() else {
            return Err(self.presentation.fail(
                Failure::NotFound,
                "there is no registry on this machine; where Wine is installed, a person can name \
                 its prefix in config.toml: [registry] wine_prefix",
            ));
        };
        let slots = match effect {
            WishEffect::Reads => 1,
            WishEffect::Changes => SLOTS,
        };
        let slot = Arc::clone(&self.service.slots).acquire_many_owned(slots).await;
        let permit = self
            .service
            .machine
            .permit(context, &self.presentation, |grants, who| grants.permit_key(who, wish))?;
        let key = permit.request().key().to_string();
        let cancelled = Arc::new(AtomicBool::new(false));
        let guard = CancelOnDrop(Arc::clone(&cancelled));
        let working = tokio::task::spawn_blocking(move || {
            // Held until the programs have ended, even if the call is dropped before.
            let _slot = slot;
            registry.perform(&permit, &cancelled)
        });
        let done = working.await;
        drop(guard);
        match done {
            Ok(Ok(outcome)) => Ok(KeyResult { key, outcome }),
            Ok(Err(error)) => Err(self.refused(&key, &error)),
            Err(error) => {
                tracing::error!(%error, "an action on the registry ended early");
                Err(self.presentation.fail(Failure::Storage, "the registry cannot be used"))
            }
        }
    }

    fn refused(&self, key: &str, error: &RegistryError) -> ToolError {
        let failure = match error {
            RegistryError::Missing => Failure::NotFound,
            RegistryError::Refused
            | RegistryError::Unusable(_)
            | RegistryError::TooMuch
            | RegistryError::Cancelled => Failure::Invalid,
            RegistryError::Late(_) | RegistryError::Unreadable => Failure::Storage,
            RegistryError::NotRun(error) => {
                tracing::error!(%error, "the program of the registry cannot be run");
                Failure::Storage
            }
        };
        self.presentation.fail(failure, format!("`{key}`: {error}"))
    }

    /// The error for a well-formed request that cannot be carried out.
    pub(super) fn invalid(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, message)
    }
}

/// Ends the programs of a call when it is dropped.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
