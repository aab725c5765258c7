//! Characters that must not reach a terminal as they are, and why.
//!
//! The escapes of this crate use it, and so does the check of tool descriptions for hidden tricks.

/// What a terminal or a reader would make of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisplayHazard {
    /// The character is invisible: zero width, tags, fillers, stacked variation selectors.
    Hidden,
    /// The character reorders the text around it.
    BidiControl,
    /// A terminal acts on the character.
    TerminalControl,
}

/// Whether a character must not reach a terminal or a log file as it is.
#[must_use]
pub fn is_display_hazard(letter: char) -> bool {
    display_hazard(None, letter).is_some()
}

/// The hazard of a character inside a text. A variation selector is one only after another one.
#[must_use]
pub fn display_hazard(before: Option<char>, letter: char) -> Option<DisplayHazard> {
    match letter {
        '\n' | '\t' | ' '..='~' => None,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
            Some(DisplayHazard::TerminalControl)
        }
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(DisplayHazard::BidiControl)
        }
        // One selector makes an emoji of a sign; a second in a row can only carry hidden bits.
        '\u{fe0e}' | '\u{fe0f}' => {
            before.filter(|it| is_selector(*it)).map(|_| DisplayHazard::Hidden)
        }
        _ => is_hidden(letter).then_some(DisplayHazard::Hidden),
    }
}

/// Whether a character is a variation selector: it chooses how the one before it is drawn.
pub(crate) fn is_selector(letter: char) -> bool {
    matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether fonts draw nothing for a character.
fn is_hidden(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0d}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}
