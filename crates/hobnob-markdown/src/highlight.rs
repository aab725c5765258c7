//! Colours code: comments, strings, numbers and keywords, line by line.
//!
//! One small tokenizer serves all languages of the table. It may take another word for a keyword,
//! but never changes, adds or drops a character.

use crate::languages::Language;
use crate::painter::{Glyph, glyphs};
use crate::steps;
use crate::style::{Hue, Ink};

/// Colours the lines of one block of code.
#[derive(Debug)]
pub(crate) struct Highlighter {
    grammar: Grammar,
    inside: Inside,
}

#[derive(Debug)]
enum Grammar {
    /// Every character keeps the plain style.
    Plain,
    /// A diff: the first character of a line decides.
    Diff,
    Of(&'static Language),
}

/// The token that the next character belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    LineComment,
    Comment {
        end: &'static str,
    },
    Quoted {
        end: &'static str,
    },
    /// A line of a diff.
    Line(Hue),
}

impl Highlighter {
    /// A highlighter for the language that a fence names.
    pub(crate) fn new(language: &str) -> Self {
        let name = language.split([' ', ',', '{', ':']).next().unwrap_or_default();
        let grammar = match Language::find(name) {
            Some(language) => Grammar::Of(language),
            None if matches!(name, "diff" | "patch") => Grammar::Diff,
            None => Grammar::Plain,
        };
        Self { grammar, inside: Inside::Code }
    }

    /// Colours a line, or a part of a long one.
    pub(crate) fn read(&mut self, text: &str, out: &mut Vec<Glyph>) {
        let language = match &self.grammar {
            Grammar::Plain => return out.extend(glyphs(text, Ink::PLAIN)),
            Grammar::Diff => return self.read_diff(text, out),
            Grammar::Of(language) => *language,
        };
        let mut rest = text;
        let mut before = ' ';
        while !rest.is_empty() {
            steps::count(1);
            let (length, hue) = self.token(language, rest, before);
            let (token, after) = rest.split_at(length);
            out.extend(glyphs(token, Ink::of(hue)));
            before = token.chars().next_back().unwrap_or(' ');
            rest = after;
        }
    }

    /// Ends the line: only block comments and multi-line strings continue on the next one.
    pub(crate) fn end_line(&mut self) {
        let goes_on = match self.inside {
            Inside::Comment { .. } => true,
            Inside::Quoted { end } => end.len() == 3 || end == "`",
            Inside::Code | Inside::LineComment | Inside::Line(_) => false,
        };
        if !goes_on {
            self.inside = Inside::Code;
        }
    }

    fn read_diff(&mut self, text: &str, out: &mut Vec<Glyph>) {
        if self.inside == Inside::Code {
            self.inside = Inside::Line(diff_hue(text));
        }
        let hue = if let Inside::Line(hue) = self.inside { hue } else { Hue::Plain };
        out.extend(glyphs(text, Ink::of(hue)));
    }

    /// The length of the next token, and its colour.
    fn token(&mut self, language: &Language, rest: &str, before: char) -> (usize, Hue) {
        match self.inside {
            Inside::LineComment => (rest.len(), Hue::Dim),
            Inside::Comment { end } => {
                let found = rest.find(end);
                if found.is_some() {
                    self.inside = Inside::Code;
                }
                (found.map_or(rest.len(), |at| at + end.len()), Hue::Dim)
            }
            Inside::Quoted { end } => {
                let found = closing(rest, end);
                if found.is_some() {
                    self.inside = Inside::Code;
                }
                (found.unwrap_or(rest.len()), Hue::Green)
            }
            Inside::Code | Inside::Line(_) => self.code_token(language, rest, before),
        }
    }

    fn code_token(&mut self, language: &Language, rest: &str, before: char) -> (usize, Hue) {
        if let Some((start, end)) = language.block_comment.filter(|it| rest.starts_with(it.0)) {
            self.inside = Inside::Comment { end };
            return (start.len(), Hue::Dim);
        }
        // `$#` and `a#b` are not comments, nor is the end of `http://`.
        let apart = before.is_whitespace() || ";{}()".contains(before);
        if apart && let Some(mark) = language.line_comments.iter().find(|it| rest.starts_with(**it))
        {
            self.inside = Inside::LineComment;
            return (mark.len(), Hue::Dim);
        }
        if let Some(quote) = language.quotes.iter().find(|it| rest.starts_with(**it)) {
            self.inside = Inside::Quoted { end: quote };
            return (quote.len(), Hue::Green);
        }
        let first = rest.chars().next().unwrap_or(' ');
        let part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let word = rest.find(|letter| !part(letter)).unwrap_or(rest.len());
        match first {
            '0'..='9' => {
                let number = rest.find(|letter| !part(letter) && letter != '.');
                (number.unwrap_or(rest.len()), Hue::Cyan)
            }
            _ if !part(first) => (first.len_utf8(), Hue::Plain),
            _ if language.is_keyword(&rest[..word]) => (word, Hue::Magenta),
            _ => (word, Hue::Plain),
        }
    }
}

/// The colour of a line of a diff.
pub(crate) fn diff_hue(line: &str) -> Hue {
    match line.bytes().next() {
        Some(b'+') => Hue::Green,
        Some(b'-') => Hue::Red,
        Some(b'@') => Hue::Dim,
        _ => Hue::Plain,
    }
}

/// The offset after a string's closing mark.
fn closing(rest: &str, end: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in rest.char_indices() {
        if !escaped && rest[at..].starts_with(end) {
            return Some(at + end.len());
        }
        escaped = letter == '\\' && !escaped;
    }
    None
}
