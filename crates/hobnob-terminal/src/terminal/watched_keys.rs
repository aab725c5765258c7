//! Reads what a person types while no question and no line editor has the keyboard.
//!
//! A chat keeps it for the next line. What must stay true: a question gets the keyboard at once, in
//! its original mode, and so does the editor once the watching future is dropped.

use super::keyboard::Keyboard;
use std::convert::Infallible;
use std::sync::Arc;

/// A callback that gets the bytes of typed keys.
pub type KeyBytes = Arc<dyn Fn(&[u8]) + Send + Sync>;

impl Keyboard {
    /// Passes typed keys to `typed` without echo, until the future is dropped. Questions interrupt
    /// it. Without a keyboard it passes nothing.
    pub async fn watch_keys(&self, typed: KeyBytes) -> Infallible {
        #[cfg(unix)]
        while on_unix::watch_until_question(self, &typed).await.is_some() {}
        drop(typed);
        std::future::pending().await
    }
}

#[cfg(unix)]
mod on_unix {
    use super::{KeyBytes, Keyboard};
    use crate::render::{QuietKeys, mark_pastes, unmark_pastes};
    use rustix::event::{PollFd, PollFlags, poll};
    use std::io::{self, PipeReader};
    use std::sync::Arc;
    use tokio::task::spawn_blocking;

    /// The most bytes that are passed on at once.
    const CHUNK: usize = 4096;

    /// Watches until a question waits; `None` if the keyboard cannot be read any more.
    pub(super) async fn watch_until_question(keyboard: &Keyboard, typed: &KeyBytes) -> Option<()> {
        let mut questions = keyboard.waiting.subscribe();
        let lock = keyboard.lock().await;
        let (stopped, stop) = io::pipe().ok()?;
        let watched = WatchedKeyboard::new()?;
        let typed = Arc::clone(typed);
        // The thread keeps the lock even if this future is dropped: it alone reads keys then.
        let mut reading = spawn_blocking(move || {
            read_until(&stopped, &typed);
            lock
        });
        tokio::select! {
            _gone = &mut reading => return None,
            _asked = questions.wait_for(|count| 0 < *count) => {}
        }
        drop(stop);
        let lock = reading.await;
        drop(watched);
        drop(lock);
        Some(())
    }

    /// The keyboard while it is watched.
    struct WatchedKeyboard {
        _quiet: QuietKeys,
    }

    impl WatchedKeyboard {
        fn new() -> Option<Self> {
            let quiet = QuietKeys::for_watching()?;
            mark_pastes();
            Some(Self { _quiet: quiet })
        }
    }

    impl Drop for WatchedKeyboard {
        fn drop(&mut self) {
            unmark_pastes();
        }
    }

    /// Reads keys until the other end of the pipe is closed, and those that are there by then.
    fn read_until(stopped: &PipeReader, typed: &KeyBytes) {
        let keyboard = io::stdin();
        let mut buffer = [0; CHUNK];
        loop {
            let mut sources =
                [PollFd::new(&keyboard, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
            match poll(&mut sources, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return,
            }
            let [keys, stop] = sources.map(|source| !source.revents().is_empty());
            if keys {
                match rustix::io::read(&keyboard, &mut buffer) {
                    Ok(0) => return,
                    Ok(count) => typed(&buffer[..count]),
                    Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                    Err(_) => return,
                }
            } else if stop {
                return;
            }
        }
    }
}
