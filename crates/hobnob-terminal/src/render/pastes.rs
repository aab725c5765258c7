//! Asks the terminal to mark what is pasted, so that a line break in it does not send it.

use super::select::moves_cursor;
use dialoguer::console::Term;

/// Pasted text is marked from now on.
pub fn mark_pastes() {
    write("\u{1b}[?2004h");
}

/// Pasted text is not marked any more.
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
