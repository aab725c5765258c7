//! Memories: the records, the queries over them, and the repository traits that answer.
//!
//! The memory service calls the traits; a backend implements them and passes the suite.

mod digest;
mod filter;
mod marks;
mod port;
mod prompts;
mod record;
mod scope;
mod search;
mod word_pairs;

mod sketch;

pub use digest::digest;
pub use filter::{MemoryAccess, MemoryFilter, Page, PageRequest};
pub use marks::{SyncMark, SyncMarkRepository};
pub use port::{CleanUpCounts, MemoryError, MemoryRepository};
pub use prompts::{PromptRepository, StoredPrompt};
pub use record::{
    AlikeMemory, CaptureOutcome, Captured, InvalidLabel, Memory, MemoryEdit, MemoryId,
    MemoryStatus, MemoryVersion, MergedLabels, Namespace, NewMemory, Tag, UsageCount,
};
pub use scope::{MemoryScope, MissingRole, OrgRole, ScopeKind, WritableScope};
pub use search::{
    Closeness, MemorySearch, Nearness, NewVector, QuestionVectors, QuestionWord, TextHit,
    Unembedded, VectorHit, WantedWords,
};
pub use sketch::{MEMORIES_PER_BAND, Sketch, most_shared};
pub use word_pairs::WordPairs;
