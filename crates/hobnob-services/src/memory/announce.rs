//! Which addresses have new contents after a change.

use super::service::MemoryService;
use crate::face::Face;
use hobnob_store::changes::{Changed, What};
use hobnob_store::memory::ScopeKind;

impl MemoryService {
    /// Addresses whose contents a change made new. Another project's have none here.
    pub fn news(&self, face: &Face, changed: &Changed) -> Vec<String> {
        let What::Memory { scope, project, namespace, id } = &changed.what else {
            return Vec::new();
        };
        if *scope == ScopeKind::Project && project != self.0.project.key.as_str() {
            return Vec::new();
        }
        let top = format!("{}://{}", face.memory_scheme, scope.as_str());
        let all = format!("{top}/{namespace}");
        let one = format!("{all}/{id}");
        vec![top, all, one, format!("{}://topics", face.memory_scheme)]
    }
}
