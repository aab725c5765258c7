//! What is searched for, as a caller says it, and the same compiled into matchers.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::SystemTime;

use globset::{Candidate, GlobBuilder, GlobMatcher};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use crate::files::ignored::{DotFiles, IgnoreFiles};
use crate::files::kind::EntryKind;
use crate::files::stat::FileFacts;

/// Bytes that a compiled pattern may take; a hostile one is refused instead.
const PATTERN_LIMIT: usize = 10 << 20;

/// A search as a caller asks for it. Everything that is set must hold for a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSearch {
    /// Text that the name has in it, in whatever case.
    pub name: Option<String>,
    /// A pattern such as `*.rs` for the name or, with a slash, for the path below the start.
    pub glob: Option<String>,
    /// Text in the file; each line that has it is a hit of its own.
    pub content: Option<ContentPattern>,
    /// Only entries of this kind; content is only searched for in files.
    pub kind: Option<EntryKind>,
    /// Files with at least so many bytes.
    pub min_size: Option<u64>,
    /// Files with at most so many bytes.
    pub max_size: Option<u64>,
    /// Entries that changed at this time or later.
    pub modified_since: Option<SystemTime>,
    /// Entries that changed before this time.
    pub modified_before: Option<SystemTime>,
    /// Whether what ignore files name is left out.
    pub ignore_files: IgnoreFiles,
    /// Whether names that begin with a dot are left out.
    pub dot_files: DotFiles,
    /// How many folders deep; 1 means the entries of the start only.
    pub depth: Option<usize>,
}

impl Default for FileSearch {
    fn default() -> Self {
        Self {
            name: None,
            glob: None,
            content: None,
            kind: None,
            min_size: None,
            max_size: None,
            modified_since: None,
            modified_before: None,
            ignore_files: IgnoreFiles::Honour,
            dot_files: DotFiles::Skip,
            depth: None,
        }
    }
}

/// Text to be found in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentPattern {
    /// The pattern as the caller wrote it.
    pub text: String,
    /// How it is read.
    pub syntax: PatternSyntax,
    /// Whether `a` also finds `A`.
    pub case: LetterCase,
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternSyntax {
    /// A regular expression of Rust's `regex`, within one line.
    Regex,
    /// Exactly this text, without any special characters.
    Literal,
}

/// Whether upper and lower case are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetterCase {
    /// They differ, as they are written.
    Sensitive,
    /// They are the same.
    Insensitive,
    /// They are the same unless the pattern has an upper-case letter.
    Smart,
}

/// A pattern that cannot be used, with the reason in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` cannot be searched for: {reason}")]
pub struct BadPattern {
    /// The pattern as the caller wrote it.
    pub pattern: String,
    /// What is wrong with it, on one line.
    pub reason: String,
}

/// A search that is ready to run.
pub(super) struct Matchers {
    name: Option<RegexMatcher>,
    glob: Option<NameGlob>,
    pub(super) content: Option<RegexMatcher>,
    kind: Option<EntryKind>,
    sizes: (u64, u64),
    since: Option<SystemTime>,
    before: Option<SystemTime>,
}

enum NameGlob {
    Name(GlobMatcher),
    Path(GlobMatcher),
}

impl Matchers {
    pub(super) fn compile(search: &FileSearch) -> Result<Self, BadPattern> {
        let kind = match search.content {
            Some(_) => Some(EntryKind::File),
            None => search.kind,
        };
        Ok(Self {
            name: search.name.as_deref().map(name_matcher).transpose()?,
            glob: search.glob.as_deref().map(name_glob).transpose()?,
            content: search.content.as_ref().map(content_matcher).transpose()?,
            kind,
            sizes: (search.min_size.unwrap_or(0), search.max_size.unwrap_or(u64::MAX)),
            since: search.modified_since,
            before: search.modified_before,
        })
    }

    /// Whether an entry can be a hit by its name; `below` is its path below the start of the search.
    pub(super) fn names(&self, name: &OsStr, below: &[u8], kind: EntryKind) -> bool {
        self.kind.is_none_or(|wanted| wanted == kind)
            && self.glob.as_ref().is_none_or(|glob| match glob {
                NameGlob::Name(glob) => glob.is_match_candidate(&Candidate::new(name)),
                NameGlob::Path(glob) => {
                    glob.is_match_candidate(&Candidate::new(OsStr::from_bytes(below)))
                }
            })
            // Matching a literal cannot fail.
            && self.name.as_ref().is_none_or(|it| it.is_match(name.as_bytes()).unwrap_or(false))
    }

    /// Whether [`Matchers::facts`] has anything to say, which costs a look at the entry.
    pub(super) fn needs_facts(&self) -> bool {
        self.sizes != (0, u64::MAX) || self.since.is_some() || self.before.is_some()
    }

    pub(super) fn facts(&self, facts: &FileFacts) -> bool {
        let (least, most) = self.sizes;
        let sized = self.sizes == (0, u64::MAX)
            || facts.kind == EntryKind::File && least <= facts.size && facts.size <= most;
        sized
            && self.since.is_none_or(|since| since <= facts.modified)
            && self.before.is_none_or(|before| facts.modified < before)
    }
}

fn name_matcher(name: &str) -> Result<RegexMatcher, BadPattern> {
    let mut builder = RegexMatcherBuilder::new();
    builder.fixed_strings(true).case_insensitive(true).size_limit(PATTERN_LIMIT);
    builder.build(name).map_err(|error| bad(name, &error))
}

fn name_glob(pattern: &str) -> Result<NameGlob, BadPattern> {
    let below = pattern.trim_start_matches('/');
    let glob = GlobBuilder::new(below)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| bad(pattern, error.kind()))?
        .compile_matcher();
    Ok(match pattern.contains('/') {
        true => NameGlob::Path(glob),
        false => NameGlob::Name(glob),
    })
}

fn content_matcher(pattern: &ContentPattern) -> Result<RegexMatcher, BadPattern> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .line_terminator(Some(b'\n'))
        .size_limit(PATTERN_LIMIT)
        .dfa_size_limit(PATTERN_LIMIT)
        .fixed_strings(pattern.syntax == PatternSyntax::Literal)
        .case_insensitive(pattern.case == LetterCase::Insensitive)
        .case_smart(pattern.case == LetterCase::Smart);
    builder.build(&pattern.text).map_err(|error| bad(&pattern.text, &error))
}

fn bad(pattern: &str, error: &dyn std::fmt::Display) -> BadPattern {
    // The parser draws arrows below the pattern on lines of their own; its last line has the words.
    let text = error.to_string();
    let reason = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("unknown");
    let reason = reason.trim().trim_start_matches("error: ").to_owned();
    BadPattern { pattern: pattern.to_owned(), reason }
}
