//! Wraps text to the width of a terminal before the terminal does: so a page is never higher than
//! the screen, and untrusted text never begins a row without our mark.

use dialoguer::console::measure_text_width;

/// Where a row may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrapAt {
    /// Where the row is full, so that no character is missing.
    Anywhere,
    /// Between words, unless a word is very long; the space at the break is not shown.
    Words,
}

/// The lines of a text, none of them wider than this many columns.
pub fn wrapped(text: &str, columns: usize, at: WrapAt) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let (mut current, mut width) = (String::new(), 0);
        for letter in line.chars() {
            let wide = width_of(letter);
            if columns < width + wide {
                let rest = next_word(&mut current, at);
                lines.push(std::mem::replace(&mut current, rest));
                width = current.chars().map(width_of).sum();
            }
            current.push(letter);
            width += wide;
        }
        lines.push(current);
    }
    lines
}

/// Takes the last word off a full row, unless that leaves less than half of the row.
fn next_word(row: &mut String, at: WrapAt) -> String {
    match row.rfind(' ').filter(|space| at == WrapAt::Words && row.len() / 2 < *space) {
        Some(space) => {
            let rest = row.split_off(space + 1);
            row.truncate(space);
            rest
        }
        None => String::new(),
    }
}

fn width_of(letter: char) -> usize {
    match letter {
        // No terminal makes a tab wider.
        '\t' => 8,
        ' '..='~' => 1,
        _ => measure_text_width(letter.encode_utf8(&mut [0; 4])),
    }
}

#[cfg(test)]
mod tests {
    use super::{WrapAt, wrapped};

    #[test]
    fn rows_are_never_wider_and_lose_nothing_but_spaces_between_words() {
        let cases = [
            ("one two three", 8, WrapAt::Words, &["one two", "three"][..]),
            ("one two three", 8, WrapAt::Anywhere, &["one two ", "three"]),
            ("a verylongword", 6, WrapAt::Words, &["a very", "longwo", "rd"]),
            ("日本 語", 4, WrapAt::Anywhere, &["日本", " 語"]),
            ("one\n\ntwo", 8, WrapAt::Words, &["one", "", "two"]),
            ("", 8, WrapAt::Words, &[]),
        ];
        for (text, columns, at, expected) in cases {
            assert_eq!(wrapped(text, columns, at), expected, "{text:?} {at:?}");
        }
    }
}
