//! Finds the lines of one file that match a pattern, with ripgrep's engine; files are never mapped.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch,
};

use hobnob_policy::HitCount;

use super::page::Wanted;
use crate::files::control::SearchControl;
use crate::files::search_hit::LineHit;

/// Longest line that is held in memory, in bytes; a file with a longer one is not searched.
const MAX_LINE_BYTES: usize = 16 << 20;
/// Maximum number of bytes of a line in a hit.
const MAX_SHOWN_BYTES: usize = 1000;
/// Maximum number of these bytes before the first match.
const CONTEXT_BYTES: usize = 200;
/// Maximum number of match positions in one line.
const MAX_SPANS: usize = 100;

/// The matches of one file.
#[derive(Debug, Default)]
pub(super) struct FileMatches {
    /// How many lines match in total.
    pub(super) count: u64,
    /// The first of the wanted lines.
    pub(super) lines: Vec<LineHit>,
    /// Whether the file has NUL bytes, so that it is not text; then it has no lines.
    pub(super) binary: bool,
    /// Whether the rest of the file was not searched, because no more lines were wanted.
    pub(super) left_early: bool,
}

/// A searcher with its buffers, reused for one file after the other.
pub(super) struct ContentSearcher<'search> {
    matcher: RegexMatcher,
    searcher: Searcher,
    control: &'search SearchControl,
    count: HitCount,
}

impl<'search> ContentSearcher<'search> {
    pub(super) fn new(
        matcher: &RegexMatcher,
        count: HitCount,
        control: &'search SearchControl,
    ) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .multi_line(false)
            .memory_map(MmapChoice::never())
            .heap_limit(Some(MAX_LINE_BYTES))
            .build();
        Self { matcher: matcher.clone(), searcher, control, count }
    }

    /// The matching lines of a file: counts all, if that is wanted, and returns at most `limit`.
    pub(super) fn search(
        &mut self,
        file: &File,
        wanted: Wanted,
        limit: usize,
    ) -> io::Result<FileMatches> {
        let mut lines = Lines {
            matcher: &self.matcher,
            after: match wanted {
                Wanted::Count => u64::MAX,
                Wanted::After(line) => line,
            },
            limit,
            count: self.count,
            found: FileMatches::default(),
        };
        let reader = Cancellable { file, control: self.control };
        self.searcher.search_reader(&self.matcher, reader, &mut lines)?;
        let mut found = lines.found;
        if found.binary {
            found.count = 0;
            found.lines.clear();
        }
        Ok(found)
    }
}

/// Collects the lines of one file.
struct Lines<'search> {
    matcher: &'search RegexMatcher,
    after: u64,
    limit: usize,
    count: HitCount,
    found: FileMatches,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        self.found.count += 1;
        let number = matched.line_number().unwrap_or(0);
        if self.after < number && self.found.lines.len() < self.limit {
            self.found.lines.push(line_hit(self.matcher, number, matched.bytes()));
        }
        self.found.left_early =
            self.count == HitCount::UntilPageIsFull && self.limit <= self.found.lines.len();
        Ok(!self.found.left_early)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.found.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.found.binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

fn line_hit(matcher: &RegexMatcher, number: u64, line: &[u8]) -> LineHit {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut spans: Vec<Range<usize>> = Vec::new();
    // Matching a regular expression never fails.
    let _ = matcher.find_iter(line, |found| {
        spans.push(found.start()..found.end());
        spans.len() < MAX_SPANS
    });
    if line.len() <= MAX_SHOWN_BYTES {
        return shown(number, line, spans, 0, false);
    }
    let first = spans.first().map_or(0, |span| span.start);
    let start = character_start(line, first.saturating_sub(CONTEXT_BYTES));
    let end = character_start(line, (start + MAX_SHOWN_BYTES).min(line.len()));
    shown(number, &line[start..end], spans, start, true)
}

fn shown(number: u64, part: &[u8], spans: Vec<Range<usize>>, from: usize, cut: bool) -> LineHit {
    let spans = match std::str::from_utf8(part) {
        // Replacement characters would shift the positions.
        Err(_) => Vec::new(),
        Ok(_) => {
            let moved = spans
                .into_iter()
                .map(|it| it.start.saturating_sub(from)..it.end.saturating_sub(from));
            let clipped = moved.map(|it| it.start.min(part.len())..it.end.min(part.len()));
            clipped.filter(|it| it.start < part.len() || it.is_empty() && !cut).collect()
        }
    };
    LineHit { number, text: String::from_utf8_lossy(part).into_owned(), spans, cut }
}

/// The start of the character at this offset.
fn character_start(line: &[u8], mut at: usize) -> usize {
    let continues = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    while 0 < at && line.get(at).is_some_and(continues) {
        at -= 1;
    }
    at
}

/// A file whose reads fail once the search is cancelled.
struct Cancellable<'search> {
    file: &'search File,
    control: &'search SearchControl,
}

impl Read for Cancellable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.control.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.file.read(buffer)
    }
}
