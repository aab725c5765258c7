//! Properties that hold for any text in any pieces.

use hobnob_markdown::{Colour, Style};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use crate::terminal::{Shown, shown, text, written};

/// Parts of documents besides words: marks of Markdown, and terminal controls.
const PARTS: &[&str] = &[
    "*",
    "**",
    "_",
    "~~",
    "`",
    "```",
    "~~~",
    "[",
    "]",
    "(",
    ")",
    "](",
    "!",
    "<",
    ">",
    "> ",
    "#",
    "# ",
    "-",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "---",
    "\n",
    "\n",
    "\n\n",
    " ",
    " ",
    "  ",
    "    ",
    "\t",
    "|",
    "| a | b |\n",
    "|---|:-:|\n",
    "\\",
    "\\*",
    "https://example.org/a_b_c",
    "rust\n",
    "let x = \"y\";",
    "// z",
    "\r",
    "\r\n",
    "\x1b]0;t\x07",
    "\u{9b}2J",
    "\u{200b}",
    "\0",
    "\x7f",
    "\u{fe0f}",
    "x",
    "0",
    "9",
    ".",
];

/// Words, and controls within words, which all documents have.
const WORDS: &[&str] = &[
    "a",
    "word",
    "another",
    "Wörter",
    "漢字",
    "、",
    "😀",
    "👍🏽",
    "⚠\u{fe0f}",
    "e\u{301}",
    "\x1b[31m",
    "\u{202e}",
    "supercalifragilisticexpialidocious",
];

/// Such parts without code, URLs, and runs of spaces, so that every line is wrapped.
const WRAPPED: &[&str] = &[
    "*",
    "**",
    "_",
    "[",
    "](",
    ")",
    "> ",
    "# ",
    "- ",
    "1. ",
    "\n",
    "\n\n",
    " ",
    " ",
    " ",
    "\\",
    "| a | b |\n",
    "|---|:-:|\n",
    "|",
];

fn document(parts: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    let parts = [parts, WORDS].concat();
    prop::collection::vec(prop::sample::select(parts), 0..60).prop_map(|parts| parts.concat())
}

fn colour() -> impl Strategy<Value = Colour> {
    prop_oneof![Just(Colour::Off), Just(Colour::On)]
}

/// The text in pieces, cut at these places.
fn pieces<'t>(text: &'t str, cuts: &[prop::sample::Index]) -> Vec<&'t str> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    at.retain(|at| text.is_char_boundary(*at));
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

fn all_shown(written: &[String]) -> Vec<Shown> {
    written.iter().flat_map(|output| shown(output)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_shown_does_not_depend_on_the_pieces(
        document in document(PARTS),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        colour in colour(),
        width in 0u16..130,
    ) {
        let style = Style::Terminal { colour, width };
        let whole = all_shown(&written(style, [document.as_str()]));
        let cut = all_shown(&written(style, pieces(&document, &cuts)));
        prop_assert_eq!(&whole, &cut, "{:?}", document);
        let each = all_shown(&written(style, document.split_inclusive(|_: char| true)));
        prop_assert_eq!(&whole, &each, "{:?}", document);
    }

    #[test]
    fn any_characters_at_all_are_shown_safely(
        letters in prop::collection::vec(any::<char>(), 0..80),
        colour in colour(),
    ) {
        let document = String::from_iter(letters);
        all_shown(&written(Style::Terminal { colour, width: 40 }, [document.as_str()]));
    }

    #[test]
    fn lines_fit_the_width(document in document(WRAPPED), colour in colour(), width in 20u16..90) {
        let mut document = document;
        while document.contains("  ") {
            document = document.replace("  ", " ");
        }
        let output = text(&written(Style::Terminal { colour, width }, [document.as_str()]).concat());
        for line in output.lines() {
            prop_assert!(line.width() <= width.into(), "{:?} of {:?}", line, document);
            prop_assert_eq!(line.trim_end_matches(' '), line, "{:?}", document);
        }
    }

    #[test]
    fn no_letter_is_lost(document in document(WRAPPED), colour in colour()) {
        // Cells of a table are moved, and an empty cell may be left out.
        let document = document.replace('|', "");
        let letters = |text: &str| {
            text.chars().filter(|it| it.is_alphabetic() || !it.is_ascii()).filter(|it| !"•│─".contains(*it)).collect::<String>()
        };
        let output = text(&written(Style::Terminal { colour, width: 50 }, [document.as_str()]).concat());
        let safe = hobnob_text::display_safe(&document).into_owned();
        prop_assert_eq!(letters(&output), letters(&safe), "{:?}", document);
    }

    #[test]
    fn a_pipe_gets_the_text_as_it_came(
        document in document(PARTS),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let output = written(Style::Piped, pieces(&document, &cuts)).concat();
        let lines = document.replace("\r\n", "\n");
        prop_assert_eq!(output, hobnob_text::display_safe(&lines).into_owned());
    }
}
