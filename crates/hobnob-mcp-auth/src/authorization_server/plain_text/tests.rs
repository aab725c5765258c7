//! Misleading texts lose their hidden characters.

use super::plain_text;

#[test]
fn texts_that_mislead_are_cut() {
    let cases = [
        ("Claude", "Claude"),
        ("  two\n lines\t", "two lines"),
        ("rev\u{202e}esrever", "revesrever"),
        ("zero\u{200b}width\u{feff}", "zerowidth"),
        ("aaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa"),
        ("\u{e0041}tags", "tags"),
    ];
    for (text, expected) in cases {
        assert_eq!(plain_text(text, 20), expected);
    }
}
