//! Runs permitted programs from their permit to their end, for every service that does so.
//!
//! In reading order: starting a program, its surroundings, ending it from elsewhere, and reading
//! its output. What must stay true: no process of a program outlives its end, its caller or Hobnob.

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
