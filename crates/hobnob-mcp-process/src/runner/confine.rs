//! The role of a process that restricts itself and then becomes a command: `__supervise confine`.
//!
//! [`group`](super::group) starts it where no runner is available. It runs before anything else in
//! its process, and leaves nothing of itself behind.

use super::end_all::Reach;
use super::message::{HEAD, Preparation, ToRunner};
use super::restrict::restrict;
use super::socket::close_inherited;
use hobnob_text::hex;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The exit code of a command that could not be restricted or run, as in shells.
const NOT_RUN: u8 = 126;

/// Restricts this process as the first argument says, and becomes the program of the other
/// arguments. Returns only if that fails.
pub(crate) fn confine(mut arguments: impl Iterator<Item = OsString>) -> io::Result<u8> {
    close_inherited()?;
    let preparation = decode(&arguments.next().unwrap_or_default())?;
    // It makes no difference here which process adopts orphans.
    if let Err(why) = restrict(&preparation, &Reach::Subreaper) {
        return Ok(refuse(&why));
    }
    let program = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    let error = Command::new(&program).args(arguments).exec();
    Ok(refuse(&format!("cannot start `{}`: {error}", program.display())))
}

fn refuse(why: &str) -> u8 {
    // Without a standard error the message has nowhere to go.
    drop(io::stderr().write_all(format!("hobnob: {why}\n").as_bytes()));
    NOT_RUN
}

/// Encodes the restrictions of a process as one of its arguments.
pub(super) fn encode(preparation: Preparation) -> String {
    let frame = ToRunner::Prepare(preparation).encode();
    hex::encode(&frame[HEAD..])
}

pub(super) fn decode(argument: &OsString) -> io::Result<Preparation> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let bytes = argument.to_str().and_then(hex::decode).ok_or_else(invalid)?;
    match ToRunner::decode(&bytes)? {
        ToRunner::Prepare(preparation) => Ok(preparation),
        ToRunner::Start(_) | ToRunner::Signal(_) | ToRunner::Kill => Err(invalid()),
    }
}
