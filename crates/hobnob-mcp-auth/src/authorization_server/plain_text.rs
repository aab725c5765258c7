//! Cleans what clients and servers say about themselves before a person reads it.
//!
//! Pages and records use it. What must stay true: no part of the result is hidden or reordered.

#[cfg(test)]
mod tests;

/// A possibly misleading text as one line of bounded length, without characters that are invisible
/// or that reverse the direction of others.
pub(crate) fn plain_text(text: &str, limit: usize) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}')
    };
    let seen: String =
        text.chars().filter(|c| c.is_whitespace() || !hidden(*c)).take(limit).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}
