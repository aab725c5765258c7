//! The file service: what it is made of, and what every handler shares.

use super::housekeeping::Housekeeping;
use super::watching::ResourceWatch;
use crate::machine_access::{MachineAccess, subject, subject_of};
use crate::presentation::{Failure, Presentation};
use hobnob_machine::files::{GrantedFolders, HiddenFolders};
use hobnob_mcp_engine::{Principal, Subscriber};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::{FileOperation, FileRoot, FileWish, MachineService, RootAccess, ServiceAccess};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// Actions that run at once; the others wait for their turn.
const ACTIONS: usize = 16;
/// Searches that run at once; each uses several threads.
const SEARCHES: usize = 2;

/// Files beneath the folders that a person granted. Cheap to clone.
#[derive(Clone)]
pub struct FileService {
    pub(super) parts: Arc<ServiceParts>,
}

/// What the clones of a service share.
pub(super) struct ServiceParts {
    pub(super) access: MachineAccess,
    pub(super) folders: Arc<GrantedFolders>,
    pub(super) actions: Arc<Semaphore>,
    pub(super) searches: Arc<Semaphore>,
    pub(super) watch: ResourceWatch,
    pub(super) housekeeping: Housekeeping,
    /// What the kits showed last.
    pub(super) shown: Mutex<ShownTools>,
}

/// Which tools a kit has, by the grants of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownTools {
    /// None: nothing is granted to anybody.
    Nothing,
    /// Those that change nothing.
    Reading,
    /// All that there are.
    All,
}

impl FileService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "files";

    /// Puts it together. The `hidden` folders are Hobnob's own: no caller ever sees them, even where
    /// a grant would include them.
    pub fn new(access: MachineAccess, hidden: impl IntoIterator<Item = PathBuf>) -> Self {
        let shown = Mutex::new(shown_tools(&access));
        Self {
            parts: Arc::new(ServiceParts {
                access,
                folders: Arc::new(GrantedFolders::new(HiddenFolders::new(hidden))),
                actions: Arc::new(Semaphore::new(ACTIONS)),
                searches: Arc::new(Semaphore::new(SEARCHES)),
                watch: ResourceWatch::new(),
                housekeeping: Housekeeping::default(),
                shown,
            }),
        }
    }

    /// Whether a client may hear that a file changed. What is watched is granted to the programs of
    /// this machine; whoever has a name, or is elsewhere, needs a grant of their own, as for reading.
    pub(super) fn may_subscribe(&self, who: Subscriber<'_>, uri: &str) -> bool {
        let nameless = *who.principal == Principal::anonymous();
        if !uri.starts_with("file:") || who.client.is_local() && nameless {
            return true;
        }
        let wish = FileWish { path: uri.to_owned(), operation: FileOperation::Stat };
        self.parts.access.grants().permit_file(subject_of(who), wish).is_ok()
    }

    /// What kits show at this moment.
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

/// The service in one presentation, as every handler gets it. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedFiles {
    pub(super) service: FileService,
    pub(super) presentation: Arc<Presentation>,
}

impl PresentedFiles {
    pub(super) fn parts(&self) -> &ServiceParts {
        &self.service.parts
    }

    /// The folders that are granted to a caller, by path. One that lies in another is left out: the
    /// other has it too.
    pub(super) fn roots(&self, context: &CallContext) -> Vec<Arc<FileRoot>> {
        let mut roots = self.parts().access.grants().file_roots(subject(context.caller()));
        roots.sort_by(|one, other| one.path().cmp(other.path()));
        let mut apart: Vec<Arc<FileRoot>> = Vec::new();
        for root in roots {
            if !apart.iter().any(|above| root.path().starts_with(above.path())) {
                apart.push(root);
            }
        }
        apart
    }

    /// What may be done in a granted folder: less than its grant says while the service only reads.
    pub(super) fn access_to(&self, root: &FileRoot) -> &'static str {
        match self.parts().access.grants().access(MachineService::Files) {
            ServiceAccess::ReadWrite => root.access().as_str(),
            ServiceAccess::ReadOnly | ServiceAccess::Disabled => RootAccess::Read.as_str(),
        }
    }

    /// Well-formed, but it cannot be done.
    pub(super) fn invalid(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, message)
    }
}
