//! Follows the chain of a log from its first linked line to its last, and compares it with the head
//! record. `hobnob audit verify` prints the report.
//!
//! Other processes may append meanwhile: the files and the head record are opened under the log's
//! lock, and only what they held then is read.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::chain::{ChainEnd, LineHash, Link};
use super::chain_fault::{BrokenLink, ChainFault, ExaminedLine, LinePlace, LineRemarks};
use super::head::{Head, StoredHead, read_head};
use super::lines::{LogLines, RawLine, open_files};

/// The result for one log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChainReport {
    /// Lines of earlier versions, without a hash, before the chain begins.
    pub unchained: u64,
    /// The span in which the chain holds; absent without any linked line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<ChainSpan>,
    /// What breaks the chain, or makes it impossible to tell whether it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<ChainFault>,
    /// Lines that keep the rest of a line that a crash cut short; the chain continues with them.
    pub repaired: Vec<LinePlace>,
    /// The beginning of a last line that is unfinished and not repaired yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<LinePlace>,
    /// Records that could not be written, as counted by the lines that report them.
    pub lost: u64,
    /// Lines that are newer than the head record.
    pub newer_than_head: u64,
    /// One result for each hash that the caller asked about.
    pub anchors: Vec<AnchorCheck>,
}

/// A part of a chain without a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChainSpan {
    /// The oldest line whose hash fits the one before it.
    pub first: LinePlace,
    /// The newest line that the chain reaches.
    pub last: LinePlace,
    /// The hash of the newest line: kept elsewhere, it proves later that the lines are unchanged.
    pub hash: LineHash,
}

/// Whether a line with this hash is in the part of the chain that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnchorCheck {
    /// The hash as it was kept elsewhere.
    pub hash: LineHash,
    /// The line with that hash; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<LinePlace>,
}

/// Checks the log at `path` and its renamed files; a log that does not exist is an empty one.
///
/// # Errors
/// When a file is there but cannot be read.
pub fn verify_chain(path: &Path, anchors: &[LineHash]) -> io::Result<ChainReport> {
    let (mut lines, head) = snapshot(path)?;
    let mut walk = ChainWalk::new(head, anchors);
    let mut next = examined(&mut lines)?;
    while let Some(line) = next.take() {
        next = examined(&mut lines)?;
        match walk.add(&line, next.is_none()) {
            WalkStep::GoesOn => {}
            WalkStep::OtherThanHead => return Ok(walk.report),
            WalkStep::Breaks => {
                let wanted = walk.end.map_or(1, |end| end.seq.saturating_add(1));
                let displaced = find(wanted, next.as_ref(), &mut lines)?;
                walk.record_break(&line, next.as_ref(), displaced);
                return Ok(walk.report);
            }
        }
    }
    walk.finish();
    Ok(walk.report)
}

/// The files and the head record as they were at one moment.
fn snapshot(path: &Path) -> io::Result<(LogLines, Option<Head>)> {
    let current = File::open(path).ok();
    if let Some(current) = &current {
        match current.lock_shared() {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
            other => other?,
        }
    }
    let opened = open_files(path).and_then(|files| Ok((files, read_head(path)?)));
    if let Some(current) = &current {
        current.unlock()?;
    }
    let (files, stored) = opened?;
    let head = match stored {
        StoredHead::Known(head) => Some(head),
        StoredHead::Missing | StoredHead::Damaged => None,
    };
    Ok((LogLines::over(files), head))
}

/// Looks for a line with this number further on.
fn find(
    seq: u64,
    next: Option<&ExaminedLine>,
    lines: &mut LogLines,
) -> io::Result<Option<LinePlace>> {
    let is_it = |line: &ExaminedLine| line.place.seq == Some(seq);
    if let Some(next) = next.filter(|next| is_it(next)) {
        return Ok(Some(next.place.clone()));
    }
    while let Some(line) = examined(lines)? {
        if is_it(&line) {
            return Ok(Some(line.place));
        }
    }
    Ok(None)
}

fn examined(lines: &mut LogLines) -> io::Result<Option<ExaminedLine>> {
    let Some(RawLine { bytes, file, number, is_whole }) = lines.next()? else { return Ok(None) };
    let link = Link::of(bytes);
    let remarks: LineRemarks = serde_json::from_slice(bytes).unwrap_or_default();
    let (seq, at) = (link.map(|link| link.seq), remarks.at);
    let place = LinePlace { file: Arc::clone(file), line: number, seq, at };
    Ok(Some(ExaminedLine { place, link, hash: LineHash::of(bytes), is_whole, remarks }))
}

/// What a line means for the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WalkStep {
    GoesOn,
    /// The line's link does not fit.
    Breaks,
    /// The line fits, but it is not the line that the head record names.
    OtherThanHead,
}

/// The report so far, and the state of the walk.
struct ChainWalk {
    report: ChainReport,
    end: Option<ChainEnd>,
    /// What still holds if the last line turns out to be changed.
    confirmed: Option<ChainSpan>,
    head: Option<Head>,
    /// The line that says that the head record was once lost.
    head_lost: Option<LinePlace>,
}

impl ChainWalk {
    fn new(head: Option<Head>, anchors: &[LineHash]) -> Self {
        let anchors = anchors.iter().map(|hash| AnchorCheck { hash: *hash, line: None });
        let report = ChainReport {
            unchained: 0,
            holds: None,
            fault: None,
            repaired: Vec::new(),
            unfinished: None,
            lost: 0,
            newer_than_head: 0,
            anchors: anchors.collect(),
        };
        Self { report, end: None, confirmed: None, head, head_lost: None }
    }

    /// Adds a line to the chain, if it fits or the chain has not begun yet.
    fn add(&mut self, line: &ExaminedLine, is_last: bool) -> WalkStep {
        match (line.link, self.end) {
            (None, _) if is_last && !line.is_whole => {
                self.report.unfinished = Some(line.place.clone());
                WalkStep::GoesOn
            }
            (None, None) => {
                self.report.unchained += 1;
                WalkStep::GoesOn
            }
            (Some(link), None) => {
                self.check_start(line, link);
                self.extend(line, link)
            }
            (Some(link), Some(end))
                if Some(link.seq) == end.seq.checked_add(1) && link.prev == end.hash =>
            {
                self.extend(line, link)
            }
            (_, Some(_)) => WalkStep::Breaks,
        }
    }

    /// Checks the first line: rotation removes older ones, and the head record names the first.
    fn check_start(&mut self, line: &ExaminedLine, link: Link) {
        let place = line.place.clone();
        let oldest = self.head.map_or(1, |head| head.first);
        if oldest < link.seq {
            let (from, to) = (oldest, link.seq - 1);
            self.report.fault = Some(ChainFault::Removed { from, to, before: place });
        } else if link.seq == 1 && link.prev != LineHash::NONE {
            self.report.fault = Some(ChainFault::Changed { line: place });
        }
    }

    fn extend(&mut self, line: &ExaminedLine, link: Link) -> WalkStep {
        let end = ChainEnd { seq: link.seq, hash: line.hash };
        let known = self.head.map(|head| head.end).filter(|known| known.seq == end.seq);
        if known.is_some_and(|known| known != end) {
            self.report.fault.get_or_insert(ChainFault::Changed { line: line.place.clone() });
            return WalkStep::OtherThanHead;
        }
        let last = line.place.clone();
        self.confirmed = self.report.holds.take();
        let first = self.confirmed.as_ref().map_or_else(|| last.clone(), |it| it.first.clone());
        self.report.holds = Some(ChainSpan { first, last, hash: line.hash });
        self.end = Some(end);
        for anchor in self.report.anchors.iter_mut().filter(|anchor| anchor.hash == line.hash) {
            anchor.line = Some(line.place.clone());
        }
        self.report.lost += line.remarks.lost.unwrap_or(0);
        if line.remarks.torn.is_some() {
            self.report.repaired.push(line.place.clone());
        }
        if line.remarks.head.is_some() {
            self.head_lost.get_or_insert(line.place.clone());
        }
        WalkStep::GoesOn
    }

    fn record_break(
        &mut self,
        line: &ExaminedLine,
        next: Option<&ExaminedLine>,
        displaced: Option<LinePlace>,
    ) {
        let (Some(end), Some(span)) = (self.end, &self.report.holds) else { return };
        let head = self.head.map(|head| head.end);
        let broken = BrokenLink { before: &span.last, end, line, next, displaced, head };
        let fault = broken.fault();
        if fault.line() == Some(&span.last) {
            self.report.holds = self.confirmed.take();
        }
        // Lines that are missing at the start may only have been moved further on.
        let fault = match self.report.fault.take() {
            Some(ChainFault::Removed { from, to, before })
                if line.place.seq.is_some_and(|seq| (from..=to).contains(&seq)) =>
            {
                ChainFault::Moved { line: line.place.clone(), before }
            }
            earlier => earlier.unwrap_or(fault),
        };
        self.report.fault = Some(fault);
    }

    fn finish(&mut self) {
        let last = self.end.map_or(0, |end| end.seq);
        let fault = match self.head {
            None if self.end.is_some() => Some(ChainFault::HeadLost { line: None }),
            None => None,
            Some(head) if last < head.end.seq => {
                let from = self.end.map_or(head.first, |_| last + 1);
                Some(ChainFault::Cut { from, to: head.end.seq })
            }
            Some(head) => {
                self.report.newer_than_head = last - head.end.seq;
                None
            }
        };
        let lost = self.head_lost.take().map(|line| ChainFault::HeadLost { line: Some(line) });
        self.report.fault = self.report.fault.take().or(fault).or(lost);
    }
}
