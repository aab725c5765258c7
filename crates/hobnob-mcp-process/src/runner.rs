//! Runs commands: each with limits and, if its [`RunnerSpec`] names one, in a sandbox; under
//! supervision no process of a command outlives it.
//!
//! Starting a supervisor for each command costs ten times as much as the command. So our own
//! program waits as a runner: it receives each command over a socket, ends everything below it when
//! the command ends, and waits for the next. Other crates use [`RunnerPool`]; `main` calls
//! [`supervisor::run`](crate::supervisor::run), which calls `serve` in the runner's process.

mod cgroup;
#[cfg(target_os = "linux")]
mod command;
#[cfg(target_os = "linux")]
mod confine;
mod descriptors;
#[cfg(target_os = "linux")]
mod end_all;
mod exchange;
mod group;
mod lookup;
mod message;
mod output_pipe;
#[cfg(target_os = "linux")]
mod own_space;
mod pipes;
mod pool;
mod process_tree;
#[cfg(target_os = "linux")]
mod restrict;
#[cfg(target_os = "linux")]
mod sampler;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod socket;
mod spec;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
mod user_tasks;
mod waiting;
#[cfg(target_os = "linux")]
mod working_folder;

pub use cgroup::memory_support;
#[cfg(target_os = "linux")]
pub(crate) use confine::confine;
pub use message::SandboxState;
pub use output_pipe::OutputPipe;
pub use pipes::{InputPipe, ProcessPipes};
pub use pool::{PoolOptions, RunnerPool};
pub use process_tree::ProcessTree;
#[cfg(target_os = "linux")]
pub(crate) use serve::{InitKind, serve_as_init, serve_runner};
#[cfg(target_os = "linux")]
pub(crate) use socket::close_inherited_but;
pub use spec::{
    CommandEnd, CommandInput, CommandReport, ProgramStart, RunnerSpec, StartError, StartFolder,
};
