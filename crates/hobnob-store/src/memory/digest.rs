//! What makes two memories the very same: a digest of content, place and owner.
//!
//! It is stored with each memory, so it must never be computed differently.

use crate::memory::{MemoryScope, Namespace, ScopeKind};
use crate::owner::Owner;
use ring::digest::{Context, SHA256};

/// SHA-256 of where a memory is found and of what it says; white space counts only as such.
pub fn digest(owner: &Owner, scope: &MemoryScope, namespace: &Namespace, content: &str) -> Vec<u8> {
    let owner = match scope.kind() {
        ScopeKind::Project | ScopeKind::User => owner.as_str(),
        // What is for everybody is said once, whoever says it.
        ScopeKind::Org => "",
    };
    let mut context = Context::new(&SHA256);
    for part in [scope.kind().as_str(), owner, scope.project(), namespace.as_str()] {
        // The length goes first, so that no two rows of parts are the same bytes.
        context.update(&(part.len() as u64).to_le_bytes());
        context.update(part.as_bytes());
    }
    for word in content.split_whitespace() {
        context.update(word.as_bytes());
        context.update(b" ");
    }
    context.finish().as_ref().to_vec()
}
