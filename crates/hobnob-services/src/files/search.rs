//! Runs a search over one place or over all granted folders, page by page, and tells of hits as they
//! are found.

use super::action::Performed;
use super::address::{address_beneath, address_of};
use super::service::PresentedFiles;
use hobnob_machine::files::{
    FileOutcome, SearchControl, SearchHit, SearchPage, SearchTotals, TotalCount,
};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::{FileOperation, FileSearch, HitCount};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, interval_at};

/// How often a search says how far it is.
const TICK: Duration = Duration::from_millis(500);
/// Hits that are told while a search runs; the result has all of the page.
const TOLD: u64 = 100;
/// Characters of a hit that are told.
const TOLD_CHARACTERS: usize = 200;

/// A search as a tool asks for it.
pub(super) struct SearchRequest {
    /// Where; everywhere if not said.
    pub(super) path: Option<String>,
    pub(super) wish: FileSearch,
    pub(super) limit: usize,
    pub(super) cursor: Option<String>,
}

/// What all places of a search together have.
#[derive(Default)]
pub(super) struct FoundPage {
    pub(super) hits: Vec<FoundHit>,
    pub(super) totals: SearchTotals,
    pub(super) next: Option<String>,
}

/// A hit with its absolute path.
pub(super) struct FoundHit {
    pub(super) path: String,
    /// Only of a path that is not UTF-8.
    pub(super) uri: Option<String>,
    pub(super) hit: SearchHit,
}

/// Where a page begins: a place by its text, and the cursor within it.
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
    /// One page of hits over all places, in the order of the places and of their paths.
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
            // There is no such folder: the refusal says how one is granted.
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
        let told = Arc::new(ToldProgress::new(context));
        for place in &places {
            let here = start.as_ref().filter(|start| start.place == *place);
            begun |= here.is_some();
            // A place before the page or behind it is only counted, if that is wanted at all.
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
            self.find_in(context, place, operation, &mut found, &told).await?;
        }
        Ok(found)
    }

    /// Adds what one place has.
    async fn find_in(
        &self,
        context: &CallContext,
        place: &str,
        operation: FileOperation<String>,
        found: &mut FoundPage,
        told: &Arc<ToldProgress>,
    ) -> Result<(), ToolError> {
        let hear = Arc::clone(told);
        let control = Arc::new(SearchControl::with_hits(move |hit| hear.hit(hit)));
        let mut work = pin!(self.perform_watched(context, place, operation, Arc::clone(&control)));
        let mut ticks = interval_at(Instant::now() + TICK, TICK);
        let done = loop {
            tokio::select! {
                done = &mut work => break done.map_err(|error| self.failed(error))?,
                _ = ticks.tick() => told.counts(&control),
            }
        };
        told.place_done(&control);
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

/// What was told while a search runs: hits as they are found, and how far it is.
struct ToldProgress {
    context: CallContext,
    state: Mutex<ToldState>,
}

#[derive(Default)]
struct ToldState {
    /// Each message has a larger number than the one before.
    last: f64,
    hits: u64,
    /// Entries and hits of the places that are done.
    entries_before: u64,
    hits_before: u64,
}

impl ToldProgress {
    fn new(context: &CallContext) -> Self {
        Self { context: context.clone(), state: Mutex::default() }
    }

    fn hit(&self, hit: &SearchHit) {
        // Held while it is told, so that numbers grow on the wire too.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.hits += 1;
        if TOLD < state.hits {
            return;
        }
        let mut message = hit.path.clone();
        if let Some(line) = &hit.line {
            message = format!("{message}:{}: {}", line.number, line.text.trim());
        }
        let message: String = message.chars().take(TOLD_CHARACTERS).collect();
        state.tell(&self.context, 0.0, &message);
    }

    fn counts(&self, control: &SearchControl) {
        let now = control.progress();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (entries, hits) = (state.entries_before + now.files, state.hits_before + now.matches);
        #[expect(clippy::cast_precision_loss, reason = "nobody has so many files")]
        let done = entries as f64;
        state.tell(&self.context, done, &format!("{entries} entries looked at, {hits} hits"));
    }

    fn place_done(&self, control: &SearchControl) {
        let now = control.progress();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.entries_before += now.files;
        state.hits_before += now.matches;
    }
}

impl ToldState {
    fn tell(&mut self, context: &CallContext, done: f64, message: &str) {
        self.last = done.max(self.last + 1.0);
        context.progress(self.last, None, Some(message));
    }
}
