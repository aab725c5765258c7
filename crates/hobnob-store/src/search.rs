//! Ranking that every backend shares: vectors and the words that a text is found by, without any
//! database.
//!
//! A backend reads rows and hands them in here, so that the same records give the same hits with the
//! same scores, bit for bit, whichever backend stores them.

mod loaded;

mod posting;

mod scan;
mod signs;
mod word_match;

pub use loaded::{LoadedMemories, LoadedMemory};
pub use posting::{Posting, PostingList};
pub use scan::{QuantizedVector, QueryVector};
pub use signs::{SignDistances, SignTable};
pub use word_match::{AskedWords, packed};
