//! The keyboard while a question is open: what was typed before it is thrown away, and what is typed is
//! not written to the screen.
//!
//! `select` has one. What must stay true: nothing that was typed before a question could be seen
//! answers it.

use super::keyboard_mode::KeyboardMode;

/// Puts the terminal back as it was when it is dropped.
#[derive(Debug)]
pub(super) struct QuietKeys {
    _before: KeyboardMode,
}

impl QuietKeys {
    /// From now on. A terminal that cannot be told so stays as it is.
    pub(super) fn begin() -> Self {
        let before = KeyboardMode::saved();
        #[cfg(unix)]
        if let Some(mode) = before.mode() {
            be_quiet(mode.clone());
        }
        Self { _before: before }
    }
}

#[cfg(unix)]
fn be_quiet(mut mode: rustix::termios::Termios) {
    use rustix::termios::{LocalModes, OptionalActions, QueueSelector, tcflush, tcsetattr};
    let keyboard = std::io::stdin();
    // Ctrl-C is a key too: whoever reads the answer has to let go of the terminal first.
    mode.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
    let _kept = tcsetattr(&keyboard, OptionalActions::Now, &mode);
    let _kept = tcflush(&keyboard, QueueSelector::IFlush);
}
