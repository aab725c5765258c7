//! The keyboard while a question is open or an answer comes: what is typed is not written to the screen.
//!
//! `select`, questions for secrets and `Terminal::watch_keys` have one. What must stay true: nothing that was typed before a
//! question could be seen answers it.

use super::keyboard_mode::KeyboardMode;

/// Puts the terminal back as it was when it is dropped.
#[derive(Debug)]
pub(crate) struct QuietKeys {
    _before: KeyboardMode,
}

impl QuietKeys {
    /// For a question: what was typed before it is thrown away, and Ctrl-C is a key. A terminal that
    /// cannot be told so stays as it is.
    pub(crate) fn for_question() -> Self {
        let before = KeyboardMode::saved();
        #[cfg(unix)]
        if let Some(mode) = before.mode() {
            use rustix::termios::{LocalModes, QueueSelector, tcflush};
            // Whoever reads the answer has to let go of the terminal before Ctrl-C ends anything.
            set(mode, LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
            let _flushed = tcflush(std::io::stdin(), QueueSelector::IFlush);
        }
        Self { _before: before }
    }

    /// For a secret: a line is read as usual, and not shown.
    pub(crate) fn for_secret() -> Self {
        let before = KeyboardMode::saved();
        #[cfg(unix)]
        if let Some(mode) = before.mode() {
            set(mode, rustix::termios::LocalModes::ECHO);
        }
        Self { _before: before }
    }

    /// For keys that are typed while an answer comes: each can be read at once, and Ctrl-C is a signal.
    #[cfg(unix)]
    pub(crate) fn for_watching() -> Option<Self> {
        use rustix::termios::LocalModes;
        let before = KeyboardMode::saved();
        set(before.mode()?, LocalModes::ECHO | LocalModes::ICANON);
        Some(Self { _before: before })
    }
}

/// Changes the keyboard to this mode without these.
#[cfg(unix)]
fn set(mode: &rustix::termios::Termios, without: rustix::termios::LocalModes) {
    use rustix::termios::{OptionalActions, tcsetattr};
    let mut quiet = mode.clone();
    quiet.local_modes.remove(without);
    let _set = tcsetattr(std::io::stdin(), OptionalActions::Now, &quiet);
}
