//! A search as its caller asks for it, compiled into matchers.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::SystemTime;

use globset::{Candidate, GlobBuilder, GlobMatcher};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use hobnob_policy::{ContentPattern, EntryKind, FileSearch, LetterCase, PatternSyntax};

use crate::files::stat::FileFacts;

/// Largest compiled pattern, in bytes; a hostile one is refused.
const MAX_PATTERN_BYTES: usize = 10 << 20;

/// A pattern that cannot be used, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` cannot be searched for: {reason}")]
pub struct BadPattern {
    /// The pattern as the caller wrote it.
    pub pattern: String,
    /// What is wrong with it, on one line.
    pub reason: String,
}

/// A compiled search, ready to run.
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

    /// Whether an entry can be a hit by its name; `below` is its path below the search's start.
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

    /// Whether [`Matchers::facts`] checks anything, which needs the entry's metadata.
    pub(super) fn needs_facts(&self) -> bool {
        self.sizes != (0, u64::MAX) || self.since.is_some() || self.before.is_some()
    }

    pub(super) fn facts(&self, facts: &FileFacts) -> bool {
        let (min, max) = self.sizes;
        let sized = self.sizes == (0, u64::MAX)
            || facts.kind == EntryKind::File && min <= facts.size && facts.size <= max;
        sized
            && self.since.is_none_or(|since| since <= facts.modified)
            && self.before.is_none_or(|before| facts.modified < before)
    }
}

fn name_matcher(name: &str) -> Result<RegexMatcher, BadPattern> {
    let mut builder = RegexMatcherBuilder::new();
    builder.fixed_strings(true).case_insensitive(true).size_limit(MAX_PATTERN_BYTES);
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
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .fixed_strings(pattern.syntax == PatternSyntax::Literal)
        .case_insensitive(pattern.case == LetterCase::Insensitive)
        .case_smart(pattern.case == LetterCase::Smart);
    builder.build(&pattern.text).map_err(|error| bad(&pattern.text, &error))
}

fn bad(pattern: &str, error: &dyn std::fmt::Display) -> BadPattern {
    // The parser draws arrows below the pattern on separate lines; the last line has the reason.
    let text = error.to_string();
    let reason = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("unknown");
    let reason = reason.trim().trim_start_matches("error: ").to_owned();
    BadPattern { pattern: pattern.to_owned(), reason }
}
