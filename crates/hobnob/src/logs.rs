//! Logs go to standard error: for people on a terminal, as JSON lines otherwise.
//!
//! A thread of its own writes them. Whoever reads our standard error may be slow or gone; then
//! lines are lost, but nothing in the server waits or fails for that.

use crate::exit::Voice;
use std::io::{self, IsTerminal as _, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Lines that may wait to be written.
const WAITING_LINES: usize = 1024;

/// How long the last lines are waited for.
const LAST_LINES: Duration = Duration::from_millis(200);

/// Keeps the logs open; when it goes, what still waits is written.
pub(crate) struct Logs {
    lines: Option<SyncSender<Vec<u8>>>,
    written: Receiver<()>,
}

/// Starts logging. `RUST_LOG` wins over `-v`. Where a person is spoken to plainly, the log keeps
/// quiet unless it is asked for.
pub(crate) fn start(verbose: u8, voice: Voice) -> Logs {
    let level = match (voice, verbose) {
        (Voice::Plain, 0) => "error",
        (Voice::Log, 0) | (Voice::Plain, 1) => "info",
        (Voice::Log, 1) | (Voice::Plain, 2) => "debug",
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
        // The subscriber keeps a sender for ever, so an empty line says that this was the last.
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
        // Nobody is left to tell if this fails.
        drop(output.write_all(&line));
    }
}

/// Hands every formatted line to the thread.
struct ToThread(SyncSender<Vec<u8>>);

impl<'a> MakeWriter<'a> for ToThread {
    type Writer = OneLine<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        OneLine(&self.0)
    }
}

/// One line on its way.
struct OneLine<'a>(&'a SyncSender<Vec<u8>>);

impl Write for OneLine<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self.0.try_send(line.to_vec()) {
            // A full queue loses the line: logging never waits.
            Ok(()) | Err(TrySendError::Full(_)) => Ok(line.len()),
            Err(TrySendError::Disconnected(_)) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
