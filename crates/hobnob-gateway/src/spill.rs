//! Results that are too large for one answer: part of it is passed on, the rest is read in pages.
//!
//! [`cap`] cuts them; [`SpillStore`] keeps the cut-off parts for a while, for their owner only. No
//! clock and no I/O: the caller passes in the time and the ids.

mod cap;
mod cut;
mod pages;
mod store;
#[cfg(test)]
mod tests;

pub use cap::{Capped, MIN_CAP_BYTES, cap};
pub use pages::SpillContent;
pub use store::{SpillError, SpillInfo, SpillLimits, SpillStore, TooBig};
