//! Background processes, which outlive the call that started them: their owners, and their end.

mod owner;
mod process;
mod registry;

pub(super) use process::{BackgroundProcess, InputRefused, ProcessView};
pub(super) use registry::BackgroundProcesses;
