//! Searches below a folder: a query, a walk over several threads, and one sorted page of hits.

mod content;
mod page;
mod query;
mod run;

pub use page::{BadSearchCursor, SearchCursor};
pub use query::BadPattern;
pub(crate) use run::search;
pub use run::{SearchError, SearchPage, SearchSkipped, SearchTotals, TotalCount};
