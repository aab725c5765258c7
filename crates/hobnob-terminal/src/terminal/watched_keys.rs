//! What a person types while no question and no line editor has the keyboard.
//!
//! A chat keeps it for the next line. What must stay true: a question gets the keyboard at once and as
//! it was, and so does the editor once nobody watches any more.

use super::host::Terminal;
use std::convert::Infallible;
use std::sync::Arc;

/// Gets the bytes that are typed.
pub type KeyBytes = Arc<dyn Fn(&[u8]) + Send + Sync>;

impl Terminal {
    /// Hands over what is typed, which is not shown, until the future is dropped. Questions interrupt
    /// it. Where there is no keyboard, nothing is handed over.
    pub async fn watch_keys(&self, typed: KeyBytes) -> Infallible {
        #[cfg(unix)]
        while on_unix::watch_until_question(self, &typed).await.is_some() {}
        drop(typed);
        std::future::pending().await
    }
}

#[cfg(unix)]
mod on_unix {
    use super::{KeyBytes, Terminal};
    use crate::render::{QuietKeys, mark_pastes, unmark_pastes};
    use rustix::event::{PollFd, PollFlags, poll};
    use std::io::{self, PipeReader};
    use std::sync::Arc;
    use tokio::task::spawn_blocking;

    /// The most bytes that are handed over at once.
    const CHUNK: usize = 4096;

    /// Watches until there is a question to ask; nothing if the keyboard cannot be read any more.
    pub(super) async fn watch_until_question(terminal: &Terminal, typed: &KeyBytes) -> Option<()> {
        let mut questions = terminal.waiting_questions();
        let floor = terminal.floor().await;
        let (stopped, stop) = io::pipe().ok()?;
        let keyboard = WatchedKeyboard::new()?;
        let typed = Arc::clone(typed);
        // The thread has the floor, also if this future is dropped: nobody else reads keys until it ends.
        let mut reading = spawn_blocking(move || {
            read_until(&stopped, &typed);
            floor
        });
        tokio::select! {
            _gone = &mut reading => return None,
            _asked = questions.wait_for(|count| 0 < *count) => {}
        }
        drop(stop);
        let floor = reading.await;
        drop(keyboard);
        drop(floor);
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

    /// Reads until the other end of the pipe is closed, and what is there by then.
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
