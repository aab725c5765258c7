//! The two streams: results to standard output, words beside them to standard error.

use super::safe::safe;
use super::tone::{Tone, paint_stderr};
use crate::exit::{Code, Ended};
use hobnob_policy::poison::json_safe;
use serde::Serialize;
use std::io::{self, Write};

/// Writes a text as it is. Whoever calls has made it safe; a last line break is added if missing.
///
/// A reader that has gone, as `head` does, ends the command quietly and well.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let ending = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let written = write!(stdout, "{text}{ending}").and_then(|()| stdout.flush());
    told(written)
}

/// Writes one line, made safe.
pub(crate) fn line(line: &str) -> anyhow::Result<()> {
    text(&format!("{}\n", safe(line)))
}

/// Writes one JSON document for programs.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> anyhow::Result<()> {
    json_text(&serde_json::to_string_pretty(value)?)
}

/// Writes one JSON document on one line, for commands that go on.
pub(crate) fn json_line<T: Serialize + ?Sized>(value: &T) -> anyhow::Result<()> {
    json_text(&serde_json::to_string(value)?)
}

/// Writes JSON that is text already. All JSON passes here: a terminal may be where it ends, so
/// what one would act on, reorder or hide is escaped, which leaves the value as it is.
pub(crate) fn json_text(json: &str) -> anyhow::Result<()> {
    text(&json_safe(json))
}

/// Tells a person something that is not the result. Made safe.
pub(crate) fn note(words: &str) {
    stderr_line(&safe(words));
}

/// Tells a person what to be careful about. Made safe.
pub(crate) fn warn(words: &str) {
    stderr_line(&format!("{} {}", paint_stderr(Tone::Warn, "warning:"), safe(words)));
}

/// Tells why a command failed. Made safe.
pub(crate) fn complain(words: &str) {
    stderr_line(&format!("{} {}", paint_stderr(Tone::Bad, "error:"), safe(words)));
}

fn stderr_line(line: &str) {
    let mut stderr = io::stderr().lock();
    // Nobody is left to tell if this fails.
    drop(writeln!(stderr, "{line}"));
}

fn told(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            Err(Ended::quietly(Code::Done).into())
        }
        Err(error) => Err(anyhow::Error::new(error).context("standard output cannot be written")),
        Ok(()) => Ok(()),
    }
}
