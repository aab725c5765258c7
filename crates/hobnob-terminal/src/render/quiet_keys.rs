//! Keyboard modes without echo, while a question is open or an answer comes.
//!
//! `select`, questions for secrets and `Keyboard::watch_keys` hold one. What must stay true: no key
//! that was typed before the user could see a choice answers it.

use super::keyboard_mode::KeyboardMode;

/// Restores the terminal's mode when dropped.
#[derive(Debug)]
pub(crate) struct QuietKeys {
    _before: KeyboardMode,
}

impl QuietKeys {
    /// For a question: discards keys typed before it, and makes Ctrl-C a key. A terminal whose mode
    /// cannot be set stays unchanged.
    pub(crate) fn for_question() -> Self {
        let before = KeyboardMode::saved();
        #[cfg(unix)]
        if let Some(mode) = before.mode() {
            use rustix::termios::{LocalModes, QueueSelector, tcflush};
            // No ISIG: the reader of the answer must release the terminal before Ctrl-C ends it.
            set(mode, LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
            let _flushed = tcflush(std::io::stdin(), QueueSelector::IFlush);
        }
        Self { _before: before }
    }

    /// For a secret: a line is read as usual, but without echo.
    pub(crate) fn for_secret() -> Self {
        let before = KeyboardMode::saved();
        #[cfg(unix)]
        if let Some(mode) = before.mode() {
            set(mode, rustix::termios::LocalModes::ECHO);
        }
        Self { _before: before }
    }

    /// For keys typed while an answer comes: each can be read at once, and Ctrl-C is a signal.
    #[cfg(unix)]
    pub(crate) fn for_watching() -> Option<Self> {
        use rustix::termios::LocalModes;
        let before = KeyboardMode::saved();
        set(before.mode()?, LocalModes::ECHO | LocalModes::ICANON);
        Some(Self { _before: before })
    }
}

/// Sets `mode` without the flags in `without`.
#[cfg(unix)]
fn set(mode: &rustix::termios::Termios, without: rustix::termios::LocalModes) {
    use rustix::termios::{OptionalActions, tcsetattr};
    let mut quiet = mode.clone();
    quiet.local_modes.remove(without);
    let _set = tcsetattr(std::io::stdin(), OptionalActions::Now, &quiet);
}
