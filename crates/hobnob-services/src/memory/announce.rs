//! Which addresses have new contents after a change, and which lists.

use super::kit::OnShow;
use super::service::MemoryService;
use crate::presentation::{Presentation, ProjectFrom};
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::memory::ScopeKind;

/// When lists have to be made anew after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touched {
    /// They are the same.
    Not,
    /// Something may have to go from them.
    Later,
    /// Something has to come.
    Now,
}

impl MemoryService {
    /// Addresses whose contents a change made new. Another project's have none here, unless
    /// clients bring their projects with them.
    pub fn news(&self, presentation: &Presentation, changed: &RecordChange) -> Vec<String> {
        let ChangedRecord::Memory { scope, project, namespace, id } = &changed.what else {
            return Vec::new();
        };
        let ours = project == self.0.project.key.as_str()
            || presentation.project_from == ProjectFrom::RootsThenFolder;
        if *scope == ScopeKind::Project && !ours {
            return Vec::new();
        }
        let top = format!("{}://{}", presentation.memory_scheme, scope.as_str());
        let all = format!("{top}/{namespace}");
        let one = format!("{all}/{id}");
        vec![top, all, one, format!("{}://topics", presentation.memory_scheme)]
    }

    /// What a change does to what kits show. Whether a namespace has become empty takes counting,
    /// which is not done for each of many changes.
    pub fn touches(&self, shown: &OnShow, changed: &RecordChange) -> Touched {
        match &changed.what {
            ChangedRecord::Prompt { .. } => Touched::Now,
            ChangedRecord::Memory { scope: ScopeKind::Project, project, namespace, .. }
                if project == self.0.project.key.as_str() =>
            {
                let is_listed = shown.namespaces.iter().any(|listed| listed == namespace);
                if is_listed { Touched::Later } else { Touched::Now }
            }
            ChangedRecord::Memory { .. } | ChangedRecord::Task { .. } => Touched::Not,
        }
    }

    /// Addresses that may have new contents when nobody knows what changed.
    pub fn all_news(&self, presentation: &Presentation, on_show: &OnShow) -> Vec<String> {
        let scheme = &presentation.memory_scheme;
        let mut uris = vec![format!("{scheme}://topics")];
        for scope in ScopeKind::ALL {
            uris.push(format!("{scheme}://{}", scope.as_str()));
        }
        uris.extend(on_show.namespaces.iter().map(|it| format!("{scheme}://project/{it}")));
        uris
    }
}
