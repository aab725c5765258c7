//! Results that are too big for one answer: what fits is passed on, the whole can be read in pages.
//!
//! [`cap`] decides and cuts, [`SpillStore`] keeps what was cut for a while, for its owner only.
//! No clock and no I/O: the caller brings the time and the ids.

mod cap;
mod cut;
mod pages;
mod store;
#[cfg(test)]
mod tests;

pub use cap::{Capped, MIN_CAP_BYTES, cap};
pub use pages::SpillContent;
pub use store::{SpillError, SpillInfo, SpillLimits, SpillStore, TooBig};
