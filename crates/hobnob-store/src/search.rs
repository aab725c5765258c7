//! Ranking that every backend shares: turns words and vectors into hits, without any database.
//!
//! A backend reads rows and passes them to these functions, so the same records give the same hits
//! with the same scores, bit for bit, on every backend.

mod indexed_text;
mod loaded;
mod number_set;

mod posting;

mod frequent;
mod terms;

mod score;

mod candidates;

mod scan;
mod signs;
mod vectors;
mod word_match;

mod best_first;
mod sign_order;

pub use best_first::best_first;
pub use candidates::{
    MORE_CANDIDATES, SearchCandidate, SearchCandidates, UnfilteredHit, rough_order,
};
pub use frequent::{FrequentTerms, IndexVersion};
pub use indexed_text::IndexedTexts;
pub use loaded::{LoadedMemories, LoadedMemory};
pub use number_set::NumberSet;
pub use posting::{PostingList, TermPosting};
pub use scan::{QuantizedVector, QueryVector};
pub use score::ScoringQuery;
pub use sign_order::{SignOrder, exact_candidates};
pub use signs::{SignDistances, SignTable};
pub use terms::{MAX_PLACES_FOR_RARITY, Term, TermLookup, term_weight};
pub use vectors::{ModelVectors, VectorCache, VectorRow, VectorTable};
pub use word_match::{AskedWords, packed};
