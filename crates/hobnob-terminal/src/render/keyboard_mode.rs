//! How the keyboard of the terminal works, saved before somebody changes it.
//!
//! Questions and the line editor of a chat change it; whoever stops them in the middle puts it back.

/// Puts the keyboard back as it was when it is dropped.
#[cfg(unix)]
#[derive(Debug)]
pub struct KeyboardMode(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl KeyboardMode {
    /// As it is now; nothing where there is no terminal.
    pub fn saved() -> Self {
        Self(rustix::termios::tcgetattr(std::io::stdin()).ok())
    }

    pub(super) fn mode(&self) -> Option<&rustix::termios::Termios> {
        self.0.as_ref()
    }
}

#[cfg(unix)]
impl Drop for KeyboardMode {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(before) = &self.0 {
            let _kept = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}

/// Elsewhere whoever changes it is never stopped in the middle.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct KeyboardMode;

#[cfg(not(unix))]
impl KeyboardMode {
    pub(crate) fn saved() -> Self {
        Self
    }
}
