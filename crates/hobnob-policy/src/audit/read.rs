//! Reads the log back, both streams merged, oldest first.
//!
//! Damaged lines are counted, not fatal: a torn last line is normal.

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::decision::Decision;
use super::lines::{LogFile, LogLines, open_files};
use super::stream::AuditStream;
use crate::glob::Glob;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// When it was done: a call has the time of its beginning.
    pub at: Timestamp,
    /// How many records are missing before this line; such a line has no other content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// The rest of a line before this one that a crash cut short; such a line has no other content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torn: Option<String>,
    /// `lost` if the head record was missing at a restart; such a line has no other content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// How many more refusals like this one there were; this line stands for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<u64>,
    /// When the first of these refusals was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The principal that made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The address of the caller's connection; absent on pipes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What the client calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What the client calls its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_version: Option<String>,
    /// The part of Hobnob that made the call for the client, such as a session with a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The protocol revision the client spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The method, such as `tools/call`; `program/run` for a program of a service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The tool's public name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The resource's public address, without its parts that may be secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The public name of a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The program that was run, with its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The grant that a person made or took back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<String>,
    /// The upstream that was called; absent for Hobnob's own work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The name of the target at that server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// The decision of the rules and people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The deciding rule in one line, `default`, or `asked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The outcome; see `AuditOutcome::as_str`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The JSON-RPC error code, if the outcome is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// The duration in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
    /// Bytes of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_bytes: Option<u64>,
    /// Bytes of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_bytes: Option<u64>,
    /// The number of the line in its chain; absent in lines of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The hash of the line before it, in hexadecimal digits; `verify` checks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
}

impl AuditEntry {
    /// The principal; empty for callers without a name.
    pub fn principal(&self) -> &str {
        self.principal.as_deref().unwrap_or_default()
    }
}

/// Which lines to read; a condition that is not set does not matter.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Only lines at this time or later.
    pub since: Option<Timestamp>,
    /// Only lines of this principal; the empty name stands for all callers without one.
    pub principal: Option<String>,
    /// Only lines of this upstream.
    pub server: Option<String>,
    /// Only lines of tools whose public name matches; see [`Glob::for_name`].
    pub tool: Option<Glob>,
    /// Only lines with this decision.
    pub decision: Option<Decision>,
    /// Only lines with this outcome, by its word in the log.
    pub outcome: Option<String>,
}

impl AuditFilter {
    /// Whether a line meets every condition.
    pub fn wants(&self, entry: &AuditEntry) -> bool {
        let same = |wanted: &Option<String>, is: &Option<String>| wanted.is_none() || wanted == is;
        let tool = |glob: &Glob| entry.tool.as_deref().is_some_and(|tool| glob.matches(tool));
        let decision = |decision: Decision| entry.decision.as_deref() == Some(decision.as_str());
        self.since.is_none_or(|since| since <= entry.at)
            && self.principal.as_deref().is_none_or(|name| name == entry.principal())
            && same(&self.server, &entry.server)
            && same(&self.outcome, &entry.outcome)
            && self.tool.as_ref().is_none_or(tool)
            && self.decision.is_none_or(decision)
    }
}

/// An iterator over the lines of both streams that pass a filter, oldest first.
#[derive(Debug)]
pub struct AuditReader {
    /// At equal times the first stream goes first: a decision comes before the call it is about.
    streams: [StreamReader; 2],
    /// The next line of each stream.
    next: [Option<AuditEntry>; 2],
}

impl AuditReader {
    /// Opens the log and its rotated files; a log that does not exist yet is empty.
    ///
    /// # Errors
    /// When a file is there but cannot be opened.
    pub fn open(path: &Path, filter: AuditFilter) -> io::Result<Self> {
        let open = |stream: AuditStream| {
            Ok::<_, io::Error>(StreamReader::over(open_files(&stream.path(path))?, filter.clone()))
        };
        let streams = [open(AuditStream::Decisions)?, open(AuditStream::Calls)?];
        Ok(Self { streams, next: [None, None] })
    }

    /// How many lines so far could not be parsed.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.streams.iter().map(|stream| stream.damaged).sum()
    }
}

impl Iterator for AuditReader {
    type Item = io::Result<AuditEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        for (stream, next) in self.streams.iter_mut().zip(&mut self.next) {
            match next.is_none().then(|| stream.next()).flatten().transpose() {
                Ok(Some(entry)) => *next = Some(entry),
                Ok(None) => {}
                Err(error) => return Some(Err(error)),
            }
        }
        let earliest = self.next.iter_mut().filter(|next| next.is_some());
        earliest.min_by_key(|next| next.as_ref().map(|entry| entry.at))?.take().map(Ok)
    }
}

/// The lines of one stream that pass a filter, oldest first.
#[derive(Debug)]
struct StreamReader {
    lines: LogLines,
    filter: AuditFilter,
    damaged: u64,
}

impl StreamReader {
    fn over(files: Vec<LogFile>, filter: AuditFilter) -> Self {
        Self { lines: LogLines::over(files), filter, damaged: 0 }
    }
}

impl Iterator for StreamReader {
    type Item = io::Result<AuditEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next() {
                Ok(line) => line?,
                Err(error) => return Some(Err(error)),
            };
            match serde_json::from_slice::<AuditEntry>(line.bytes) {
                Ok(entry) if self.filter.wants(&entry) => return Some(Ok(entry)),
                Ok(_) => {}
                Err(_) => self.damaged += 1,
            }
        }
    }
}

/// The last `limit` lines of both streams that pass a filter, newest last. Rotated files are read
/// only when needed.
///
/// # Errors
/// When a file is there but cannot be opened or read.
pub fn last(path: &Path, filter: &AuditFilter, limit: usize) -> io::Result<Vec<AuditEntry>> {
    let of = |stream: AuditStream| last_of(&stream.path(path), filter, limit);
    let (mut decisions, mut calls) = (of(AuditStream::Decisions)?, of(AuditStream::Calls)?);
    let mut found = VecDeque::new();
    while found.len() < limit {
        // Pop the newest line; within a stream the order of lines counts, not their times.
        let newer = match (decisions.back(), calls.back()) {
            (Some(decision), Some(call)) if call.at < decision.at => decisions.pop_back(),
            (Some(_), None) => decisions.pop_back(),
            (_, _) => calls.pop_back(),
        };
        let Some(entry) = newer else { break };
        found.push_front(entry);
    }
    Ok(found.into())
}

fn last_of(path: &Path, filter: &AuditFilter, limit: usize) -> io::Result<VecDeque<AuditEntry>> {
    let mut found: VecDeque<AuditEntry> = VecDeque::new();
    for file in open_files(path)? {
        let room = limit - found.len();
        if room == 0 {
            break;
        }
        let mut newest = VecDeque::new();
        for entry in StreamReader::over(vec![file], filter.clone()) {
            newest.push_back(entry?);
            if room < newest.len() {
                newest.pop_front();
            }
        }
        newest.append(&mut found);
        found = newest;
    }
    Ok(found)
}
