//! Child processes that speak over their standard streams: started, watched, and always ended.
//!
//! The client starts servers here. At most a supervisor stands between us and the program, never a
//! shell.

mod environment;
mod lookup;
mod process;
mod spec;
mod stderr;
#[cfg(test)]
mod tests;

pub use environment::environment;
pub use process::{Child, ChildPipes};
pub use spec::{ChildSpec, Exit, StopGrace, Supervision};
pub use stderr::{StderrLog, StderrPart, readable_line};
