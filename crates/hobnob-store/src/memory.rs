//! Memories: the records, what is asked of them, and the ports that answer.

mod filter;
mod marks;
mod port;
mod prompts;
mod record;
mod search;

pub use filter::{Filter, Page, Part, Reach};
pub use marks::{Mark, Marks};
pub use port::{Gone, Memories, MemoryError};
pub use prompts::{Prompts, StoredPrompt};
pub use record::{
    BadWord, Captured, Count, Edit, Memory, MemoryId, Namespace, NewMemory, Past, Scope, ScopeKind,
    Status, Tag,
};
pub use search::{Search, TextHit, Unembedded, VectorHit};
