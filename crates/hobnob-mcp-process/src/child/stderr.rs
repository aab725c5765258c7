//! A child's standard error: always read, so that the child never blocks on a full pipe, but only
//! the end is stored. A caller that wants all of it follows it with [`StderrLog::next_part`].

use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How many bytes of the end are stored.
const TAIL_BYTES: usize = 64 * 1024;

/// How much is still read after the child has ended: all that a pipe holds, but not for ever if
/// another process goes on writing.
const MAX_FINAL_BYTES: usize = 1 << 20;

/// The end of what a child has written to its standard error.
#[derive(Debug, Default)]
pub struct StderrLog {
    ring: Mutex<Ring>,
    /// Notified when bytes arrived, and at the end.
    changed: Notify,
}

#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    total: u64,
    ended: bool,
}

/// The bytes that arrived since the caller's last look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StderrPart {
    /// The bytes that are still stored.
    pub bytes: Vec<u8>,
    /// How many bytes before them are no longer stored, because the caller came too late.
    pub skipped: u64,
    /// How many bytes have arrived so far; pass it to the next call.
    pub total: u64,
}

impl StderrLog {
    /// The last `lines` lines, without anything that a terminal would interpret.
    pub fn tail(&self, lines: usize) -> String {
        let bytes: Vec<u8> = self.lock().bytes.iter().copied().collect();
        let text = make_safe(&String::from_utf8_lossy(&bytes));
        let all: Vec<_> = text.lines().collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }

    /// How many bytes have arrived so far, stored or not.
    pub fn total(&self) -> u64 {
        self.lock().total
    }

    /// Waits until there are more bytes than the `seen` first ones; `None` once no more will come.
    pub async fn next_part(&self, seen: u64) -> Option<StderrPart> {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // From here on no notification is missed, even before it is awaited.
            changed.as_mut().enable();
            {
                let ring = self.lock();
                if seen < ring.total {
                    let stored = ring.bytes.len() as u64;
                    let new = (ring.total - seen).min(stored);
                    let skip = usize::try_from(stored - new).unwrap_or(usize::MAX);
                    return Some(StderrPart {
                        bytes: ring.bytes.iter().skip(skip).copied().collect(),
                        skipped: ring.total - seen - new,
                        total: ring.total,
                    });
                }
                if ring.ended {
                    return None;
                }
            }
            changed.await;
        }
    }

    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_waiters();
    }

    pub(super) fn push(&self, bytes: &[u8]) {
        self.store(bytes);
        self.changed.notify_waiters();
    }

    fn store(&self, bytes: &[u8]) {
        let mut ring = self.lock();
        ring.total += bytes.len() as u64;
        ring.bytes.extend(&bytes[bytes.len().saturating_sub(2 * TAIL_BYTES)..]);
        let Some(over) = ring.bytes.len().checked_sub(TAIL_BYTES).filter(|over| *over > 0) else {
            return;
        };
        // The first line is kept whole or not at all, unless it is the only one.
        let cut_inside = ring.bytes.get(over - 1) != Some(&b'\n');
        let line_end = ring.bytes.iter().skip(over).position(|byte| *byte == b'\n');
        let start = match line_end {
            Some(end) if cut_inside && over + end + 1 < ring.bytes.len() => over + end + 1,
            _ => over,
        };
        ring.bytes.drain(..start);
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        // A panic under the lock would at worst have lost some bytes.
        self.ring.lock()
    }
}

/// Marks the end of the log when it is dropped, also if the reading task is aborted.
struct Ending(Arc<StderrLog>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Reads until the pipe ends or the child is gone: another process may hold the pipe open.
pub(super) async fn drain(mut pipe: pipe::Receiver, log: Arc<StderrLog>, gone: CancellationToken) {
    let _ending = Ending(Arc::clone(&log));
    let mut buffer = vec![0; TAIL_BYTES];
    loop {
        tokio::select! {
            biased;
            count = pipe.read(&mut buffer) => match count {
                Ok(0) | Err(_) => return,
                Ok(count) => log.push(&buffer[..count]),
            },
            () = gone.cancelled() => break,
        }
    }
    // Read from the system directly: the runtime may not know of the last bytes yet.
    let Ok(pipe) = pipe.into_nonblocking_fd() else { return };
    let mut pipe = File::from(pipe);
    let mut left = MAX_FINAL_BYTES;
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        log.push(&buffer[..count]);
        left = left.saturating_sub(count);
        if left == 0 {
            return;
        }
    }
}

/// One line as text, without anything that a terminal would interpret.
pub fn readable_line(bytes: &[u8]) -> String {
    make_safe(String::from_utf8_lossy(bytes).trim_end_matches(['\r', '\n']))
}

/// Drops colours and cursor movements, and replaces every other control character by U+FFFD.
fn make_safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\x1b' if rest.next_if_eq(&'[').is_some() => {
                // Parameters, then one final letter.
                while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
                rest.next_if(|c| matches!(c, '@'..='~'));
            }
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => safe.push('\n'),
            '\n' | '\t' => safe.push(next),
            _ if next.is_control() || turns_text_around(next) => safe.push('\u{fffd}'),
            _ => safe.push(next),
        }
    }
    safe
}

/// Whether a character makes a terminal show text in another order than it is written.
fn turns_text_around(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
