//! The digest that identifies duplicate memories: SHA-256 over content, scope, namespace and owner.
//!
//! It is stored with each memory, so its computation must never change.

use crate::memory::{MemoryScope, Namespace, ScopeKind};
use crate::owner::Owner;
use ring::digest::{Context, SHA256};

/// SHA-256 of where a memory is found and what it says; any run of white space counts as one space.
pub fn digest(owner: &Owner, scope: &MemoryScope, namespace: &Namespace, content: &str) -> Vec<u8> {
    let owner = match scope.kind() {
        ScopeKind::Project | ScopeKind::User => owner.as_str(),
        // The scope `org` is shared, so the same content is one memory whichever owner captured it.
        ScopeKind::Org => "",
    };
    let mut context = Context::new(&SHA256);
    for part in [scope.kind().as_str(), owner, scope.project(), namespace.as_str()] {
        // Each part is prefixed with its length, so no two lists of parts hash the same bytes.
        context.update(&(part.len() as u64).to_le_bytes());
        context.update(part.as_bytes());
    }
    for word in content.split_whitespace() {
        context.update(word.as_bytes());
        context.update(b" ");
    }
    context.finish().as_ref().to_vec()
}
