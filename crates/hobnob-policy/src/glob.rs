//! One glob: what it matches, and how much of it is literal.
//!
//! Names and arguments are compared byte by byte: no case folding, no Unicode normalisation. A glob
//! that compiles here can never make the matcher panic, so its length and nesting are bounded.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

/// Longest glob, in bytes.
const MAX_BYTES: usize = 512;
/// Deepest nesting of `{…}`; the regex compiler gives up at a few hundred.
const MAX_DEPTH: usize = 8;
/// Matches any text although `*` stops at `/`: the text has no separator, or at least one.
const ANY_TEXT: &str = "{*,*/**/*}";

/// A compiled glob: `*`, `**`, `?` (one byte), `[a-z]`, `{a,b}`, and `\` before a literal.
#[derive(Clone)]
pub struct Glob {
    text: Box<str>,
    matcher: Matcher,
    literals: usize,
    prefix: Box<str>,
}

#[derive(Clone)]
enum Matcher {
    Exact,
    Wild(GlobMatcher),
}

/// The texts that a `*` in a pattern matches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StarReach {
    Anything,
    UpToSeparator,
}

/// Why a text is not a glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// The text has no characters.
    #[error("the glob is empty; write `*` for everything")]
    Empty,
    /// It has more bytes than a glob may have.
    #[error("the glob is longer than {MAX_BYTES} bytes; make it shorter with `*`")]
    TooLong,
    /// Its braces nest too deeply.
    #[error("the glob nests braces deeper than {MAX_DEPTH}; write several rules instead")]
    TooDeep,
    /// A class compares bytes, so it cannot contain a letter of several bytes.
    #[error("`[…]` takes ASCII characters only; write `{{ä,ö}}` instead")]
    WideClass,
    /// Its syntax is wrong.
    #[error("{0}; write `\\[` or `\\{{` for a literal bracket")]
    Syntax(String),
}

impl Glob {
    /// Parses a glob for names: `*` matches any text.
    ///
    /// # Errors
    /// When the text is empty, too long, or not a glob.
    pub fn for_name(text: &str) -> Result<Self, GlobError> {
        Self::parse(text, StarReach::Anything)
    }

    /// Parses a glob for values, most of them paths: `*` stops at `/`, `**` does not.
    ///
    /// # Errors
    /// When the text is empty, too long, or not a glob.
    pub fn for_value(text: &str) -> Result<Self, GlobError> {
        Self::parse(text, StarReach::UpToSeparator)
    }

    /// Whether the whole of `name` matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match &self.matcher {
            Matcher::Exact => *self.prefix == *name,
            Matcher::Wild(matcher) => matcher.is_match(name),
        }
    }

    /// Whether the glob is plain text without wildcards.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self.matcher, Matcher::Exact)
    }

    /// The glob as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many characters are outside of `*`, `?`, `[…]` and `{…}`.
    pub(crate) fn literals(&self) -> usize {
        self.literals
    }

    /// The literal text before the first wildcard.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The glob that matches this name and no other.
    #[must_use]
    pub fn escape(name: &str) -> String {
        let mut glob = String::with_capacity(name.len());
        for letter in name.chars() {
            if matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
                glob.push('\\');
            }
            glob.push(letter);
        }
        glob
    }

    /// The positions of a literal text in a glob's text, outside of `[…]` and `{…}`.
    pub(crate) fn places_of(glob: &str, literal: &str) -> Vec<usize> {
        let (mut places, mut depth, mut at) = (Vec::new(), 0_usize, 0);
        while let Some(letter) = glob[at..].chars().next() {
            let step = match letter {
                '\\' => 1 + glob[at + 1..].chars().next().map_or(0, char::len_utf8),
                '[' => 1 + class(&glob[at + 1..]).map_or(0, str::len),
                other => other.len_utf8(),
            };
            match letter {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ if depth == 0 && glob[at..].starts_with(literal) => places.push(at),
                _ => {}
            }
            at += step;
        }
        places
    }

    fn parse(text: &str, star: StarReach) -> Result<Self, GlobError> {
        if text.is_empty() {
            return Err(GlobError::Empty);
        }
        if MAX_BYTES < text.len() {
            return Err(GlobError::TooLong);
        }
        let reading = read(text, star)?;
        let compiled = GlobBuilder::new(&reading.expanded)
            .literal_separator(star == StarReach::UpToSeparator)
            .backslash_escape(true)
            .empty_alternates(true)
            .build()
            .map_err(|error| GlobError::Syntax(error.kind().to_string()))?;
        let matcher = match reading.wild {
            true => Matcher::Wild(compiled.compile_matcher()),
            false => Matcher::Exact,
        };
        let prefix = reading.prefix.into();
        Ok(Self { text: text.into(), matcher, literals: reading.literals, prefix })
    }
}

impl fmt::Debug for Glob {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Glob({:?})", self.text)
    }
}

/// What one pass over a glob's text found.
#[derive(Default)]
struct Reading {
    /// The text for the compiler, with runs of `*` rewritten to mean the same everywhere.
    expanded: String,
    prefix: String,
    literals: usize,
    depth: usize,
    wild: bool,
}

impl Reading {
    fn literal(&mut self, letter: char) {
        if self.depth == 0 {
            self.literals += 1;
        }
        if !self.wild {
            self.prefix.push(letter);
        }
    }
}

fn read(text: &str, star: StarReach) -> Result<Reading, GlobError> {
    let mut reading = Reading::default();
    let mut rest = text.chars();
    let mut before = None;
    while let Some(letter) = rest.next() {
        match letter {
            '*' => {
                reading.wild = true;
                let after = rest.as_str().trim_start_matches('*');
                let run = 1 + rest.as_str().len() - after.len();
                rest = after.chars();
                reading.expanded.push_str(stars(star, run, before, after));
                before = Some('*');
                continue;
            }
            '?' => reading.wild = true,
            '[' => {
                reading.wild = true;
                let class = class(rest.as_str())?;
                reading.expanded.push('[');
                reading.expanded.push_str(class);
                rest = rest.as_str()[class.len()..].chars();
                before = Some(']');
                continue;
            }
            '{' => {
                reading.wild = true;
                reading.depth += 1;
                if MAX_DEPTH < reading.depth {
                    return Err(GlobError::TooDeep);
                }
            }
            '}' if 0 < reading.depth => reading.depth -= 1,
            '\\' => {
                // Leave a lone `\` at the end for the compiler to report.
                reading.expanded.push('\\');
                let Some(escaped) = rest.next() else { break };
                reading.literal(escaped);
                reading.expanded.push(escaped);
                before = Some(escaped);
                continue;
            }
            other => reading.literal(other),
        }
        reading.expanded.push(letter);
        before = Some(letter);
    }
    Ok(reading)
}

/// The compiler lets `**` cross `/` only as a whole path part; here `**` crosses it anywhere.
fn stars(star: StarReach, run: usize, before: Option<char>, after: &str) -> &'static str {
    if run == 1 || star == StarReach::Anything {
        return "*";
    }
    let part = before.is_none_or(|it| it == '/') && (after.is_empty() || after.starts_with('/'));
    if part { "**" } else { ANY_TEXT }
}

/// The inside of a class and, if there is one, its closing bracket.
fn class(rest: &str) -> Result<&str, GlobError> {
    let negated = usize::from(rest.starts_with(['!', '^']));
    // A bracket right at the start is a member of the class, not its end.
    let first = negated + usize::from(rest[negated..].starts_with(']'));
    let end = rest[first..].find(']').map_or(rest.len(), |at| first + at + 1);
    let inside = &rest[..end];
    if inside.is_ascii() { Ok(inside) } else { Err(GlobError::WideClass) }
}
