//! The command line typed so far, which the shell passes on with the word to complete.
//!
//! The completers read from it which project and which tool the user means. What must stay true: a
//! malformed line is parsed as far as possible, without a message.

use crate::context::PlaceArgs;
use std::path::PathBuf;

/// Options before a tool's arguments that take the next word as their value.
const WITH_VALUE: [&str; 8] = [
    "--timeout",
    "--save",
    "--project",
    "--config-dir",
    "--data-dir",
    "--interval",
    "--count",
    "--server",
];

/// The words typed before the word to complete.
#[derive(Debug, Default)]
pub(super) struct TypedLine {
    /// The values of `--project`, `--config-dir` and `--data-dir`.
    pub(super) places: PlaceArgs,
    /// Words that are not options: the command, the tool or prompt, and its arguments.
    pub(super) words: Vec<String>,
}

impl TypedLine {
    /// The line that the shell started this process to complete.
    pub(super) fn of_process() -> Self {
        let words = std::env::args_os().map(|it| it.to_string_lossy().into_owned());
        // The typed line follows `--`; its first word is the name of the program.
        let typed: Vec<String> = words.skip_while(|it| it != "--").skip(2).collect();
        // The last word is the one to complete, except in bash, which passes its index.
        let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|it| it.parse().ok());
        let end = index.unwrap_or(typed.len()).saturating_sub(1).min(typed.len());
        Self::parse(&typed[..end])
    }

    fn parse(typed: &[String]) -> Self {
        let mut line = Self::default();
        let mut rest = typed.iter();
        while let Some(word) = rest.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) if word.starts_with("--") => (option, Some(value.to_owned())),
                _ if WITH_VALUE.contains(&word.as_str()) => (word.as_str(), rest.next().cloned()),
                _ => (word.as_str(), None),
            };
            let folder = value.map(PathBuf::from);
            match option {
                "--project" => line.places.project = folder,
                "--config-dir" => line.places.config_dir = folder,
                "--data-dir" => line.places.data_dir = folder,
                _ if option.starts_with('-') && option.len() > 1 => {}
                _ => line.words.push(word.clone()),
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::TypedLine;
    use std::path::Path;

    #[test]
    fn options_are_told_from_words() {
        let words = "call --timeout 5s --project=/p -y files/read --config-dir /c path=x -";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let line = TypedLine::parse(&words);
        assert_eq!(line.words, ["call", "files/read", "path=x", "-"]);
        assert_eq!(line.places.project.as_deref(), Some(Path::new("/p")));
        assert_eq!(line.places.config_dir.as_deref(), Some(Path::new("/c")));
        assert!(TypedLine::parse(&["--project".to_owned()]).words.is_empty());
    }
}
