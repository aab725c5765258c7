//! The service `shell`, in reading order: arguments, output, results, running commands, background
//! processes, and the tools.
//!
//! What must stay true: the current grants decide every command, and its permit starts it. No
//! process of a command outlives the command, its caller or Hobnob.

mod limits;

mod arguments;

mod kept_output;
mod output_ring;

mod results;
mod signal_name;

mod background;
mod process_tools;
mod run;

mod kit;
mod service;
mod tools;

pub use limits::ShellOptions;
pub use service::ShellService;
