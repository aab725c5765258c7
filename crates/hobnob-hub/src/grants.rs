//! The grants of this process: from the rows of the file to the set that decides, read again
//! whenever the file is not what it was.
//!
//! The services of the machine get the reader, and the commands that show grants use the same
//! understanding of the rows.

mod reader;
mod understand;

pub(crate) use reader::GrantReader;
pub use understand::understand;
