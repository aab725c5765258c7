//! What was done, by whom, and who allowed it: one JSON line a call, never its contents.

mod file;
mod log;
mod read;
mod record;
mod refusals;
#[cfg(test)]
mod tests;

pub use log::{AuditLog, AuditOptions, FlushError};
pub use read::{AuditEntry, AuditFilter, AuditReader, last};
pub use record::{AuditRecord, ClientInfo, Decision, Outcome, Target, without_secrets};
