//! The keyboard while a question is open: what was typed before it is thrown away, and what is typed is
//! not written to the screen.
//!
//! `select` has one. What must stay true: nothing that was typed before a question could be seen
//! answers it.

/// Puts the terminal back as it was when it is dropped.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct QuietKeys(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl QuietKeys {
    /// From now on. A terminal that cannot be told so stays as it is.
    pub(super) fn begin() -> Self {
        use rustix::termios::{
            LocalModes, OptionalActions, QueueSelector, tcflush, tcgetattr, tcsetattr,
        };
        let keyboard = std::io::stdin();
        let before = tcgetattr(&keyboard).ok();
        if let Some(before) = &before {
            let mut quiet = before.clone();
            // Ctrl-C is a key too: whoever reads the answer has to let go of the terminal first.
            quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
            let _kept = tcsetattr(&keyboard, OptionalActions::Now, &quiet);
            let _kept = tcflush(&keyboard, QueueSelector::IFlush);
        }
        Self(before)
    }
}

#[cfg(unix)]
impl Drop for QuietKeys {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(before) = &self.0 {
            let _kept = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}

/// Elsewhere keys are never written by the terminal itself.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) struct QuietKeys;

#[cfg(not(unix))]
impl QuietKeys {
    pub(super) fn begin() -> Self {
        Self
    }
}
