//! Memories: the records, what is asked of them, and the ports that answer.
//!
//! The memory service uses the ports; a backend implements them and passes the suite.

mod filter;
mod marks;
mod port;
mod prompts;
mod record;
mod search;

pub use filter::{MemoryAccess, MemoryFilter, Page, PageRequest};
pub use marks::{SyncMark, SyncMarkRepository};
pub use port::{CleanUpCounts, MemoryError, MemoryRepository};
pub use prompts::{PromptRepository, StoredPrompt};
pub use record::{
    Captured, InvalidLabel, Memory, MemoryEdit, MemoryId, MemoryScope, MemoryStatus, MemoryVersion,
    Namespace, NewMemory, ScopeKind, Tag, UsageCount,
};
pub use search::{MemorySearch, TextHit, Unembedded, VectorHit};
