//! Cuts a file of memories into parts that can be imported on their own, reading it part by part.
//!
//! What must stay true: no memory is cut in two, and at most one part of a file is held at a time.

use anyhow::{Context as _, bail};
use std::io::{BufRead, Read as _};

/// Where a memory may begin, so that the file can be cut there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cuts {
    /// Every memory is one line.
    Lines,
    /// At the line that opens a header. Such lines open and close it in turn; content has none.
    Headers,
}

/// How large parts are, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartSize {
    /// A part larger than this is cut where the next memory begins.
    pub(super) target: usize,
    /// The largest part. A memory that does not fit into it is an error.
    pub(super) max: usize,
}

/// The parts of one file.
pub(super) struct Parts<R> {
    source: R,
    cuts: Cuts,
    size: PartSize,
    /// The line that the next part begins with.
    held: String,
    /// How many lines were read.
    lines: u64,
    in_header: bool,
    has_ended: bool,
}

impl<R: BufRead> Parts<R> {
    pub(super) fn new(source: R, cuts: Cuts, size: PartSize) -> Self {
        let held = String::new();
        Self { source, cuts, size, held, lines: 0, in_header: false, has_ended: false }
    }

    /// The next part, and the number of lines before it. An empty file has one part.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<(u64, String)>> {
        if self.has_ended {
            return Ok(None);
        }
        let mut part = std::mem::take(&mut self.held);
        let before = self.lines - u64::from(!part.is_empty());
        loop {
            let line = self.line(self.size.max.saturating_sub(part.len()))?;
            if line.is_empty() {
                self.has_ended = true;
                return Ok(Some((before, part)));
            }
            if self.begins_memory(&line) && self.size.target < part.len() {
                self.held = line;
                return Ok(Some((before, part)));
            }
            part.push_str(&line);
        }
    }

    fn begins_memory(&mut self, line: &str) -> bool {
        match self.cuts {
            Cuts::Lines => true,
            Cuts::Headers if line.trim_end_matches(['\r', '\n']) == "---" => {
                self.in_header = !self.in_header;
                self.in_header
            }
            Cuts::Headers => false,
        }
    }

    /// The next line with its end; empty at the end of the file.
    fn line(&mut self, max: usize) -> anyhow::Result<String> {
        let mut line = Vec::new();
        let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
        self.source.by_ref().take(limit).read_until(b'\n', &mut line)?;
        self.lines += u64::from(!line.is_empty());
        if max < line.len() {
            bail!("line {} is in a memory of more than {} bytes", self.lines, self.size.max);
        }
        String::from_utf8(line).with_context(|| format!("line {} is not UTF-8", self.lines))
    }
}

#[cfg(test)]
mod tests;
