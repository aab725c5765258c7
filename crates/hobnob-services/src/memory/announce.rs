//! Which addresses have new contents after a change.

use super::kit::OnShow;
use super::service::MemoryService;
use crate::face::{Face, ProjectFrom};
use hobnob_store::changes::{Changed, What};
use hobnob_store::memory::ScopeKind;

impl MemoryService {
    /// Addresses whose contents a change made new. Another project's have none here, unless
    /// clients bring their projects with them.
    pub fn news(&self, face: &Face, changed: &Changed) -> Vec<String> {
        let What::Memory { scope, project, namespace, id } = &changed.what else {
            return Vec::new();
        };
        let ours = project == self.0.project.key.as_str()
            || face.project_from == ProjectFrom::RootsThenFolder;
        if *scope == ScopeKind::Project && !ours {
            return Vec::new();
        }
        let top = format!("{}://{}", face.memory_scheme, scope.as_str());
        let all = format!("{top}/{namespace}");
        let one = format!("{all}/{id}");
        vec![top, all, one, format!("{}://topics", face.memory_scheme)]
    }

    /// Addresses that may have new contents when nobody knows what changed.
    pub fn all_news(&self, face: &Face, on_show: &OnShow) -> Vec<String> {
        let scheme = &face.memory_scheme;
        let mut uris = vec![format!("{scheme}://topics")];
        for scope in ScopeKind::ALL {
            uris.push(format!("{scheme}://{}", scope.as_str()));
        }
        uris.extend(on_show.namespaces.iter().map(|it| format!("{scheme}://project/{it}")));
        uris
    }
}
