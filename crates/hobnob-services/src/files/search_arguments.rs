//! The arguments of a search, and their translation into a request to the machine.

use super::service::PresentedFiles;
use super::words::{KindWord, parse_time};
use hobnob_mcp_toolbox::ToolError;
use hobnob_policy::{
    ContentPattern, DotFiles, FileSearch, HitCount, IgnoreFiles, LetterCase, PatternSyntax,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::SystemTime;

/// Hits on a page if the caller sets no limit.
const DEFAULT_HITS: u32 = 100;
/// Longest name, glob or pattern, in bytes.
const MAX_PATTERN: usize = 8 * 1024;

/// Whether upper and lower case are the same in `content`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum CaseWord {
    /// They are the same unless the pattern has an upper-case letter
    #[default]
    Smart,
    /// They are different letters
    Sensitive,
    /// They are the same letters
    Insensitive,
}

/// What is searched for. Everything that is given must hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArguments {
    /// Folder or file to search: absolute path, `file:` address, or the name of a granted folder and
    /// the way down; all granted folders if not given
    pub(super) path: Option<String>,
    /// Text that the name has in it, in any case
    name: Option<String>,
    /// Glob for the name, such as `*.rs`; with a slash, for the path below the start: `src/**/*.rs`
    glob: Option<String>,
    /// Regular expression to find in the lines of files (Rust syntax); each line is a hit
    content: Option<String>,
    /// Take `content` as plain text instead
    #[serde(default)]
    literal: bool,
    /// Whether upper and lower case differ in `content`; smart if not said
    #[serde(default)]
    case: CaseWord,
    /// Only entries of this kind
    kind: Option<KindWord>,
    /// Only files of at least this size, in bytes
    min_size: Option<u64>,
    /// Only files of at most this size, in bytes
    max_size: Option<u64>,
    /// Only entries modified at this time or later: RFC 3339, or a date in UTC
    modified_since: Option<String>,
    /// Only entries modified before this time: RFC 3339, or a date in UTC
    modified_before: Option<String>,
    /// Also what .gitignore and .ignore files leave out
    #[serde(default)]
    include_ignored: bool,
    /// Also names that begin with a dot
    #[serde(default)]
    include_hidden: bool,
    /// How many folders deep; 1 is the entries of the start only
    #[schemars(range(min = 1, max = 256))]
    depth: Option<u32>,
    /// How many hits at most; 100 if not given
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
    /// The `next_cursor` of the page before, with the same arguments
    pub(super) cursor: Option<String>,
    /// Count all hits even if they do not fit on the page; slower
    #[serde(default)]
    count: bool,
}

impl SearchArguments {
    /// Most hits on the page.
    pub(super) fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_HITS) as usize
    }

    /// The request to the machine's search.
    pub(super) fn wish(&self, presented: &PresentedFiles) -> Result<FileSearch, ToolError> {
        let texts = [("name", &self.name), ("glob", &self.glob), ("content", &self.content)];
        for (what, text) in texts {
            let length = text.as_ref().map_or(0, String::len);
            let empty = text.as_ref().is_some_and(String::is_empty);
            if empty || MAX_PATTERN < length {
                let message = format!("{what}: {length} bytes, it must have 1 to {MAX_PATTERN}");
                return Err(presented.invalid(message));
            }
        }
        let case = match self.case {
            CaseWord::Smart => LetterCase::Smart,
            CaseWord::Sensitive => LetterCase::Sensitive,
            CaseWord::Insensitive => LetterCase::Insensitive,
        };
        let syntax = if self.literal { PatternSyntax::Literal } else { PatternSyntax::Regex };
        let pattern = |text: &String| ContentPattern { text: text.clone(), syntax, case };
        Ok(FileSearch {
            name: self.name.clone(),
            glob: self.glob.clone(),
            content: self.content.as_ref().map(pattern),
            kind: self.kind.map(Into::into),
            min_size: self.min_size,
            max_size: self.max_size,
            modified_since: time(presented, "modified_since", self.modified_since.as_deref())?,
            modified_before: time(presented, "modified_before", self.modified_before.as_deref())?,
            ignore_files: match self.include_ignored {
                true => IgnoreFiles::Disregard,
                false => IgnoreFiles::Honour,
            },
            dot_files: match self.include_hidden {
                true => DotFiles::Include,
                false => DotFiles::Skip,
            },
            depth: self.depth.map(|depth| depth as usize),
            count: match self.count {
                true => HitCount::All,
                false => HitCount::UntilPageIsFull,
            },
        })
    }
}

fn time(
    presented: &PresentedFiles,
    what: &str,
    text: Option<&str>,
) -> Result<Option<SystemTime>, ToolError> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || {
        presented
            .invalid(format!("{what}: it is no time: write 2026-01-31 or 2026-01-31T12:00:00Z"))
    };
    parse_time(text).ok_or_else(wrong).map(Some)
}
