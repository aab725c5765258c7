//! Records what a program uses while it runs: the files that it and everything it starts open,
//! change and run, and the addresses they connect to.
//!
//! [`ChildSpec::traced`](crate::child::ChildSpec::traced) wraps a program in our own, which traces
//! it with ptrace and writes its observations to a file; [`TraceReport::read`] reads that file.
//! Nothing is refused: the program keeps the rights it would have anyway.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod registers;
mod report;
#[cfg(target_os = "linux")]
mod tracee;
#[cfg(target_os = "linux")]
mod tracer;

pub use report::{TraceReport, TracedUse};
#[cfg(target_os = "linux")]
pub(crate) use tracer::{become_traced, trace};

/// The role of the process that traces a program.
#[cfg(unix)]
pub(crate) const TRACE: &str = "trace";
/// The role of the process that becomes the traced program.
#[cfg(target_os = "linux")]
pub(crate) const TRACED: &str = "traced";
