//! Programs that were permitted, from their permit to their end: what the services share that run them.
//!
//! In reading order: how a program is started, what it is given, how it is ended from elsewhere, and how
//! its output is read. Nothing of a program survives its end, its caller's end or ours.

mod launch_options;

mod environment;
mod scratch;

mod launch;
mod stop_switch;

mod active_command;
mod drive;
mod utf8_stream;

pub use launch_options::{LaunchOptions, OwnPorts, SearchPath};

pub(crate) use active_command::{ActiveCommand, ActiveCommands};
pub(crate) use drive::{
    CommandOutcome, DRAIN, GRACE, InputPiece, OutputReceiver, ProgramInput, drive,
};
pub(crate) use launch::{CommandLauncher, LaunchError, LaunchedCommand, whole_input};
pub(crate) use stop_switch::StopCause;
pub(crate) use utf8_stream::TextValidity;
#[cfg(test)]
pub(crate) use utf8_stream::Utf8Stream;
