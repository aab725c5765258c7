//! Bracketed paste: the terminal marks pasted text, so that a line break in it does not send it.

use super::select::moves_cursor;
use dialoguer::console::Term;

/// Turns bracketed paste on.
pub fn mark_pastes() {
    write("\u{1b}[?2004h");
}

/// Turns bracketed paste off.
pub fn unmark_pastes() {
    write("\u{1b}[?2004l");
}

fn write(sequence: &str) {
    let terminal = Term::stdout();
    if terminal.is_term() && moves_cursor() {
        // Without the marks, each pasted line counts as typed.
        drop(terminal.write_str(sequence));
    }
}
