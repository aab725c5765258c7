//! Finds the tools of a catalogue that fit a query in plain words.
//!
//! Whoever holds a catalogue builds a [`ToolIndex`] from it once, and asks it as often as it likes:
//! the command line, assistants and chats rank tools the same way. Nothing here does I/O or waits;
//! vectors of a model and counts of use are handed in by those who have them. The same index and the
//! same query always give the same order.

mod common_words;
mod intent;
mod shapes;
mod told;
mod words;

mod synonyms;

mod phrases;

mod document;
mod index;
mod query;

mod word_fit;

mod meaning;
mod rank;

pub use document::ToolDocument;
pub use index::ToolIndex;
pub use phrases::{pack_phrase_vectors, phrase_texts};
pub use rank::{RankedTool, RankingRequest};
