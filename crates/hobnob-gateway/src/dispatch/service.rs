//! The service that answers one view's clients, and the context that all views share.
//!
//! `Gateway::open_view` makes one for each view; `router` implements the protocol's `Service` for
//! it.

use crate::calls::record::Recorder;
use crate::catalog::ListKind;
use crate::consent::{OpenConsents, OwnerQuestions, UntilRestart};
use crate::dispatch::follow::FollowedTasks;
use crate::dispatch::list_access::ListAccess;
use crate::dispatch::stored_lists::StoredLists;
use crate::first_starts::tasks::FirstStartTasks;
use crate::identity::HubIdentity;
use crate::reload::ConfigReader;
use crate::spill::SpillStore;
use crate::status::reader::StatusReader;
use crate::tool_uses::ToolUses;
use crate::tool_vectors::ToolVectors;
use crate::view::{View, ViewId};
use crate::watch::poller::Poller;
use parking_lot::{Mutex, MutexGuard};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// What the requests of all views share.
pub(crate) struct DispatchContext {
    pub(crate) identity: Arc<HubIdentity>,
    pub(crate) recorder: Recorder,
    /// The cut-off parts of results that were too large.
    pub(crate) spills: Mutex<SpillStore>,
    pub(crate) followed_tasks: FollowedTasks,
    /// Questions to people about calls, and consents that later rounds rely on.
    pub(crate) open_consents: OpenConsents,
    /// Questions to the owner about other callers' calls.
    pub(crate) owner_questions: OwnerQuestions,
    /// The folder for arguments that are too long to be shown in a question.
    pub(crate) questions: PathBuf,
    /// Whether people are offered an answer that holds until a restart.
    pub(crate) until_restart: UntilRestart,
    /// The settings file that gets the rule when a person answers "always" or "never".
    pub(crate) rules_file: PathBuf,
    /// Entries on one page of a list.
    pub(crate) page: NonZeroUsize,
    pub(crate) first_starts: Arc<FirstStartTasks>,
    pub(crate) config_reader: Arc<ConfigReader>,
    pub(crate) poller: Arc<Poller>,
    pub(crate) status: Arc<StatusReader>,
    /// How often each tool was called.
    pub(crate) tool_uses: ToolUses,
    /// Set if an embedding model is installed.
    pub(crate) tool_vectors: OnceLock<Arc<ToolVectors>>,
    /// Set if callers may have fewer rights than the lists show.
    pub(crate) list_access: OnceLock<Arc<dyn ListAccess>>,
    /// Set if lists depend on a store.
    pub(crate) stored_lists: OnceLock<Arc<dyn StoredLists>>,
    /// Set if built-in services can be disabled.
    pub(crate) switched_off: OnceLock<SwitchedOff>,
}

/// Given a disabled service, returns the command that enables it.
pub(crate) type SwitchedOff = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl DispatchContext {
    /// Reads what was configured, granted or stored since the views were made. Tools do not depend
    /// on the store.
    pub(super) async fn catch_up(&self, kind: ListKind) {
        self.config_reader.read_if_changed();
        match (kind, self.stored_lists.get()) {
            (ListKind::Tools, _) | (_, None) => {}
            (_, Some(lists)) => lists.catch_up().await,
        }
    }

    pub(super) fn spills(&self) -> MutexGuard<'_, SpillStore> {
        self.spills.lock()
    }
}

/// The service that answers the clients of one view.
#[derive(Clone)]
pub struct GatewayService {
    pub(crate) context: Arc<DispatchContext>,
    pub(crate) view: Arc<View>,
}

impl GatewayService {
    /// The view that it answers for, as `Gateway::replace_kit` expects it.
    pub fn view(&self) -> ViewId {
        self.view.id
    }
}

impl std::fmt::Debug for GatewayService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GatewayService({:?})", self.view)
    }
}
