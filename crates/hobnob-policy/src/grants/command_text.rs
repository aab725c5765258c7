//! A command as a caller types it: words, or one line.
//!
//! A line of plain words needs no shell and counts as words. Any other line needs a shell, and only
//! a grant of whole lines covers it.

/// Maximum number of words of a command.
const MAX_WORDS: usize = 1024;
/// Longest command in bytes; the system takes no longer argument.
const MAX_BYTES: usize = 128 * 1024;

/// The command that a caller asks for. It is never printed as a whole, since it may hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub enum CommandText {
    /// A program and its arguments, each exactly as the program gets it.
    Words(Vec<String>),
    /// A line as it would be typed into a shell.
    Line(String),
}

/// A command after parsing.
pub(super) enum CommandInput {
    /// At least one word; `line` is what the caller typed, if it typed a line.
    Words { program: String, arguments: Vec<String>, line: Option<String> },
    /// A line that only a shell can read.
    ShellLine(String),
}

impl CommandText {
    /// The command in one line, to show to the caller who typed it.
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
                return match line.contains('\0') || MAX_BYTES < line.len() {
                    true => Err("the command has a NUL in it, or is too long"),
                    false => Ok(Self::ShellLine(line)),
                };
            }
        };
        let bytes: usize = words.iter().map(|word| word.len() + 1).sum();
        if MAX_WORDS < words.len() || MAX_BYTES < bytes {
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

/// Whether a shell would split the line into its words and do nothing else.
fn is_plain(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./=:@%+,- ".contains(&byte))
}
