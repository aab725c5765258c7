//! Patterns for the words of a granted command.
//!
//! Each word is compared with one part of the pattern, so matching takes linear time, and no word
//! counts as two. Words that begin with `-` are options, and only match parts that say so.

use crate::glob::{Glob, GlobError};
use crate::path::{folder_glob, is_covered};

/// Maximum number of parts of a pattern.
const MAX_PARTS: usize = 256;
/// Longest literal part, in bytes.
const MAX_PART_BYTES: usize = 4096;
/// Characters that may separate several paths or values in one word.
const BETWEEN_PATHS: [char; 5] = ['/', '\\', '=', ':', ','];

/// The words after a command's name. Each part matches exactly one word, except the last two:
///
/// | part | matches |
/// |---|---|
/// | `build` | this very word |
/// | `*` | one word that is no option |
/// | `src/*.rs` | one word that fits; `*` stops at `/`, and no word with `..` in its path fits |
/// | `src/**` | one word that is beneath `src`; neither `src` nor `src/` is |
/// | `--jobs=*` | one option that fits |
/// | `-*` | any one word, options too |
/// | `...` | all words that are left, none of them an option; only at the end |
/// | `-...` | all words that are left, options too; only at the end |
///
/// A `\` in front makes a part literal: `\*`, `\...`.
#[derive(Debug, Clone)]
pub struct ArgvPattern {
    parts: Vec<WordPattern>,
    rest: RestPattern,
}

#[derive(Debug, Clone)]
enum WordPattern {
    Literal(Box<str>),
    AnyOperand,
    AnyWord,
    Glob(Box<WordGlob>),
}

#[derive(Debug, Clone)]
struct WordGlob {
    glob: Glob,
    /// The same glob without a slash at its end, for a word that names a folder.
    folder: Glob,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RestPattern {
    Nothing,
    Operands,
    Anything,
}

impl ArgvPattern {
    /// Reads the parts of a pattern.
    ///
    /// # Errors
    /// When a glob is wrong, `...` is not at the end, or the pattern is too long.
    pub fn parse<S: AsRef<str>>(parts: &[S]) -> Result<Self, String> {
        if MAX_PARTS < parts.len() {
            return Err(format!("the pattern has more than {MAX_PARTS} words"));
        }
        let (parts, rest) = match parts.split_last() {
            Some((last, before)) if last.as_ref() == "..." => (before, RestPattern::Operands),
            Some((last, before)) if last.as_ref() == "-..." => (before, RestPattern::Anything),
            _ => (parts, RestPattern::Nothing),
        };
        let parts = parts.iter().map(|part| WordPattern::parse(part.as_ref()));
        Ok(Self { parts: parts.collect::<Result<_, _>>()?, rest })
    }

    /// Whether exactly these words fit, no fewer and no more.
    #[must_use]
    pub fn matches<S: AsRef<str>>(&self, words: &[S]) -> bool {
        let Some((first, left)) = words.split_at_checked(self.parts.len()) else { return false };
        let rest_fits = match self.rest {
            RestPattern::Nothing => left.is_empty(),
            RestPattern::Operands => !left.iter().any(|word| is_option(word.as_ref())),
            RestPattern::Anything => true,
        };
        // No program can receive a NUL, and the text after it would not be compared.
        let whole = !words.iter().any(|word| word.as_ref().contains('\0'));
        let fits = |(part, word): (&WordPattern, &S)| part.matches(word.as_ref());
        whole && rest_fits && self.parts.iter().zip(first).all(fits)
    }

    /// The parts of the pattern that only these words fit.
    #[must_use]
    pub fn exactly<S: AsRef<str>>(words: &[S]) -> Vec<String> {
        words.iter().map(|word| escaped(word.as_ref())).collect()
    }
}

impl WordPattern {
    fn parse(text: &str) -> Result<Self, String> {
        if MAX_PART_BYTES < text.len() || text.contains('\0') {
            return Err(format!("a word has more than {MAX_PART_BYTES} bytes, or a NUL in it"));
        }
        match text {
            "*" => Ok(Self::AnyOperand),
            "-*" => Ok(Self::AnyWord),
            "..." | "-..." => Err(format!("`{text}` stands for all that is left: put it last")),
            r"\..." | r"\-..." => Ok(Self::Literal(text[1..].into())),
            text if !text.contains(['*', '?', '[', ']', '{', '}', '\\']) => {
                Ok(Self::Literal(text.into()))
            }
            text => WordGlob::new(text)
                .map(|glob| Self::Glob(Box::new(glob)))
                .map_err(|problem| format!("in the word `{text}`, {problem}")),
        }
    }

    fn matches(&self, word: &str) -> bool {
        match self {
            Self::Literal(text) => **text == *word,
            Self::AnyOperand => !is_option(word),
            Self::AnyWord => true,
            Self::Glob(glob) => glob.matches(word),
        }
    }
}

impl WordGlob {
    fn new(text: &str) -> Result<Self, GlobError> {
        Ok(Self { glob: Glob::for_value(text)?, folder: folder_glob(text)? })
    }

    fn matches(&self, word: &str) -> bool {
        if self.glob.is_exact() {
            return self.glob.matches(word);
        }
        let options_too = self.glob.prefix().starts_with('-');
        (options_too || !is_option(word))
            && !climbs(word)
            && self.glob.matches(word)
            && is_covered(&self.folder, word)
    }
}

fn is_option(word: &str) -> bool {
    word.starts_with('-')
}

/// Whether a path in the word has a part `..`, which could lead away from the files that the glob
/// names. In `-I..` an option comes right before it.
fn climbs(word: &str) -> bool {
    word.split(BETWEEN_PATHS).any(|part| part.ends_with(".."))
}

/// A part that matches this word and nothing else.
fn escaped(word: &str) -> String {
    match word {
        "..." | "-..." => format!(r"\{word}"),
        word => Glob::escape(word),
    }
}
