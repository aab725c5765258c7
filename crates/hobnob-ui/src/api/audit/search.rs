//! Finds lines of the audit log: the newest ones before a cursor that have all words.
//!
//! It blocks. What must stay true: pages continue each other exactly, so every page reads the log
//! in the same order, from its newest line; how far back it reads is bounded.

use super::line_cursor::cursor_of;
use hobnob_policy::audit::{AuditEntry, AuditFilter, last};
use std::io;
use std::path::Path;

/// How many lines of the log a search reads: few first, since most pages show the newest.
const DEPTHS: [usize; 2] = [1_000, 20_000];

/// Which lines to find.
pub(super) struct AuditSearch {
    filter: AuditFilter,
    /// All in lower case, since the case of a word does not matter.
    words: Vec<String>,
    before: Option<String>,
    limit: usize,
}

/// The lines, newest first.
#[derive(Debug)]
pub(super) struct FoundLines {
    pub(super) lines: Vec<AuditEntry>,
    /// The cursor of the last line, if there are more.
    pub(super) next: Option<String>,
}

impl AuditSearch {
    pub(super) fn new(
        filter: AuditFilter,
        words: &str,
        before: Option<String>,
        limit: usize,
    ) -> Self {
        let words = words.split_whitespace().map(str::to_lowercase).collect();
        Self { filter, words, before, limit }
    }

    /// Reads the log; `None` if it does not have the line of the cursor, or not within reach.
    pub(super) fn run(&self, path: &Path) -> io::Result<Option<FoundLines>> {
        for depth in DEPTHS {
            let lines = last(path, &self.filter, depth)?;
            let is_whole = lines.len() < depth;
            let found = self.pick(lines);
            let is_full = found.as_ref().is_some_and(|found| found.next.is_some());
            if is_whole || is_full || Some(&depth) == DEPTHS.last() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The page within these lines, which are oldest first.
    fn pick(&self, lines: Vec<AuditEntry>) -> Option<FoundLines> {
        let mut newest_first = lines.into_iter().rev();
        if let Some(before) = &self.before {
            newest_first.find(|line| cursor_of(line) == *before)?;
        }
        let mut wanted = newest_first.filter(|line| self.has_words(line));
        let lines: Vec<AuditEntry> = wanted.by_ref().take(self.limit).collect();
        let next = wanted.next().and_then(|_| lines.last().map(cursor_of));
        Some(FoundLines { lines, next })
    }

    fn has_words(&self, line: &AuditEntry) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let address = line.address.as_deref();
        let texts = [
            line.principal.as_deref(),
            address,
            line.client.as_deref(),
            line.via.as_deref(),
            line.method.as_deref(),
            line.tool.as_deref(),
            line.uri.as_deref(),
            line.prompt.as_deref(),
            line.program.as_deref(),
            line.grant.as_deref(),
            line.server.as_deref(),
            line.original.as_deref(),
            line.decision.as_deref(),
            line.rule.as_deref(),
            line.outcome.as_deref(),
        ];
        let texts: Vec<String> = texts.into_iter().flatten().map(str::to_lowercase).collect();
        self.words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}
