//! Usage: how many calls were made, by principal, server, tool and client, how long they took and
//! how much they carried. The records, and the port that keeps them.
//!
//! The hub records minutes, a backend rolls them up into days, and `hobnob usage` and the page read
//! sums. What must stay true: no record has arguments, results or addresses of resources.

mod durations;
mod port;
mod record;
mod time_span;

pub use durations::CallDurations;
pub use port::{UsageRepository, UsageScope, UsageSumQuery, UsageSums};
pub use record::{CallCounts, MinuteUsage, UsageGroup, UsageKey};
pub use time_span::{UsageBucket, UsageRetention};
