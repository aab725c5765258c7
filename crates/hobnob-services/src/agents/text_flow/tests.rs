//! What is forwarded of pieces and wholes.

use super::{MAX_COMPARED_BYTES, TextFlow};

enum Text {
    Piece(&'static str),
    Whole(&'static str),
    Break,
}

use Text::{Break, Piece, Whole};

#[test]
fn every_part_of_a_text_is_passed_on_once() {
    let cases: [(&[Text], &str); 9] = [
        (&[Piece("He"), Piece("llo"), Whole("Hello")], "Hello"),
        (&[Whole("Hello")], "Hello"),
        (&[Piece("He"), Whole("Hello")], "Hello"),
        (&[Piece("a"), Piece("b"), Whole("a"), Whole("b")], "ab"),
        (&[Piece("a"), Whole("a"), Piece("b"), Whole("b")], "a\n\nb"),
        (&[Whole("a"), Whole("a")], "a\n\na"),
        // The program lost its connection and restarted the text.
        (&[Piece("Hel"), Piece("Hello"), Whole("Hello"), Piece("x")], "HelHello\n\nx"),
        (&[Break, Piece("a"), Break, Break, Piece("b"), Piece("c")], "a\n\nbc"),
        (&[Piece(""), Whole(""), Piece("a"), Piece(""), Whole("a")], "a"),
    ];
    for (texts, expected) in cases {
        let mut flow = TextFlow::default();
        let mut all = String::new();
        for text in texts {
            let passed_on = match text {
                Piece(text) => flow.piece(text),
                Whole(text) => flow.whole(text),
                Break => {
                    flow.break_off();
                    None
                }
            };
            all.push_str(&passed_on.unwrap_or_default());
        }
        assert_eq!(all, expected);
    }
}

#[test]
fn a_very_long_text_is_not_sent_twice_either() {
    let mut flow = TextFlow::default();
    let long = "x".repeat(MAX_COMPARED_BYTES / 2 + 1);
    assert!(flow.piece(&long).is_some() && flow.piece(&long).is_some());
    assert_eq!(flow.whole(&long.repeat(2)), None);
    assert_eq!(flow.whole("next").as_deref(), Some("\n\nnext"));
}
