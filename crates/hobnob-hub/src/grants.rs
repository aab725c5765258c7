//! The grants of this process: from the rows of the file to the set that decides, read again
//! whenever the file has changed.
//!
//! The machine services get the reader; commands that show grants parse the rows with the same
//! code.

mod change;
mod overview;
mod reader;
mod understand;

pub use change::{GrantEvent, change_grants};
pub(crate) use overview::take_grant;
pub use overview::{GrantLine, GrantOverview, ServiceGrants};
pub(crate) use reader::GrantReader;
pub use understand::understand;
