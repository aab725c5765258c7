//! Searches below a folder: a query, a walk over all threads, and one sorted page of what was found.

mod content;
mod page;
mod query;
mod run;

pub use content::LineHit;
pub use page::{BadSearchCursor, SearchCursor};
pub use query::BadPattern;
pub use run::{SearchError, SearchHit, SearchPage, SearchSkipped, SearchTotals, search};
