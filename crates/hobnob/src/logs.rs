//! The log on standard error: text on a terminal, JSON lines elsewhere.
//!
//! `main` starts it. A thread of its own writes the lines, so that a slow or closed standard error
//! loses lines but never makes the server wait or fail.

use crate::report::ErrorReporting;
use std::io::{self, IsTerminal as _, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Lines that may wait to be written; further ones are dropped.
const WAITING_LINES: usize = 1024;

/// How long the process waits for the last lines when it ends.
const LAST_LINES: Duration = Duration::from_millis(200);

/// Keeps the log open. Dropping it writes the lines that still wait.
pub(crate) struct Logs {
    lines: Option<SyncSender<Vec<u8>>>,
    written: Receiver<()>,
}

/// Starts logging. `RUST_LOG` wins over `-v`. Commands that report errors
/// plainly log only errors by default.
pub(crate) fn start(verbose: u8, reporting: ErrorReporting) -> Logs {
    let level = match (reporting, verbose) {
        (ErrorReporting::Plain, 0) => "error",
        (ErrorReporting::Log, 0) | (ErrorReporting::Plain, 1) => "info",
        (ErrorReporting::Log, 1) | (ErrorReporting::Plain, 2) => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let (lines, waiting) = sync_channel(WAITING_LINES);
    let (done, written) = sync_channel(0);
    thread::spawn(move || {
        write_lines(&waiting);
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

impl Drop for Logs {
    fn drop(&mut self) {
        // The subscriber never drops its sender, so an empty line marks the end.
        if let Some(lines) = self.lines.take() {
            drop(lines.try_send(Vec::new()));
        }
        self.written.recv_timeout(LAST_LINES).ok();
    }
}

fn write_lines(waiting: &Receiver<Vec<u8>>) {
    let mut output = io::stderr();
    while let Ok(line) = waiting.recv() {
        if line.is_empty() {
            return;
        }
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
