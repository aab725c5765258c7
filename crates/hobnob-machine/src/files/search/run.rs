//! Runs a search: one walk that collects one page, and counts all hits unless that is not wanted.

use std::os::fd::{AsFd, BorrowedFd};

use hobnob_policy::{EntryKind, FileSearch, HitCount, RelativePath};
use rustix::fs::{AtFlags, fstat, statat};

use super::content::ContentSearcher;
use super::page::{BadSearchCursor, HitKey, PageBound, PageHits, SearchCursor, SearchDigest};
use super::query::{BadPattern, Matchers};
use crate::files::control::SearchControl;
use crate::files::descend::{LastLink, Leaf, Resolved};
use crate::files::encoded::encode_unless_text;
use crate::files::ignored::IgnoreRules;
use crate::files::kind::{kind_of, must_be_file};
use crate::files::open::open_bytes;
use crate::files::problem::{FileError, FileRefusal};
use crate::files::root::ConfinedRoot;
use crate::files::search_hit::{LineHit, SearchHit};
use crate::files::stat::FileFacts;
use crate::files::walk::{Visits, WalkEntry, WalkOrder, WalkRules, walk};

/// Why a search did not start or did not finish.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The start path cannot be used, or the search was cancelled.
    #[error(transparent)]
    File(#[from] FileError),
    /// A glob or a regular expression of the query cannot be parsed.
    #[error(transparent)]
    Pattern(#[from] BadPattern),
    /// The cursor does not belong to this search.
    #[error(transparent)]
    Cursor(#[from] BadSearchCursor),
}

/// One page of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPage {
    /// The hits in the order of their paths' bytes, then of their lines.
    pub hits: Vec<SearchHit>,
    /// Counts over everything that was visited, not only over this page.
    pub totals: SearchTotals,
    /// The cursor of the next page, if there are more hits.
    pub next: Option<SearchCursor>,
}

/// Whether a total is complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TotalCount {
    /// Every entry was visited.
    #[default]
    Exact,
    /// Entries that cannot be on the page were not counted.
    AtLeast,
}

/// Counts over the whole search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchTotals {
    /// Hits on all pages together.
    pub hits: u64,
    /// Whether `hits` is exact or a lower bound.
    pub count: TotalCount,
    /// Files with at least one hit; the same as `hits` if the search has no content pattern.
    pub files: u64,
    /// Entries that match by name, kind, size and time.
    pub candidates: u64,
    /// Entries that could not be searched.
    pub skipped: SearchSkipped,
}

/// Entries and folders that were skipped, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchSkipped {
    /// Files with NUL bytes, which are not text.
    pub binary: u64,
    /// Files with several names, which the grant does not allow.
    pub hard_linked: u64,
    /// Files and folders that could not be opened or read to the end.
    pub unreadable: u64,
}

/// Searches below a path, or in one file, and returns at most `limit` hits after the cursor.
pub(crate) fn search(
    root: &ConfinedRoot,
    path: &RelativePath,
    wish: &FileSearch,
    after: Option<&SearchCursor>,
    limit: usize,
    control: &SearchControl,
) -> Result<SearchPage, SearchError> {
    // A caller may count the hits on one page and not on the next.
    let words = FileSearch { count: HitCount::All, ..wish.clone() };
    let digest = SearchDigest::of(&format!("{path} {words:?}"));
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
    // One more than the page has, to know whether there is another page.
    let wanted = limit.saturating_add(1);
    let bound = match wish.count {
        HitCount::All => None,
        HitCount::UntilPageIsFull => Some(PageBound::new(wanted, after.clone())),
    };
    let leaves_out = |folder: &[u8]| bound.as_ref().is_some_and(|it| it.excludes_below(folder));
    let rules = WalkRules {
        ignore: IgnoreRules::new(wish.ignore_files, wish.dot_files),
        depth: wish.depth.unwrap_or(usize::MAX),
        visits: if matchers.content.is_some() { Visits::Costly } else { Visits::Cheap },
        order: match wish.count {
            HitCount::All => WalkOrder::Any,
            // In this order the page is full soon, and the rest of the walk is short.
            HitCount::UntilPageIsFull => WalkOrder::SmallestFirst,
        },
        leaves_out: &leaves_out,
    };
    let prefix = prefix_of(&start);
    let make = || Finder {
        root,
        matchers,
        prefix,
        content: matchers.content.as_ref().map(|it| ContentSearcher::new(it, wish.count, control)),
        control,
        bound: bound.as_ref(),
        hits: PageHits::new(wanted, after.clone()),
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
    if bound.as_ref().is_some_and(|bound| !bound.saw_all()) {
        totals.count = TotalCount::AtLeast;
    }
    let mut hits = PageHits::merge(pages, wanted);
    let more = limit < hits.len();
    hits.truncate(limit);
    let last = hits.last().filter(|_| more).map(|(key, _)| key.clone());
    Ok((hits.into_iter().map(|(_, hit)| hit).collect(), totals, last))
}

/// How many bytes of a path come before the part below the start of the search.
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

/// The search of one thread, and its hits.
struct Finder<'search> {
    root: &'search ConfinedRoot,
    matchers: &'search Matchers,
    prefix: usize,
    content: Option<ContentSearcher<'search>>,
    control: &'search SearchControl,
    /// Set only if the search skips what cannot be on the page.
    bound: Option<&'search PageBound>,
    hits: PageHits<SearchHit>,
    totals: SearchTotals,
}

impl Finder<'_> {
    fn visit(&mut self, entry: &WalkEntry<'_>) {
        let below = entry.path.get(self.prefix..).unwrap_or_default();
        if !self.matchers.names(entry.name, below, entry.kind) {
            return self.control.count(1, 0);
        }
        if self.bound.is_some_and(|bound| bound.excludes_entry(entry.path)) {
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
            // The entry was removed or replaced meanwhile.
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
                self.keep(entry, &facts, None);
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
        if let Some(bound) = self.bound.filter(|_| found.left_early) {
            bound.leave_out();
        }
        for line in found.lines {
            self.keep(entry, &facts, Some(line));
        }
        Ok(())
    }

    /// Reports a hit, and adds it to the page.
    fn keep(&mut self, entry: &WalkEntry<'_>, facts: &FileFacts, line: Option<LineHit>) {
        let number = line.as_ref().map_or(0, |line| line.number);
        let key = HitKey { path: entry.path.into(), line: number };
        let hit = hit(entry, facts, line);
        self.control.found(&hit);
        if let Some(bound) = self.bound {
            bound.add(&key);
        }
        self.hits.push(key, hit);
    }
}

fn look_at(folder: BorrowedFd<'_>, entry: &WalkEntry<'_>) -> Result<FileFacts, FileRefusal> {
    Ok(FileFacts::of(&statat(folder, entry.name, AtFlags::SYMLINK_NOFOLLOW)?))
}

fn hit(entry: &WalkEntry<'_>, facts: &FileFacts, line: Option<LineHit>) -> SearchHit {
    let path = String::from_utf8_lossy(entry.path).into_owned();
    let encoded = encode_unless_text(entry.path);
    let (kind, size, modified) = (facts.kind, facts.size, facts.modified);
    SearchHit { path, encoded, kind, size, modified, line }
}
