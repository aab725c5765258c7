//! The audit log: what was done, by which principal, and what allowed it, one JSON line a call. The
//! gateway and, for programs that services run, the binary write it; `hobnob audit` reads it.
//!
//! What must stay true: no line contains arguments, results or secrets.

mod chain;
mod chain_fault;
mod decision;
mod file;
mod files;
mod head;
mod lines;
mod log;
mod options;
mod queue;
mod read;
mod record;
mod refusals;
mod stream;
mod stream_writer;
mod tail;
#[cfg(test)]
mod tests;
mod verify;
mod write_error;
mod writer;

pub use chain::LineHash;
pub use chain_fault::{ChainFault, LinePlace};
pub use decision::{AuditDecision, Decision};
pub use log::AuditLog;
pub use options::{AuditMode, AuditOptions, AuditRetention};
pub use queue::WrittenCallback;
pub use read::{AuditEntry, AuditFilter, AuditReader, last};
pub use record::{AuditOutcome, AuditRecord, AuditTarget, ClientInfo, without_secrets};
pub use stream::AuditStream;
pub use verify::{AnchorCheck, ChainReport, ChainSpan, verify_chain};
pub use write_error::AuditWriteError;
