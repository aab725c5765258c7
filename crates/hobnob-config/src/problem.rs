//! What is wrong with a file, and where: the form in which all problems of user files are reported.
//!
//! All readers of this crate return it; the binary and `hobnob status` print it as one line,
//! `FILE:LINE:COLUMN: MESSAGE`.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A position in a text; lines and columns are counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The first line is 1.
    pub line: usize,
    /// The column: characters in TOML files, bytes in JSON files.
    pub column: usize,
}

/// One problem of one file. Its message never quotes a value that may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// The file it is about.
    pub file: PathBuf,
    /// The position, if the problem has one.
    pub position: Option<Position>,
    /// What is wrong, in lower case and without a full stop.
    pub message: String,
    /// Whether reading the file again may help.
    pub cause: Cause,
}

/// Why a file cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Its content is wrong; only an edit helps.
    Contents,
    /// The system refused to read it (too many open files, a disk error, no permission); the file
    /// itself may be sound.
    Unreadable,
}

impl Problem {
    /// A problem of a whole file.
    pub fn of_file(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.into(), position: None, message: message.into(), cause: Cause::Contents }
    }

    /// A problem of a file that the system refuses to read.
    pub(crate) fn unreadable(file: &Path, error: &io::Error) -> Self {
        let cause = match error.kind() {
            // `Other` is our own error: the path is not a regular file of an acceptable size.
            io::ErrorKind::Other => Cause::Contents,
            _ => Cause::Unreadable,
        };
        Self { cause, ..Self::of_file(file, format!("cannot be read: {error}")) }
    }

    /// What has to happen before the file counts again.
    pub(crate) fn remedy(&self) -> &'static str {
        match self.cause {
            Cause::Contents => "is repaired or deleted",
            Cause::Unreadable => "can be read again",
        }
    }

    /// A problem at an offset of a text, if the offset is known.
    pub(crate) fn at(
        file: &Path,
        text: &str,
        offset: Option<usize>,
        message: impl Into<String>,
    ) -> Self {
        let position = offset.map(|offset| position_of(text, offset));
        Self { position, ..Self::of_file(file, message) }
    }

    /// A problem that the JSON parser reported.
    pub(crate) fn of_json(file: &Path, error: &serde_json::Error) -> Self {
        // The parser counts the columns of an empty text from zero.
        let position = Position { line: error.line(), column: error.column().max(1) };
        // The parser appends "at line 3 column 4"; our `Display` puts the position first.
        let full = error.to_string();
        let message = full.split(" at line ").next().unwrap_or(&full);
        Self { position: Some(position), ..Self::of_file(file, message) }
    }

    /// A problem that the TOML parser reported.
    pub(crate) fn of_toml(file: &Path, text: &str, error: &toml::de::Error) -> Self {
        let position = error.span().map(|span| position_of(text, span.start));
        // Some messages have several lines; ours have one.
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        Self { position, ..Self::of_file(file, message) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:", self.file.display())?;
        if let Some(Position { line, column }) = self.position {
            write!(formatter, "{line}:{column}:")?;
        }
        write!(formatter, " {}", self.message)
    }
}

pub(crate) fn position_of(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Position {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}
