//! What a child writes to its standard error: always read, so that it never blocks on a full
//! pipe, but only the end is stored. Whoever wants all of it follows it while it comes.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How many bytes of the end are stored.
const TAIL_BYTES: usize = 64 * 1024;

/// How much is still read when the child is gone: all that a pipe holds, and not for ever if
/// somebody else goes on writing.
const LAST_WORDS: usize = 1 << 20;

/// The end of what a child has said on its standard error.
#[derive(Debug, Default)]
pub struct StderrLog {
    ring: Mutex<Ring>,
    /// Notified when something came, and at the end.
    changed: Notify,
}

#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    total: u64,
    ended: bool,
}

/// What came since somebody last looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StderrPart {
    /// What there is of it.
    pub bytes: Vec<u8>,
    /// How many bytes before it are no longer stored, because nobody looked in time.
    pub skipped: u64,
    /// How many bytes there were by now; pass it to the next call.
    pub total: u64,
}

impl StderrLog {
    /// The last `lines` lines, with nothing in them that a terminal would act on.
    pub fn tail(&self, lines: usize) -> String {
        let bytes: Vec<u8> = self.lock().bytes.iter().copied().collect();
        let text = make_safe(&String::from_utf8_lossy(&bytes));
        let all: Vec<_> = text.lines().collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }

    /// How many bytes there were, stored or not.
    pub fn total(&self) -> u64 {
        self.lock().total
    }

    /// Waits for more than the `seen` bytes before; nothing once the child will say no more.
    pub async fn next_part(&self, seen: u64) -> Option<StderrPart> {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // From here on nothing is missed, also what comes before it is awaited.
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
        // The first line stays whole or not at all, unless it is all there is.
        let cut_inside = ring.bytes.get(over - 1) != Some(&b'\n');
        let line_end = ring.bytes.iter().skip(over).position(|byte| *byte == b'\n');
        let start = match line_end {
            Some(end) if cut_inside && over + end + 1 < ring.bytes.len() => over + end + 1,
            _ => over,
        };
        ring.bytes.drain(..start);
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        // A panic while holding the lock would at worst have lost some bytes.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says at the end that nothing follows, also if the reader is aborted.
struct Ending(Arc<StderrLog>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Reads until the pipe ends, or the child is gone: somebody else may hold the pipe open.
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
    // Straight from the system, which knows better than the runtime what there is.
    let Ok(pipe) = pipe.into_nonblocking_fd() else { return };
    let mut pipe = File::from(pipe);
    let mut left = LAST_WORDS;
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        log.push(&buffer[..count]);
        left = left.saturating_sub(count);
        if left == 0 {
            return;
        }
    }
}

/// A line of it as text, with nothing in it that a terminal would act on.
pub fn readable_line(bytes: &[u8]) -> String {
    make_safe(String::from_utf8_lossy(bytes).trim_end_matches(['\r', '\n']))
}

/// Drops colours and cursor movements, and marks every other character that is no text.
fn make_safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\x1b' if rest.next_if_eq(&'[').is_some() => {
                // Parameters, then one letter.
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

/// Characters that make a terminal show a line in another order than it is written.
fn turns_text_around(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
