//! Snapshots of what a terminal of 120, 60 and 30 columns shows, for a person to review.
//!
//! Every document is also fed cut at each of its characters, which must lead to the same screen.

use hobnob_markdown::{Colour, Style};

use crate::terminal::{lines, screen, shown, written};

const DOCUMENTS: &[(&str, &str)] = &[
    ("conversation", include_str!("documents/conversation.md")),
    ("lists", include_str!("documents/lists.md")),
    ("code", include_str!("documents/code.md")),
    ("tables", include_str!("documents/tables.md")),
    ("scripts", include_str!("documents/scripts.md")),
    ("hostile", include_str!("documents/hostile.md")),
];

#[test]
fn screens_are_as_they_were_looked_at() {
    for (name, document) in DOCUMENTS {
        for (colour, word) in [(Colour::On, "colour"), (Colour::Off, "plain")] {
            for width in [120, 60, 30] {
                let style = Style::Terminal { colour, width };
                let seen = lines(&screen(&written(style, [*document]).concat(), width));
                insta::assert_snapshot!(format!("{name}_{width}_{word}"), seen);
            }
        }
    }
}

#[test]
fn a_screen_is_the_same_for_every_cut() {
    for (name, document) in DOCUMENTS {
        for colour in [Colour::On, Colour::Off] {
            let style = Style::Terminal { colour, width: 60 };
            let whole = written(style, [*document]).concat();
            let expected = shown(&whole);
            for (cut, _) in document.char_indices() {
                let output = written(style, [&document[..cut], &document[cut..]]).concat();
                assert!(shown(&output) == expected, "{name} cut at {cut}: {output}");
            }
            let each = written(style, document.split_inclusive(|_: char| true)).concat();
            let (each, whole) = (screen(&each, 60), screen(&whole, 60));
            assert_eq!(lines(&each), lines(&whole), "{name} character by character");
        }
    }
}

#[test]
fn a_screen_without_colours_has_no_looks() {
    for (name, document) in DOCUMENTS {
        let style = Style::Terminal { colour: Colour::Off, width: 60 };
        assert!(!written(style, [*document]).concat().contains('\x1b'), "{name}");
    }
}
