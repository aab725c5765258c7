//! The service `shell`, in reading order: what callers write, what a command is given, how it runs, what
//! they get, and what goes on in the background.
//!
//! Every command is decided by the grants of the moment and started from its permit. Nothing of one
//! survives its end, its caller's end or ours.

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
