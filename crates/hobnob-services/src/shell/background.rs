//! Processes that go on after the call that started them: who owns them, and what ends them.

mod owner;
mod process;
mod registry;

pub(super) use process::{BackgroundProcess, InputRefused, ProcessView};
pub(super) use registry::BackgroundProcesses;
