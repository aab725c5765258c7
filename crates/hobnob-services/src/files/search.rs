//! Runs a search over one place or all granted folders, page by page, and reports hits as progress
//! while it runs.

use super::action::Performed;
use super::address::{address_beneath, address_of};
use super::service::PresentedFiles;
use hobnob_machine::files::{
    FileOutcome, SearchControl, SearchHit, SearchPage, SearchTotals, TotalCount,
};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::{FileOperation, FileSearch, HitCount};
use parking_lot::Mutex;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, interval_at};

/// Time between two progress reports of a search.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);
/// Most hits that are reported while a search runs; the result has the whole page.
const MAX_REPORTED: u64 = 100;
/// Most characters of a hit in a progress report.
const REPORTED_CHARS: usize = 200;

/// A search as a tool asks for it.
pub(super) struct SearchRequest {
    /// The place to search, or `None` for all granted folders.
    pub(super) path: Option<String>,
    pub(super) wish: FileSearch,
    pub(super) limit: usize,
    pub(super) cursor: Option<String>,
}

/// One page of hits, with the totals of all places of a search.
#[derive(Default)]
pub(super) struct FoundPage {
    pub(super) hits: Vec<FoundHit>,
    pub(super) totals: SearchTotals,
    pub(super) next: Option<String>,
}

/// A hit with its absolute path.
pub(super) struct FoundHit {
    pub(super) path: String,
    /// Set only for a path that is not UTF-8.
    pub(super) uri: Option<String>,
    pub(super) hit: SearchHit,
}

/// Where a page begins: the text of a place, and the cursor within it.
struct PageStart {
    place: String,
    inner: Option<String>,
}

impl PageStart {
    fn text(&self) -> String {
        let place = utf8_percent_encode(&self.place, NON_ALPHANUMERIC);
        format!("{place}:{}", self.inner.as_deref().unwrap_or_default())
    }

    fn parse(text: &str) -> Option<Self> {
        let (place, inner) = text.split_once(':')?;
        let place = percent_decode_str(place).decode_utf8().ok()?.into_owned();
        Some(Self { place, inner: Some(inner.to_owned()).filter(|inner| !inner.is_empty()) })
    }
}

impl PresentedFiles {
    /// One page of hits over all places, ordered by place and then by path.
    pub(super) async fn find(
        &self,
        context: &CallContext,
        request: SearchRequest,
    ) -> Result<FoundPage, ToolError> {
        let places = match &request.path {
            Some(path) => vec![path.clone()],
            None => self.roots(context).iter().map(|root| address_of(root.path())).collect(),
        };
        if places.is_empty() {
            // There is no such folder: the refusal says how to grant one.
            self.perform(context, "FOLDER", FileOperation::Stat).await?;
        }
        let start = match &request.cursor {
            None => None,
            Some(text) => {
                let start = PageStart::parse(text).filter(|it| places.contains(&it.place));
                let foreign = "cursor: it is not one of this search: begin again without one";
                Some(start.ok_or_else(|| self.invalid(foreign))?)
            }
        };
        let mut found = FoundPage::default();
        let mut begun = start.is_none();
        let reporter = Arc::new(ProgressReporter::new(context));
        for place in &places {
            let here = start.as_ref().filter(|start| start.place == *place);
            begun |= here.is_some();
            // The hits of a place before or after the page are only counted, and only on request.
            let room = if begun { request.limit - found.hits.len() } else { 0 };
            if room == 0 && begun && found.next.is_none() {
                found.next = Some(PageStart { place: place.clone(), inner: None }.text());
            }
            if room == 0 && request.wish.count == HitCount::UntilPageIsFull {
                found.totals.count = TotalCount::AtLeast;
                continue;
            }
            let operation = FileOperation::Search {
                wish: Box::new(request.wish.clone()),
                after: here.and_then(|start| start.inner.clone()),
                limit: room,
            };
            self.find_in(context, place, operation, &mut found, &reporter).await?;
        }
        Ok(found)
    }

    /// Searches one place, and adds its hits to the page.
    async fn find_in(
        &self,
        context: &CallContext,
        place: &str,
        operation: FileOperation<String>,
        found: &mut FoundPage,
        reporter: &Arc<ProgressReporter>,
    ) -> Result<(), ToolError> {
        let hit_reporter = Arc::clone(reporter);
        let control = Arc::new(SearchControl::with_hits(move |hit| hit_reporter.hit(hit)));
        let mut work = pin!(self.perform_watched(context, place, operation, Arc::clone(&control)));
        let mut ticks = interval_at(Instant::now() + REPORT_INTERVAL, REPORT_INTERVAL);
        let done = loop {
            tokio::select! {
                done = &mut work => break done.map_err(|error| self.failed(error))?,
                _ = ticks.tick() => reporter.counts(&control),
            }
        };
        reporter.place_done(&control);
        let Performed { outcome, place: root } = done;
        let FileOutcome::Search(page) = outcome else { return Err(self.unexpected(&outcome)) };
        found.add(place, root.root().path(), page);
        Ok(())
    }
}

impl FoundPage {
    fn add(&mut self, place: &str, root: &Path, page: SearchPage) {
        let hits = page.hits.into_iter().map(|hit| FoundHit {
            path: root.join(&hit.path).display().to_string(),
            uri: hit.encoded.as_ref().map(|encoded| address_beneath(root, encoded)),
            hit,
        });
        self.hits.extend(hits);
        if let (Some(next), None) = (page.next, &self.next) {
            let start = PageStart { place: place.to_owned(), inner: Some(next.to_string()) };
            self.next = Some(start.text());
        }
        let (all, here) = (&mut self.totals, page.totals);
        all.hits += here.hits;
        all.files += here.files;
        all.candidates += here.candidates;
        all.skipped.binary += here.skipped.binary;
        all.skipped.hard_linked += here.skipped.hard_linked;
        all.skipped.unreadable += here.skipped.unreadable;
        if here.count == TotalCount::AtLeast {
            all.count = TotalCount::AtLeast;
        }
    }
}

/// Reports the progress of a running search: hits as they are found, and how far it has come.
struct ProgressReporter {
    context: CallContext,
    state: Mutex<ReporterState>,
}

#[derive(Default)]
struct ReporterState {
    /// The progress value of the last message; each message must have a larger one.
    last: f64,
    hits: u64,
    /// Entries and hits of the places that are finished.
    entries_before: u64,
    hits_before: u64,
}

impl ProgressReporter {
    fn new(context: &CallContext) -> Self {
        Self { context: context.clone(), state: Mutex::default() }
    }

    fn hit(&self, hit: &SearchHit) {
        // The lock is held during the report, so that the values also increase on the wire.
        let mut state = self.state.lock();
        state.hits += 1;
        if MAX_REPORTED < state.hits {
            return;
        }
        let mut message = hit.path.clone();
        if let Some(line) = &hit.line {
            message = format!("{message}:{}: {}", line.number, line.text.trim());
        }
        let message: String = message.chars().take(REPORTED_CHARS).collect();
        state.report(&self.context, 0.0, &message);
    }

    fn counts(&self, control: &SearchControl) {
        let now = control.progress();
        let mut state = self.state.lock();
        let (entries, hits) = (state.entries_before + now.files, state.hits_before + now.matches);
        #[expect(clippy::cast_precision_loss, reason = "file counts are far below 2^53")]
        let done = entries as f64;
        state.report(&self.context, done, &format!("{entries} entries looked at, {hits} hits"));
    }

    fn place_done(&self, control: &SearchControl) {
        let now = control.progress();
        let mut state = self.state.lock();
        state.entries_before += now.files;
        state.hits_before += now.matches;
    }
}

impl ReporterState {
    fn report(&mut self, context: &CallContext, done: f64, message: &str) {
        self.last = done.max(self.last + 1.0);
        context.progress(self.last, None, Some(message));
    }
}
