//! What a supervisor process does, from its arguments to its exit code. `main` of the program
//! calls [`run`] before anything else.
//!
//! `__supervise LEVEL LIFELINE[:DESCRIPTORS] PROGRAM ARGUMENT…`: single-threaded, holds none of
//! the server's pipes, and exits as the program did. `DESCRIPTORS` is the soft limit that the
//! program gets, where it is not the supervisor's own.

use super::program::{SupervisedProgram, report};
use super::watch::{ChildWatcher, Lifeline};
use super::{all_ids, namespace, probe, subreaper};
use crate::descriptor_limit;
use crate::runner::{self, InitKind};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// The exit code of a supervisor that cannot do its work.
const BROKEN: u8 = 125;

/// Runs as a supervisor. `arguments` are those after [`ARGUMENT`](super::ARGUMENT).
///
/// A program that starts children with a supervisor calls this first thing in its `main`, before
/// any thread is started: a process with threads cannot enter a new namespace.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let role = arguments.next().unwrap_or_default();
    let code = match role.to_str() {
        Some("probe-namespace") => probe::namespace(),
        Some("probe-subreaper") => probe::subreaper(),
        Some("probe-init") => probe::init(),
        Some("probe-sandbox") => probe::sandbox(arguments.next()),
        Some("probe-sandbox-init") => probe::sandbox_init(),
        Some("map-ids") => all_ids::map_ids_of_parent(),
        Some("confine") => runner::confine(arguments),
        Some("runner") => runner::serve_as_told(arguments.next(), arguments.next()),
        Some("runner-init") => runner::serve_as_init(InitKind::Open(namespace::Proc::Inherited)),
        Some("runner-init-proc") => runner::serve_as_init(InitKind::Open(namespace::Proc::Fresh)),
        Some("runner-init-confined") => runner::serve_as_init(InitKind::Confined),
        Some(role) => supervise(role, arguments),
        None => Err(io::ErrorKind::InvalidInput.into()),
    };
    ExitCode::from(code.unwrap_or_else(|error| {
        report(&format!("the supervisor cannot do its work: {error}"));
        BROKEN
    }))
}

fn supervise(role: &str, mut arguments: impl Iterator<Item = OsString>) -> io::Result<u8> {
    let lifeline = arguments.next().unwrap_or_default();
    let lifeline = lifeline.to_str().ok_or(io::ErrorKind::InvalidInput)?;
    let (lifeline, descriptors) = match lifeline.split_once(':') {
        Some((lifeline, soft)) => (lifeline, soft.parse().ok()),
        None => (lifeline, None),
    };
    if let Some(soft) = descriptors {
        descriptor_limit::lower(soft)?;
    }
    let lifeline = Lifeline::inherited(lifeline)?;
    let program = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    let program = SupervisedProgram { lifeline, program, arguments: arguments.collect() };
    // Before anything is started, so that no end of a child is missed.
    let watcher = ChildWatcher::install()?;
    match role {
        "namespace" => namespace::outside(watcher, program),
        "init" => namespace::init(watcher, program, namespace::Proc::Inherited),
        "init-proc" => namespace::init(watcher, program, namespace::Proc::Fresh),
        "subreaper" => subreaper::supervise(watcher, program),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "unknown kind of supervisor")),
    }
}
