//! Finds the tools of a catalogue that fit a query in plain words.
//!
//! The owner of a catalogue builds a [`ToolIndex`] once and queries it as often as it likes: the
//! command line, assistants and chats rank tools in the same way. Nothing here does I/O or waits;
//! callers pass in the vectors of a model and usage counts. The same index and the same query
//! always give the same order.

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
