//! The work of a supervisor process, from its arguments to its exit code. The program's `main`
//! calls [`run`] before anything else.
//!
//! `__supervise LEVEL LIFELINE[:DESCRIPTORS] PROGRAM ARGUMENT…`: single-threaded, holds none of the
//! server's pipes, and exits as the program did. `DESCRIPTORS` is the soft limit for the program,
//! if it differs from the supervisor's own. For a program in a sandbox, `confined` stands before
//! the level, and the arguments of the sandbox stand before the program.

use super::level::CONFINED;
use super::namespace::InitRights;
use super::program::{SupervisedProgram, report};
use super::watch::{ChildWatcher, Lifeline};
use super::{all_ids, namespace, probe, subreaper};
use crate::descriptor_limit;
use crate::runner::{self, InitKind, close_inherited_but};
use crate::sandbox::from_arguments;
use crate::trace::{self, TRACE, TRACED};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// The exit code of a supervisor that cannot do its work.
const BROKEN: u8 = 125;

/// Runs as a supervisor. `arguments` are those after [`ARGUMENT`](super::ARGUMENT).
///
/// A program that starts children with a supervisor calls this first in its `main`, before it
/// starts any thread: a process with threads cannot enter a new namespace.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let role = arguments.next().unwrap_or_default();
    let code = match role.to_str() {
        Some("probe-namespace") => probe::namespace(),
        Some("probe-subreaper") => probe::subreaper(),
        Some("probe-init") => probe::init(),
        Some("probe-sandbox") => probe::sandbox(arguments.next()),
        Some("probe-sandbox-init") => probe::sandbox_init(),
        Some("map-ids") => all_ids::map_ids_of_parent(),
        Some(TRACE) => trace::trace(arguments),
        Some(TRACED) => trace::become_traced(arguments),
        Some("confine") => runner::confine(arguments),
        Some("runner") => runner::serve_runner(arguments.next(), arguments.next()),
        Some("runner-init") => runner::serve_as_init(InitKind::Open(namespace::Proc::Inherited)),
        Some("runner-init-proc") => runner::serve_as_init(InitKind::Open(namespace::Proc::Fresh)),
        Some("runner-init-confined") => runner::serve_as_init(InitKind::Confined),
        Some(CONFINED) => {
            let role = arguments.next().unwrap_or_default();
            supervise(role.to_str().unwrap_or_default(), arguments, Confinement::Sandbox)
        }
        Some(role) => supervise(role, arguments, Confinement::None),
        None => Err(io::ErrorKind::InvalidInput.into()),
    };
    ExitCode::from(code.unwrap_or_else(|error| {
        report(&format!("the supervisor cannot do its work: {error}"));
        BROKEN
    }))
}

/// Whether the arguments put the program into a sandbox.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Confinement {
    None,
    /// A sandbox, which the arguments after the lifeline describe.
    Sandbox,
}

fn supervise(
    role: &str,
    mut arguments: impl Iterator<Item = OsString>,
    confinement: Confinement,
) -> io::Result<u8> {
    let lifeline = arguments.next().unwrap_or_default();
    let lifeline = lifeline.to_str().ok_or(io::ErrorKind::InvalidInput)?;
    let (lifeline, descriptors) = match lifeline.split_once(':') {
        Some((lifeline, soft)) => (lifeline, soft.parse().ok()),
        None => (lifeline, None),
    };
    if let Some(soft) = descriptors {
        descriptor_limit::lower(soft)?;
    }
    let sandbox = match confinement {
        Confinement::None => None,
        Confinement::Sandbox => {
            close_inherited_but(lifeline)?;
            Some(from_arguments(&mut arguments)?)
        }
    };
    let lifeline = Lifeline::inherited(lifeline)?;
    let program = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    let arguments = arguments.collect();
    let program = SupervisedProgram { lifeline, program, arguments, sandbox };
    // This must come before any child is started, so that no end of a child is missed.
    let watcher = ChildWatcher::install()?;
    match role {
        "namespace" => namespace::outside(watcher, program),
        "init" => namespace::init(watcher, program, InitRights::Open(namespace::Proc::Inherited)),
        "init-proc" => namespace::init(watcher, program, InitRights::Open(namespace::Proc::Fresh)),
        "init-confined" => namespace::init(watcher, program, InitRights::BuildsRoot),
        "subreaper" => subreaper::supervise(watcher, program),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "unknown kind of supervisor")),
    }
}
