//! A word as a person types it in a shell, for commands that people copy.
//!
//! Hints and errors use it wherever a command contains a name that a project or a server chose.
//! What must stay true: a POSIX shell reads the result as exactly one word.

use crate::visible::visible;
use std::borrow::Cow;

/// The text as one word of a shell command: unchanged if no character of it means something to the
/// shell, else in quotation marks. What cannot be seen is shown as an escape.
#[must_use]
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-./:=@%+,".contains(it);
    // A leading hyphen would make it an option, with or without quotation marks.
    if !text.is_empty() && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", visible(text).replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::shell_word;
    use std::process::Command;

    /// Names that do harm when a person copies a command with them.
    const NAMES: [&str; 9] = [
        "plain-name_2.0",
        "",
        "two words",
        "x; rm -r ~",
        "$(id)",
        "`id`",
        "it's",
        "a\\b\"c",
        "ümläut*?",
    ];

    #[test]
    fn a_plain_word_stays_as_it_is() {
        assert_eq!(
            NAMES.map(|name| shell_word(name) == name),
            [true, false, false, false, false, false, false, false, false]
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_shell_reads_exactly_the_name() {
        for name in NAMES {
            let line = format!("printf '%s|' {}", shell_word(name));
            let output = Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{name}|"), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        let word = shell_word("a\u{1b}[2Jb\nc");
        assert!(!word.contains(['\u{1b}', '\n']), "{word}");
    }
}
