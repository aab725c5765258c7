//! The guarantee that no descendant of a child process outlives us, even if we are killed.
//!
//! Our own program, started again as [`ARGUMENT`], stands between us and the child and watches a
//! lifeline: a pipe that only we can write to, so that it closes when we end, in every way that we
//! can end. [`Child`](crate::child::Child) starts supervisors; the program's `main` calls [`run`].

#[cfg(target_os = "linux")]
mod all_ids;
mod level;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod subreaper;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(target_os = "linux")]
mod watch;

pub use level::{ARGUMENT, Level};
#[cfg(unix)]
pub(crate) use level::{CONFINED, UNCONFINED};
#[cfg(target_os = "linux")]
pub use probe::{detect, sandbox_support};
#[cfg(target_os = "linux")]
pub use run::run;
#[cfg(not(target_os = "linux"))]
pub use unsupported::{detect, run, sandbox_support};

#[cfg(target_os = "linux")]
pub(crate) use namespace::{Proc, enter, enter_confined, settle, settle_confined};
#[cfg(target_os = "linux")]
pub(crate) use program::{close_pipes, ourselves};
#[cfg(target_os = "linux")]
pub(crate) use subreaper::{parent_of, stop_and_kill};
#[cfg(target_os = "linux")]
pub(crate) use watch::{ChildWatcher, ChildrenLeft};
