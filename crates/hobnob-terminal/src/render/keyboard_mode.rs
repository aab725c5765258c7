//! The mode of the terminal's keyboard, saved so that it can be restored.
//!
//! Questions and a chat's line editor change it; code that may stop them halfway restores it.

/// Restores the saved mode when dropped.
#[cfg(unix)]
#[derive(Debug)]
pub struct KeyboardMode(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl KeyboardMode {
    /// Saves the present mode; without a terminal there is none.
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

/// A placeholder: on other systems, code that changes the mode is never stopped halfway.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct KeyboardMode;

#[cfg(not(unix))]
impl KeyboardMode {
    pub(crate) fn saved() -> Self {
        Self
    }
}
