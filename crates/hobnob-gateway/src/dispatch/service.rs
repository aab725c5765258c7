//! The gateway as one view's clients are answered by it: the pair that every file here works on.
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
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What requests of all views share.
pub(crate) struct DispatchContext {
    pub(crate) identity: Arc<HubIdentity>,
    pub(crate) recorder: Recorder,
    /// The rests of results that were too large.
    pub(crate) spills: Mutex<SpillStore>,
    pub(crate) followed_tasks: FollowedTasks,
    /// Whether tools may run: what people were asked and have not answered yet.
    pub(crate) open_consents: OpenConsents,
    /// The same of what the owner was asked about calls of others.
    pub(crate) owner_questions: OwnerQuestions,
    /// The folder for what is too long to be shown in a question.
    pub(crate) questions: PathBuf,
    /// Whether an answer that holds until a restart makes sense.
    pub(crate) until_restart: UntilRestart,
    /// Where a rule goes that a person wants to hold always.
    pub(crate) rules_file: PathBuf,
    /// Entries on one page of a list.
    pub(crate) page: NonZeroUsize,
    pub(crate) first_starts: Arc<FirstStartTasks>,
    pub(crate) config_reader: Arc<ConfigReader>,
    pub(crate) poller: Arc<Poller>,
    pub(crate) status: Arc<StatusReader>,
    /// How often tools were called.
    pub(crate) tool_uses: ToolUses,
    /// Set where a model is installed.
    pub(crate) tool_vectors: OnceLock<Arc<ToolVectors>>,
    /// Set where callers may be able to use less than there is.
    pub(crate) list_access: OnceLock<Arc<dyn ListAccess>>,
    /// Set where lists depend on a store.
    pub(crate) stored_lists: OnceLock<Arc<dyn StoredLists>>,
    /// Set where built-ins can be switched off.
    pub(crate) switched_off: OnceLock<SwitchedOff>,
}

/// Says of a service whose tools are not there which command switches it on.
pub(crate) type SwitchedOff = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl DispatchContext {
    /// Reads what was configured, granted or stored since the views were made. No tool depends on what
    /// is stored.
    pub(super) async fn catch_up(&self, kind: ListKind) {
        self.config_reader.read_if_changed();
        match (kind, self.stored_lists.get()) {
            (ListKind::Tools, _) | (_, None) => {}
            (_, Some(lists)) => lists.catch_up().await,
        }
    }

    pub(super) fn spills(&self) -> MutexGuard<'_, SpillStore> {
        self.spills.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The gateway as one view's clients are answered by it.
#[derive(Clone)]
pub struct GatewayService {
    pub(crate) context: Arc<DispatchContext>,
    pub(crate) view: Arc<View>,
}

impl GatewayService {
    /// The view it answers for, as `Gateway::replace_kit` wants it.
    pub fn view(&self) -> ViewId {
        self.view.id
    }
}

impl std::fmt::Debug for GatewayService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GatewayService({:?})", self.view)
    }
}
