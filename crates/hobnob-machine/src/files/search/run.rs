//! Runs a search: one walk that counts everything and keeps one page.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::SystemTime;

use hobnob_policy::{EntryKind, FileSearch, RelativePath};
use rustix::fs::{AtFlags, fstat, statat};

use super::content::{ContentSearcher, LineHit};
use super::page::{BadSearchCursor, HitKey, PageHits, SearchCursor, SearchDigest};
use super::query::{BadPattern, Matchers};
use crate::files::control::SearchControl;
use crate::files::descend::{LastLink, Leaf, Resolved};
use crate::files::ignored::IgnoreRules;
use crate::files::kind::{kind_of, must_be_file};
use crate::files::open::open_bytes;
use crate::files::problem::{FileError, FileRefusal};
use crate::files::root::ConfinedRoot;
use crate::files::stat::FileFacts;
use crate::files::walk::{Visits, WalkEntry, WalkRules, walk};

/// Why a search did not run or did not end.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The place to search cannot be used, or the search was cancelled.
    #[error(transparent)]
    File(#[from] FileError),
    /// A glob or a regular expression of the query cannot be read.
    #[error(transparent)]
    Pattern(#[from] BadPattern),
    /// The cursor is not one of this search.
    #[error(transparent)]
    Cursor(#[from] BadSearchCursor),
}

/// An entry or a line that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// Its path below the granted folder, with replacement characters where it is not UTF-8.
    pub path: String,
    /// What the entry is itself; a link is not followed.
    pub kind: EntryKind,
    /// How many bytes it has.
    pub size: u64,
    /// When its content last changed.
    pub modified: SystemTime,
    /// Only of a search for content: the line.
    pub line: Option<LineHit>,
}

/// One page of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPage {
    /// The hits in the order of their paths' bytes, then of their lines.
    pub hits: Vec<SearchHit>,
    /// Counts over everything, not only over this page.
    pub totals: SearchTotals,
    /// Where the next page begins, if there is more.
    pub next: Option<SearchCursor>,
}

/// Counts over the whole search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchTotals {
    /// Hits on all pages together.
    pub hits: u64,
    /// Files with at least one hit; the same as `hits` if no content was searched for.
    pub files: u64,
    /// Entries whose name, kind, size and time fit.
    pub candidates: u64,
    /// What could not be searched.
    pub skipped: SearchSkipped,
}

/// Candidates and folders that were left out, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchSkipped {
    /// Files with NUL bytes, which are not text.
    pub binary: u64,
    /// Files with several names, which the grant does not allow.
    pub hard_linked: u64,
    /// Files and folders that could not be opened or read to the end.
    pub unreadable: u64,
}

/// Searches below a path, or in the one file it names, and gives at most `limit` hits after the cursor.
pub fn search(
    root: &ConfinedRoot,
    path: &RelativePath,
    wish: &FileSearch,
    after: Option<&SearchCursor>,
    limit: usize,
    control: &SearchControl,
) -> Result<SearchPage, SearchError> {
    let digest = SearchDigest::of(&format!("{path} {wish:?}"));
    let after = match after {
        None => None,
        Some(cursor) => {
            let foreign = || BadSearchCursor(cursor.to_string());
            Some(cursor.after(&digest).ok_or_else(foreign)?.clone())
        }
    };
    let matchers = Matchers::compile(wish)?;
    let found = run(root, path, wish, &matchers, (after, limit), control);
    let (hits, totals, last) = found.map_err(|refusal| FileError::new(path, refusal))?;
    Ok(SearchPage { hits, totals, next: last.map(|last| SearchCursor::new(digest, last)) })
}

fn run(
    root: &ConfinedRoot,
    path: &RelativePath,
    wish: &FileSearch,
    matchers: &Matchers,
    (after, limit): (Option<HitKey>, usize),
    control: &SearchControl,
) -> Result<(Vec<SearchHit>, SearchTotals, Option<HitKey>), FileRefusal> {
    let start = root.resolve(path, LastLink::Follow)?;
    let rules = WalkRules {
        ignore: IgnoreRules::new(wish.ignore_files, wish.dot_files),
        depth: wish.depth.unwrap_or(usize::MAX),
        visits: if matchers.content.is_some() { Visits::Costly } else { Visits::Cheap },
    };
    let prefix = prefix_of(&start);
    let make = || Finder {
        root,
        matchers,
        prefix,
        content: matchers.content.as_ref().map(|it| ContentSearcher::new(it, control)),
        control,
        // One more than the page has, to know whether there is another page.
        hits: PageHits::new(limit.saturating_add(1), after.clone()),
        totals: SearchTotals::default(),
    };
    let walked = walk(root, &start, &rules, control, make, Finder::visit)?;
    let mut totals = SearchTotals::default();
    totals.skipped.unreadable = walked.unreadable;
    let mut pages = Vec::new();
    for finder in walked.states {
        totals.add(&finder.totals);
        pages.push(finder.hits);
    }
    let mut hits = PageHits::merge(pages, limit.saturating_add(1));
    let more = limit < hits.len();
    hits.truncate(limit);
    let last = hits.last().filter(|_| more).map(|(key, _)| key.clone());
    Ok((hits.into_iter().map(|(_, hit)| hit).collect(), totals, last))
}

/// How many bytes of a path come before what is below the start of the search.
fn prefix_of(start: &Resolved<'_>) -> usize {
    let above: usize =
        start.way().map(|(name, _)| name.len() + usize::from(!name.is_empty())).sum();
    match &start.leaf {
        Leaf::Present(opened) if opened.kind() == EntryKind::Folder => {
            above + opened.name.len() + 1
        }
        Leaf::Present(_) | Leaf::Root | Leaf::Absent(_) => above,
    }
}

impl SearchTotals {
    fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.files += other.files;
        self.candidates += other.candidates;
        self.skipped.binary += other.skipped.binary;
        self.skipped.hard_linked += other.skipped.hard_linked;
        self.skipped.unreadable += other.skipped.unreadable;
    }
}

/// What one thread looks for, and what it has found.
struct Finder<'search> {
    root: &'search ConfinedRoot,
    matchers: &'search Matchers,
    prefix: usize,
    content: Option<ContentSearcher<'search>>,
    control: &'search SearchControl,
    hits: PageHits<SearchHit>,
    totals: SearchTotals,
}

impl Finder<'_> {
    fn visit(&mut self, entry: &WalkEntry<'_>) {
        let below = entry.path.get(self.prefix..).unwrap_or_default();
        if !self.matchers.names(entry.name, below, entry.kind) {
            return self.control.count(1, 0);
        }
        let before = self.totals.hits;
        let done = match self.content {
            Some(_) => self.search_content(entry),
            None => self.take_entry(entry),
        };
        match done {
            Ok(()) => {}
            Err(FileRefusal::HardLinked) => self.totals.skipped.hard_linked += 1,
            // What went away or was exchanged meanwhile is not there.
            Err(FileRefusal::Missing | FileRefusal::TooManyLinks | FileRefusal::NotFile) => {}
            Err(_) => self.totals.skipped.unreadable += 1,
        }
        self.control.count(1, self.totals.hits - before);
    }

    fn take_entry(&mut self, entry: &WalkEntry<'_>) -> Result<(), FileRefusal> {
        let wanted = self.hits.wants_entry(entry.path);
        if wanted || self.matchers.needs_facts() {
            let facts = look_at(entry.folder, entry)?;
            if !self.matchers.facts(&facts) {
                return Ok(());
            }
            if wanted {
                let key = HitKey { path: entry.path.into(), line: 0 };
                self.hits.push(key, hit(entry, &facts, None));
            }
        }
        self.totals.candidates += 1;
        self.totals.files += 1;
        self.totals.hits += 1;
        Ok(())
    }

    fn search_content(&mut self, entry: &WalkEntry<'_>) -> Result<(), FileRefusal> {
        let Some(searcher) = &mut self.content else { return Ok(()) };
        let file = open_bytes(entry.folder, entry.name)?;
        let stat = fstat(file.as_fd())?;
        must_be_file(kind_of(&stat))?;
        let facts = FileFacts::of(&stat);
        if !self.matchers.facts(&facts) {
            return Ok(());
        }
        self.totals.candidates += 1;
        self.root.refuse_hard_links(&stat)?;
        if facts.size == 0 {
            return Ok(());
        }
        let wanted = self.hits.wanted(entry.path);
        let found = searcher.search(&file, wanted, self.hits.limit())?;
        self.totals.skipped.binary += u64::from(found.binary);
        self.totals.hits += found.count;
        self.totals.files += u64::from(0 < found.count);
        for line in found.lines {
            let key = HitKey { path: entry.path.into(), line: line.number };
            self.hits.push(key, hit(entry, &facts, Some(line)));
        }
        Ok(())
    }
}

fn look_at(folder: BorrowedFd<'_>, entry: &WalkEntry<'_>) -> Result<FileFacts, FileRefusal> {
    Ok(FileFacts::of(&statat(folder, entry.name, AtFlags::SYMLINK_NOFOLLOW)?))
}

fn hit(entry: &WalkEntry<'_>, facts: &FileFacts, line: Option<LineHit>) -> SearchHit {
    let path = String::from_utf8_lossy(entry.path).into_owned();
    let (kind, size, modified) = (facts.kind, facts.size, facts.modified);
    SearchHit { path, kind, size, modified, line }
}
