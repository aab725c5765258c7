//! Terminals for tests: parses the style sequences of an output, and emulates a screen in memory.

use std::num::NonZero;

use hobnob_markdown::{MarkdownStream, Style};

/// A character and the style codes that were switched on for it.
pub(crate) type Shown = (char, String);

/// The characters of an output, each with its style. Panics if the output has anything but visible
/// characters, line breaks and style sequences, or if a style reaches over the end of a line or of
/// the output.
pub(crate) fn shown(output: &str) -> Vec<Shown> {
    let mut found = Vec::new();
    let mut look = String::new();
    let mut rest = output.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\x1b' => {
                assert_eq!(rest.next(), Some('['), "{output:?}");
                let codes: String = rest.by_ref().take_while(|it| *it != 'm').collect();
                assert!(codes.bytes().all(|it| it.is_ascii_digit() || it == b';'), "{output:?}");
                look = if codes == "0" { String::new() } else { codes };
            }
            '\n' => {
                assert_eq!(look, "", "a look reaches over a line: {output:?}");
                found.push((letter, String::new()));
            }
            _ => {
                assert!(!letter.is_control(), "{letter:?} in {output:?}");
                found.push((letter, look.clone()));
            }
        }
    }
    assert_eq!(look, "", "a look reaches over a piece: {output:?}");
    found
}

/// The visible text only, without styles.
pub(crate) fn text(output: &str) -> String {
    shown(output).into_iter().map(|it| it.0).collect()
}

/// The output of a stream for each of these pieces, and for the end of the text.
pub(crate) fn written<'p>(style: Style, pieces: impl IntoIterator<Item = &'p str>) -> Vec<String> {
    let mut stream = MarkdownStream::new(style);
    let mut written: Vec<String> = pieces.into_iter().map(|piece| stream.push(piece)).collect();
    written.push(stream.finish());
    written
}

/// The screen of a terminal after this output, without the empty lines below.
pub(crate) fn screen(output: &str, width: u16) -> vt100::Parser {
    let size = |length: u16| NonZero::new(length).unwrap_or(NonZero::<u16>::MIN);
    let mut terminal = vt100::Parser::new(size(120), size(width), 0);
    terminal.process(output.replace('\n', "\r\n").as_bytes());
    terminal
}

/// The lines of a screen; with styles, each styled run is written as `‹codes:…›`.
pub(crate) fn lines(terminal: &vt100::Parser) -> String {
    let screen = terminal.screen();
    let (rows, columns) = screen.size();
    let mut text = String::new();
    for row in 0..rows.get() {
        let mut line = String::new();
        let mut open = String::new();
        for cell in (0..columns.get()).filter_map(|column| screen.cell(row, column)) {
            if cell.is_wide_continuation() {
                continue;
            }
            let look = look(cell);
            if look != open {
                line.push_str(if open.is_empty() { "" } else { "›" });
                if !look.is_empty() {
                    line.push_str(&format!("‹{look}:"));
                }
                open = look;
            }
            line.push_str(if cell.has_contents() { cell.contents() } else { " " });
        }
        line.push_str(if open.is_empty() { "" } else { "›" });
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

fn look(cell: &vt100::Cell) -> String {
    let colour = match cell.fgcolor() {
        vt100::Color::Idx(1) => "red",
        vt100::Color::Idx(2) => "green",
        vt100::Color::Idx(5) => "magenta",
        vt100::Color::Idx(6) => "cyan",
        _ => "",
    };
    let looks = [
        (cell.bold(), "bold"),
        (cell.italic(), "italic"),
        (cell.underline(), "under"),
        (cell.dim(), "dim"),
        (!colour.is_empty(), colour),
    ];
    let looks: Vec<&str> = looks.iter().filter(|it| it.0).map(|it| it.1).collect();
    looks.join(" ")
}
