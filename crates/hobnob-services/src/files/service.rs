//! The file service: its parts, and the checks and errors that all its handlers share.

use super::housekeeping::Housekeeping;
use super::watching::ResourceWatch;
use crate::machine_access::{MachineAccess, subject, subject_of};
use crate::presentation::{Failure, Presentation};
use hobnob_machine::files::{GrantedFolders, HiddenFolders};
use hobnob_mcp_engine::{Principal, Subscriber};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::{FileOperation, FileRoot, FileWish, MachineService, RootAccess, ServiceAccess};
use parking_lot::Mutex;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Most actions that run at once; the others wait for their turn.
const MAX_ACTIONS: usize = 16;
/// Most searches that run at once; each uses several threads.
const MAX_SEARCHES: usize = 2;

/// The files in the folders that a person granted. Cheap to clone.
#[derive(Clone)]
pub struct FileService {
    pub(super) parts: Arc<ServiceParts>,
}

/// The state that all clones share.
pub(super) struct ServiceParts {
    pub(super) access: MachineAccess,
    pub(super) folders: Arc<GrantedFolders>,
    pub(super) actions: Arc<Semaphore>,
    pub(super) searches: Arc<Semaphore>,
    pub(super) watch: ResourceWatch,
    pub(super) housekeeping: Housekeeping,
    /// The tools that the kits showed last.
    pub(super) shown: Mutex<ShownTools>,
}

/// Which tools a kit has under the current grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownTools {
    /// No tools: no folder is granted to any caller.
    Nothing,
    /// The tools that only read.
    Reading,
    /// All tools of the service.
    All,
}

impl FileService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "files";

    /// Makes the service. The `hidden` folders are Hobnob's own: no caller ever sees them, even if
    /// a grant includes them.
    pub fn new(access: MachineAccess, hidden: impl IntoIterator<Item = PathBuf>) -> Self {
        let shown = Mutex::new(shown_tools(&access));
        Self {
            parts: Arc::new(ServiceParts {
                access,
                folders: Arc::new(GrantedFolders::new(HiddenFolders::new(hidden))),
                actions: Arc::new(Semaphore::new(MAX_ACTIONS)),
                searches: Arc::new(Semaphore::new(MAX_SEARCHES)),
                watch: ResourceWatch::new(),
                housekeeping: Housekeeping::default(),
                shown,
            }),
        }
    }

    /// Whether a client may learn that a file changed. Watched files are granted to unnamed callers
    /// on this machine; a named or remote caller needs a grant of its own, as for reading.
    pub(super) fn may_subscribe(&self, who: Subscriber<'_>, uri: &str) -> bool {
        let nameless = *who.principal == Principal::anonymous();
        if !uri.starts_with("file:") || who.client.is_local() && nameless {
            return true;
        }
        let wish = FileWish { path: uri.to_owned(), operation: FileOperation::Stat };
        self.parts.access.grants().permit_file(subject_of(who), wish).is_ok()
    }

    /// The tools that kits show under the current grants.
    pub(super) fn shown_tools(&self) -> ShownTools {
        shown_tools(&self.parts.access)
    }
}

fn shown_tools(access: &MachineAccess) -> ShownTools {
    let grants = access.grants();
    if grants.all_file_roots().is_empty() {
        return ShownTools::Nothing;
    }
    match grants.access(MachineService::Files) {
        ServiceAccess::Disabled => ShownTools::Nothing,
        ServiceAccess::ReadOnly => ShownTools::Reading,
        ServiceAccess::ReadWrite => ShownTools::All,
    }
}

impl fmt::Debug for FileService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileService").field("access", &self.parts.access).finish_non_exhaustive()
    }
}

/// The service in one presentation; every handler works with this. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedFiles {
    pub(super) service: FileService,
    pub(super) presentation: Arc<Presentation>,
}

impl PresentedFiles {
    pub(super) fn parts(&self) -> &ServiceParts {
        &self.service.parts
    }

    /// The folders granted to a caller, by path. A folder inside another granted one is left out,
    /// since the outer one contains it.
    pub(super) fn roots(&self, context: &CallContext) -> Vec<Arc<FileRoot>> {
        let mut roots = self.parts().access.grants().file_roots(subject(context.caller()));
        roots.sort_by(|one, other| one.path().cmp(other.path()));
        let mut outermost: Vec<Arc<FileRoot>> = Vec::new();
        for root in roots {
            if !outermost.iter().any(|above| root.path().starts_with(above.path())) {
                outermost.push(root);
            }
        }
        outermost
    }

    /// The caller's access to a granted folder: only reading while the service is read-only.
    pub(super) fn access_to(&self, root: &FileRoot) -> &'static str {
        match self.parts().access.grants().access(MachineService::Files) {
            ServiceAccess::ReadWrite => root.access().as_str(),
            ServiceAccess::ReadOnly | ServiceAccess::Disabled => RootAccess::Read.as_str(),
        }
    }

    /// The error for a well-formed request that cannot be carried out.
    pub(super) fn invalid(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, message)
    }
}
