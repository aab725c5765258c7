//! The log on standard error: text on a terminal, JSON lines elsewhere.
//!
//! `main` starts it. A thread of its own writes the lines, so that a slow or closed standard error
//! loses lines but never makes the server wait or fail.

use crate::report::ErrorReporting;
use clap::Args;
use hobnob_mcp_engine::WIRE_TARGET;
use std::io::{self, IsTerminal as _, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::Directive;
use tracing_subscriber::fmt::MakeWriter;

#[cfg(test)]
mod tests;

/// The most lines that may wait to be written; further lines are dropped.
const MAX_WAITING_LINES: usize = 1024;

/// How long the process waits for the last lines when it ends.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

/// The variable that other servers read the level from.
const LEVEL_VARIABLE: &str = "LOG_LEVEL";

/// The option of commands whose messages can be traced.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct TraceArgs {
    /// Log the form of every message (never a value in it), the tools that run and the time they
    /// take.
    #[arg(long)]
    trace: bool,
}

impl TraceArgs {
    pub(crate) fn wire(self) -> WireLog {
        if self.trace { WireLog::Traced } else { WireLog::Quiet }
    }
}

/// Which messages on the wire the log shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireLog {
    /// The messages of servers whose settings ask for it.
    Quiet,
    /// The messages of every connection.
    Traced,
}

/// How much the log may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogRoom {
    /// The reader of standard error decides how much to keep.
    Unlimited,
    /// Standard error is a file that is never rotated.
    File,
}

impl LogRoom {
    fn bytes(self) -> usize {
        match self {
            Self::Unlimited => usize::MAX,
            Self::File => 4 << 20,
        }
    }
}

/// Keeps the log open. Dropping it writes the lines that still wait.
pub(crate) struct Logs {
    lines: Option<SyncSender<Vec<u8>>>,
    written: Receiver<()>,
}

/// Starts logging. `RUST_LOG` wins over `-v`, and that over `LOG_LEVEL`. Commands that report
/// errors plainly log only errors by default.
pub(crate) fn start(verbose: u8, reporting: ErrorReporting, wire: WireLog, room: LogRoom) -> Logs {
    let named = std::env::var(LEVEL_VARIABLE).ok();
    let filter = EnvFilter::try_from_default_env();
    let filter =
        filter.unwrap_or_else(|_| EnvFilter::new(directives(verbose, reporting, named.as_deref())));
    let filter = match wire {
        WireLog::Quiet => filter,
        WireLog::Traced => filter.add_directive(traced()),
    };
    let (lines, waiting) = sync_channel(MAX_WAITING_LINES);
    let (done, written) = sync_channel(0);
    thread::spawn(move || {
        write_lines(&waiting, room.bytes());
        drop(done);
    });
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .log_internal_errors(false)
        .with_writer(ToThread(lines.clone()));
    if io::stderr().is_terminal() {
        logs.with_target(false).init();
    } else {
        logs.with_ansi(false).json().init();
    }
    Logs { lines: Some(lines), written }
}

/// The filter that applies if `RUST_LOG` is not set.
fn directives(verbose: u8, reporting: ErrorReporting, named: Option<&str>) -> String {
    let named = named.and_then(level_named);
    let level = match (reporting, verbose, named) {
        // A level in `LOG_LEVEL` applies to everything, the wire included.
        (_, 0, Some(level)) => return level.to_owned(),
        (ErrorReporting::Plain, 0, None) => "error",
        (ErrorReporting::Log, 0, None) | (ErrorReporting::Plain, 1, _) => "info",
        (ErrorReporting::Log, 1, _) | (ErrorReporting::Plain, 2, _) => "debug",
        _ => return "trace".to_owned(),
    };
    // A server whose settings say that it is traced is traced at every level.
    format!("{level},{WIRE_TARGET}=info")
}

/// Parses a level as `LOG_LEVEL` spells it; an unknown word counts as absent.
fn level_named(word: &str) -> Option<&'static str> {
    match word.trim().to_ascii_lowercase().as_str() {
        "off" | "silent" => Some("off"),
        "fatal" | "error" => Some("error"),
        "warn" | "warning" => Some("warn"),
        "info" => Some("info"),
        "debug" => Some("debug"),
        "trace" | "verbose" => Some("trace"),
        _ => None,
    }
}

/// The directive that enables the whole trace of the wire.
fn traced() -> Directive {
    let debug = tracing::Level::DEBUG;
    format!("{WIRE_TARGET}=debug").parse().unwrap_or_else(|_| Directive::from(debug))
}

impl Drop for Logs {
    fn drop(&mut self) {
        // The subscriber never drops its sender, so an empty line marks the end.
        if let Some(lines) = self.lines.take() {
            drop(lines.try_send(Vec::new()));
        }
        self.written.recv_timeout(FLUSH_TIMEOUT).ok();
    }
}

fn write_lines(waiting: &Receiver<Vec<u8>>, mut room: usize) {
    let mut output = io::stderr();
    while let Ok(line) = waiting.recv() {
        if line.is_empty() {
            return;
        }
        if room < line.len() {
            continue;
        }
        room -= line.len();
        // There is nowhere to report a failure.
        drop(output.write_all(&line));
    }
}

/// Sends every formatted line to the writing thread.
struct ToThread(SyncSender<Vec<u8>>);

impl<'a> MakeWriter<'a> for ToThread {
    type Writer = OneLine<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        OneLine(&self.0)
    }
}

/// The writer of one line.
struct OneLine<'a>(&'a SyncSender<Vec<u8>>);

impl Write for OneLine<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self.0.try_send(line.to_vec()) {
            // A full queue drops the line: logging never waits.
            Ok(()) | Err(TrySendError::Full(_)) => Ok(line.len()),
            Err(TrySendError::Disconnected(_)) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
