//! Usage: counts the calls of this hub, writes them to the store every minute, and reads sums for
//! `hobnob usage` and the page.
//!
//! `compose` wires the recorder. What must stay true: a hub that ends writes what it has counted; one
//! that is killed loses at most the last minute.

mod pending;
mod recorder;
mod report;
#[cfg(test)]
mod tests;

pub use recorder::UsageRecorder;
pub use report::{Usage, UsageDays, UsagePoint, UsageRequest, UsageRow, read};
