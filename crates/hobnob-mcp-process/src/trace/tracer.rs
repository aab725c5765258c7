//! Traces a program and everything it starts, stop by stop, and exits as the program does: our own
//! program in the roles `trace` and `traced`. Its supervisor ends it with everything below it.
//!
//! Invariant: every task that stops is continued, and gets the signals sent to it. Real-time
//! signals are dropped, because no safe interface can pass them on; few programs use them.

use super::calls::{self, Seen};
use super::registers::CallRegisters;
use super::tracee::Tracee;
use super::{TRACED, report::TracedUse};
use crate::supervisor::{close_pipes, ourselves};
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, raise};
use nix::unistd::Pid;
use rustix::io::Errno;
use rustix::process::{WaitOptions, WaitStatus, waitpid};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

/// The exit code for a program that cannot be run, as in shells.
const NOT_RUN: u8 = 126;
/// The bit that marks a stop at a system call (`PTRACE_O_TRACESYSGOOD`).
const AT_CALL: i32 = 0x80;
/// Waits for threads, too.
const ALL_TASKS: u32 = libc::__WALL.cast_unsigned();

/// `trace REPORT PROGRAM ARGUMENT…`: runs the program and records what it uses.
pub(crate) fn trace(mut arguments: impl Iterator<Item = OsString>) -> io::Result<u8> {
    let report = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    let report = File::options().append(true).open(report)?;
    let mut command = ourselves(TRACED);
    command.args(arguments).stdin(Stdio::inherit());
    let program = Pid::from_raw(command.spawn()?.id().cast_signed());
    close_pipes()?;
    Tracer { report, seen: HashSet::new(), calls: HashMap::new() }.run(program)
}

/// `traced PROGRAM ARGUMENT…`: lets its parent trace this process, and becomes the program.
pub(crate) fn become_traced(mut arguments: impl Iterator<Item = OsString>) -> io::Result<u8> {
    let program = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    ptrace::traceme().map_err(|error| {
        io::Error::other(format!("this machine does not allow programs to be traced: {error}"))
    })?;
    // Wait until the parent has set its options.
    raise(Signal::SIGSTOP)?;
    let error = Command::new(&program).args(arguments).exec();
    // Without a standard error the message has nowhere to go.
    drop(writeln!(io::stderr(), "hobnob: cannot start `{}`: {error}", program.display()));
    Ok(NOT_RUN)
}

struct Tracer {
    report: File,
    seen: HashSet<Seen>,
    /// The tasks that are in a system call, and what they will use if it succeeds.
    calls: HashMap<Pid, (CallRegisters, Vec<Seen>)>,
}

impl Tracer {
    /// Runs until the program has ended; tasks that are left end with this process.
    fn run(&mut self, program: Pid) -> io::Result<u8> {
        let mut known_tasks = HashSet::new();
        loop {
            let options = WaitOptions::from_bits_retain(ALL_TASKS);
            let (task, status) = match waitpid(None, options) {
                Ok(Some((task, status))) => (Pid::from_raw(task.as_raw_nonzero().get()), status),
                Ok(None) | Err(Errno::INTR) => continue,
                Err(Errno::CHILD) => return Ok(NOT_RUN),
                Err(error) => return Err(error.into()),
            };
            if let Some(signal) = status.stopping_signal() {
                if task == program && known_tasks.insert(task) {
                    set_options(program)?;
                    go_on(task, None);
                    continue;
                }
                let is_new = known_tasks.insert(task);
                let signal = self.stopped(task, signal, status, is_new)?;
                go_on(task, signal);
            } else {
                self.calls.remove(&task);
                known_tasks.remove(&task);
                if task == program {
                    return Ok(code(status));
                }
            }
        }
    }

    /// Handles a stop of a task, and returns the signal to pass on to it.
    fn stopped(
        &mut self,
        task: Pid,
        signal: i32,
        status: WaitStatus,
        is_new: bool,
    ) -> io::Result<Option<Signal>> {
        if signal == libc::SIGTRAP | AT_CALL {
            self.at_call(task)?;
            return Ok(None);
        }
        let event = status.as_raw() >> 16;
        if event == libc::PTRACE_EVENT_EXEC {
            self.on_new_program(task);
        }
        // A new task begins with a SIGSTOP of its own.
        let is_first = is_new && signal == libc::SIGSTOP;
        Ok(Signal::try_from(signal).ok().filter(|_| event == 0 && !is_first))
    }

    /// A thread that runs another program takes over its process's number during the call.
    fn on_new_program(&mut self, task: Pid) {
        let former = ptrace::getevent(task).ok().and_then(|it| i32::try_from(it).ok());
        let call = former.and_then(|former| self.calls.remove(&Pid::from_raw(former)));
        self.calls.extend(call.map(|call| (task, call)));
    }

    /// Handles a stop before or after a system call.
    fn at_call(&mut self, task: Pid) -> io::Result<()> {
        // The task may have been killed in the meantime.
        let Ok(now) = CallRegisters::of(task) else { return Ok(()) };
        match self.calls.remove(&task) {
            None => {
                let seen = calls::begun(Tracee(task), &now);
                self.calls.insert(task, (now, seen));
            }
            Some((begun, seen)) => {
                let done = CallRegisters { result: now.result, ..begun };
                if calls::succeeded(&done) {
                    seen.into_iter().try_for_each(|it| self.write(it))?;
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, seen: Seen) -> io::Result<()> {
        if self.seen.contains(&seen) {
            return Ok(());
        }
        let (use_, what): &(TracedUse, Vec<u8>) = &seen;
        self.report.write_all(&use_.record(what))?;
        self.seen.insert(seen);
        Ok(())
    }
}

fn set_options(program: Pid) -> io::Result<()> {
    Ok(ptrace::setoptions(
        program,
        Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACEEXEC
            | Options::PTRACE_O_EXITKILL,
    )?)
}

/// Continues a task until its next system call.
fn go_on(task: Pid, signal: Option<Signal>) {
    // The only possible error is that the task was killed.
    let _ = ptrace::syscall(task, signal);
}

/// The exit code as in shells: the code, or 128 plus the signal.
fn code(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| 128 + signal);
    let code = status.exit_status().or(signal);
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
