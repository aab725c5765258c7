//! Texts before and after they are made safe for a terminal.

use super::*;

#[test]
fn what_a_terminal_hides_or_acts_on_is_shown() {
    let check = |text: &str, expected: &str| assert_eq!(display_safe(text), expected);
    check("plain\n\ttext ä 漢 👍", "plain\n\ttext ä 漢 👍");
    check("⚠\u{fe0f} careful", "⚠\u{fe0f} careful");
    check("a\x1b[31mred\x1b[0m", "a\\u{1b}[31mred\\u{1b}[0m");
    check("\x1b]0;title\x07x", "\\u{1b}]0;title\\u{7}x");
    check("\u{9b}2J", "\\u{9b}2J");
    check("a\rb\0\x08\x7f", "a\\u{d}b\\u{0}\\u{8}\\u{7f}");
    check("a\u{202e}txt.exe\u{2069}", "a\\u{202e}txt.exe\\u{2069}");
    check("a\u{200b}\u{feff}b", "a\\u{200b}\\u{feff}b");
    check("x\u{e0041}\u{e007f}", "x\\u{e0041}\\u{e007f}");
    check("x\u{fe0f}\u{fe0e}\u{fe01}", "x\u{fe0f}\\u{fe0e}\\u{fe01}");
    check("x\u{e0101}", "x\\u{e0101}");
    assert!(matches!(display_safe("plain"), Cow::Borrowed(_)));
}

#[test]
fn pieces_are_as_safe_as_the_whole() {
    let text = "a\x1b[0m⚠\u{fe0f}\u{fe0e}x\u{fe0f}\u{202e}漢\u{9b}\n";
    for (cut, _) in text.char_indices() {
        let mut pieces = SafePieces::default();
        let mut safe = String::new();
        pieces.push(&text[..cut], &mut safe);
        pieces.push(&text[cut..], &mut safe);
        assert_eq!(safe, display_safe(text), "cut at {cut}");
    }
}

#[test]
fn safe_text_stays_safe() {
    let letters =
        ('\0'..='\u{30ff}').chain('\u{fd00}'..='\u{ffff}').chain('\u{e0000}'..='\u{e1000}');
    for letter in letters.filter(|letter| !"\n\t".contains(*letter)) {
        let text = format!("a{letter}b");
        let safe = display_safe(&text);
        assert!(!safe.chars().any(char::is_control), "{letter:?}");
        assert_eq!(display_safe(&safe), safe, "{letter:?}");
    }
}
