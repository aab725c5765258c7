//! The two streams: results go to standard output, notes and errors to standard error. Every
//! command prints through it.
//!
//! What must stay true: a closed pipe, as with `head`, is a silent success, and no text of a server
//! reaches a terminal without being made safe.

use super::safe::safe;
use super::tone::{Tone, paint_stderr};
use crate::ended::{Code, Ended};
use hobnob_text::json_safe;
use serde::Serialize;
use std::io::{self, Write};

/// Writes a text that is safe already, and a final line break if it has none.
///
/// A closed pipe, as with `head`, ends the command silently and successfully.
pub fn text(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let ending = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let written = write!(stdout, "{text}{ending}").and_then(|()| stdout.flush());
    check_written(written)
}

/// Writes a part of a text that is safe already, without a line break of its own, at once.
pub fn piece(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    check_written(written)
}

/// Writes a part of a text to standard error, made safe, without a line break of its own.
pub fn error_piece(text: &str) {
    let mut stderr = io::stderr().lock();
    // There is nowhere to report a failure.
    drop(stderr.write_all(safe(text).as_bytes()));
}

/// Writes one line, made safe.
pub fn line(line: &str) -> anyhow::Result<()> {
    text(&format!("{}\n", safe(line)))
}

/// Writes one JSON document for programs.
pub fn json<T: Serialize + ?Sized>(value: &T) -> anyhow::Result<()> {
    json_text(&serde_json::to_string_pretty(value)?)
}

/// Writes one JSON document on one line, for commands that keep running.
pub fn json_line<T: Serialize + ?Sized>(value: &T) -> anyhow::Result<()> {
    json_text(&serde_json::to_string(value)?)
}

/// Writes JSON text. It may end on a terminal, so characters that a terminal would act on, reorder
/// or hide are escaped, which leaves the value as it is.
pub fn json_text(json: &str) -> anyhow::Result<()> {
    text(&json_safe(json))
}

/// Prints a note on standard error, made safe.
pub fn note(words: &str) {
    stderr_line(&safe(words));
}

/// Prints a warning on standard error, made safe.
pub fn warn(words: &str) {
    stderr_line(&format!("{} {}", paint_stderr(Tone::Warn, "warning:"), safe(words)));
}

/// Prints an error on standard error, made safe.
pub fn error(words: &str) {
    stderr_line(&format!("{} {}", paint_stderr(Tone::Bad, "error:"), safe(words)));
}

fn stderr_line(line: &str) {
    let mut stderr = io::stderr().lock();
    // There is nowhere to report a failure.
    drop(writeln!(stderr, "{line}"));
}

fn check_written(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            Err(Ended::silently(Code::Done).into())
        }
        Err(error) => Err(anyhow::Error::new(error).context("cannot write to standard output")),
        Ok(()) => Ok(()),
    }
}
