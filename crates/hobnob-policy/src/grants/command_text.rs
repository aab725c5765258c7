//! A command as a caller types it: words, or one line.
//!
//! A line of plain words needs no shell and counts as words. Everything else in a line is for a shell
//! to read, and only a grant of whole lines covers that.

/// Words that a command may have.
const MAX_WORDS: usize = 1024;
/// Bytes that all of a command may have; the system takes no argument longer than this.
const LONGEST: usize = 128 * 1024;

/// What a caller wants run. It is never shown as a whole, since it may hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub enum CommandText {
    /// A program and its arguments, each exactly as the program gets it.
    Words(Vec<String>),
    /// A line as it would be typed into a shell.
    Line(String),
}

/// A command that was read.
pub(super) enum CommandInput {
    /// At least one word; `line` is what they were typed as, if the caller typed a line.
    Words { program: String, arguments: Vec<String>, line: Option<String> },
    /// A line that only a shell can read.
    ShellLine(String),
}

impl CommandText {
    /// The command in one line, for the caller who typed it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Words(words) => words.join(" "),
            Self::Line(line) => line.clone(),
        }
    }
}

impl CommandInput {
    pub(super) fn parse(text: CommandText) -> Result<Self, &'static str> {
        let (words, line): (Vec<_>, _) = match text {
            CommandText::Words(words) => (words, None),
            CommandText::Line(line) if is_plain(&line) => {
                let words = line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned);
                (words.collect(), Some(line))
            }
            CommandText::Line(line) => {
                return match line.contains('\0') || LONGEST < line.len() {
                    true => Err("the command has a NUL in it, or is too long"),
                    false => Ok(Self::ShellLine(line)),
                };
            }
        };
        let bytes: usize = words.iter().map(|word| word.len() + 1).sum();
        if MAX_WORDS < words.len() || LONGEST < bytes {
            return Err("the command is too long");
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err("the command has a NUL in it");
        }
        let mut words = words.into_iter();
        match words.next().filter(|program| !program.is_empty()) {
            Some(program) => Ok(Self::Words { program, arguments: words.collect(), line }),
            None => Err("the command is empty"),
        }
    }
}

/// Whether a shell would read a line as the words in it and nothing else.
fn is_plain(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./=:@%+,- ".contains(&byte))
}
