//! Splits text into words, and identifiers in code into their parts.
//!
//! Indexing and searching must split alike: changing this code requires a new index.

use super::fold::{fold_into, is_unspaced, is_word};
use hobnob_words::{is_stop, stem};

/// Maximum length of a term; the index and the query cut longer ones in the same way.
const MAX_TERM_BYTES: usize = 64;
/// A compound with more pieces than this is not indexed as a whole.
const MAX_PIECES: usize = 6;
/// A piece with more changes between letters and digits is a checksum: its parts are not indexed.
const MAX_CHANGES: usize = 3;

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextToken<'a> {
    /// The folded and stemmed form: letters and digits only.
    pub term: &'a str,
    /// The byte offset of its start in the text.
    pub start: usize,
    /// The byte offset of its end in the text.
    pub end: usize,
    /// Whether it is a plain word, a stop word or a whole identifier.
    pub kind: TokenKind,
}

/// The kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word, or a part of an identifier.
    Plain,
    /// A stop word, which says nothing about the topic of a text.
    Stop,
    /// An identifier with all of its parts, such as `getUserById` or `max_retry_count`.
    Whole,
}

/// Calls `visit` for each word of a text, from left to right; a whole identifier follows its parts.
pub fn each_word(text: &str, visit: impl FnMut(TextToken<'_>)) {
    let mut splitter = Splitter { text, folded: String::new(), visit };
    let (mut pieces, mut joints) = (Vec::new(), Vec::new());
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        if !is_word(first) {
            continue;
        }
        joints.clear();
        pieces.clear();
        pieces.push(Span { start, end: start + first.len_utf8() });
        while let Some(&(place, letter)) = rest.peek() {
            let end = place + letter.len_utf8();
            if is_word(letter) {
                if let Some(last) = pieces.last_mut() {
                    last.end = end;
                }
            } else if joins(letter) && text[end..].starts_with(is_word) {
                joints.push(letter);
                pieces.push(Span { start: end, end });
            } else {
                break;
            }
            rest.next();
        }
        splitter.compound(&pieces, &joints);
    }
}

/// Whether a character between two letters joins them to one compound.
fn joins(letter: char) -> bool {
    matches!(letter, '_' | '-' | '.' | '\'' | '’' | ',')
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
}

struct Splitter<'a, V> {
    text: &'a str,
    folded: String,
    visit: V,
}

impl<V: FnMut(TextToken<'_>)> Splitter<'_, V> {
    /// Emits a compound: pieces with one joint between each two of them.
    fn compound(&mut self, pieces: &[Span], joints: &[char]) {
        let mut group = 0;
        for place in 0..pieces.len() {
            let joint = joints.get(place).copied();
            // A comma only joins the digits of a number.
            let ends = match joint {
                None => true,
                Some(',') => !self.is_number(pieces[place]) || !self.is_number(pieces[place + 1]),
                Some(_) => false,
            };
            if ends {
                self.name(&pieces[group..=place], &joints[group..place]);
                group = place + 1;
            }
        }
    }

    fn name(&mut self, pieces: &[Span], joints: &[char]) {
        if let [number, .., last] = pieces
            && joints.iter().all(|joint| *joint == ',')
        {
            let span = Span { start: number.start, end: last.end };
            return self.emit(pieces, span, TokenKind::Plain, "");
        }
        let (pieces, joints) = self.without_contraction(pieces, joints);
        let [first, .., last] = pieces else {
            return pieces.iter().for_each(|piece| self.piece(*piece));
        };
        pieces.iter().for_each(|piece| self.piece(*piece));
        let span = Span { start: first.start, end: last.end };
        if pieces.len() <= MAX_PIECES && !self.text[span.start..span.end].contains(is_unspaced) {
            // Keeps `1.23` and `12.3` apart, which would otherwise be the same digits.
            let dotted =
                joints.contains(&'.') && pieces.iter().skip(1).any(|it| self.is_number(*it));
            self.emit(pieces, span, TokenKind::Whole, if dotted { "·" } else { "" });
        }
    }

    /// Drops the contraction: `Ada's` becomes `Ada`, and `don't` gives no word.
    fn without_contraction<'s>(
        &self,
        pieces: &'s [Span],
        joints: &'s [char],
    ) -> (&'s [Span], &'s [char]) {
        let ([heads @ .., tail], [others @ .., '\'' | '’']) = (pieces, joints) else {
            return (pieces, joints);
        };
        match self.text[tail.start..tail.end].to_lowercase().as_str() {
            "s" | "re" | "ve" | "ll" | "d" | "m" => (heads, others),
            "t" => {
                let kept = heads.len().saturating_sub(1);
                (&heads[..kept], &others[..kept.saturating_sub(1)])
            }
            _ => (pieces, joints),
        }
    }

    /// Emits an unbroken run of letters and digits.
    fn piece(&mut self, piece: Span) {
        if let [first, rest @ ..] = &self.text.as_bytes()[piece.start..piece.end]
            && first.is_ascii_alphabetic()
            && rest.iter().all(u8::is_ascii_lowercase)
        {
            // Fast path: most words are not identifiers.
            return self.part(piece);
        }
        let parts = parts(self.text, piece);
        if let [_] = parts.as_slice() {
            return self.part(piece);
        }
        let is_digit =
            |span: &Span| self.text[span.start..].starts_with(|it: char| it.is_numeric());
        let changes = parts.windows(2).filter(|two| is_digit(&two[0]) != is_digit(&two[1])).count();
        if let [number, ending] = parts.as_slice()
            && ["st", "nd", "rd", "th"].contains(&&self.text[ending.start..ending.end])
        {
            return self.part(*number);
        }
        if changes <= MAX_CHANGES {
            parts.iter().for_each(|part| self.part(*part));
        }
        if !self.text[piece.start..piece.end].contains(is_unspaced) {
            self.emit(&[piece], piece, TokenKind::Whole, "");
        }
    }

    fn part(&mut self, part: Span) {
        let text = &self.text[part.start..part.end];
        if text.starts_with(is_unspaced) {
            return self.pairs(part);
        }
        self.emit(&[part], part, TokenKind::Plain, "");
    }

    /// In a script without spaces, emits each pair of neighbouring characters (character bigrams).
    fn pairs(&mut self, part: Span) {
        let text = &self.text[part.start..part.end];
        let starts: Vec<usize> = text.char_indices().map(|(start, _)| part.start + start).collect();
        let ends = starts.iter().skip(2).copied().chain([part.end]);
        if starts.len() == 1 {
            return self.emit(&[part], part, TokenKind::Plain, "");
        }
        for (start, end) in starts.iter().zip(ends) {
            let pair = Span { start: *start, end };
            self.emit(&[pair], pair, TokenKind::Plain, "");
        }
    }

    fn emit(&mut self, pieces: &[Span], span: Span, kind: TokenKind, joint: &str) {
        let folded = &mut self.folded;
        folded.clear();
        for piece in pieces {
            if !folded.is_empty() {
                folded.push_str(joint);
            }
            fold_into(folded, &self.text[piece.start..piece.end]);
            if MAX_TERM_BYTES < folded.len() {
                folded.truncate(folded.floor_char_boundary(MAX_TERM_BYTES));
                break;
            }
        }
        let mut kind = kind;
        if kind == TokenKind::Plain {
            if is_stop(folded) {
                kind = TokenKind::Stop;
            }
            stem(folded);
            let zeros = folded.len() - folded.trim_start_matches('0').len();
            if 0 < zeros && folded.bytes().all(|digit| digit.is_ascii_digit()) {
                folded.drain(..zeros.min(folded.len() - 1));
            }
        }
        if !folded.is_empty() {
            (self.visit)(TextToken { term: folded, start: span.start, end: span.end, kind });
        }
    }

    fn is_number(&self, span: Span) -> bool {
        self.text[span.start..span.end].bytes().all(|digit| digit.is_ascii_digit())
    }
}

/// Character classes; a change of class inside an identifier begins a new part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Unspaced,
}

/// Splits `HTTPServer2` into `HTTP`, `Server`, `2`.
fn parts(text: &str, piece: Span) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut start = piece.start;
    let mut before: Option<(usize, Class)> = None;
    let mut capitals = 0;
    for (offset, letter) in text[piece.start..piece.end].char_indices() {
        let place = piece.start + offset;
        let class = match before {
            Some((_, class)) if !letter.is_alphanumeric() => class,
            _ => class(letter),
        };
        let cut = match before {
            None => None,
            Some((_, Class::Lower)) if class == Class::Upper => Some(place),
            // The last of several capitals begins the next word.
            Some((last, Class::Upper)) if class == Class::Lower => (1 < capitals).then_some(last),
            Some((_, old)) => {
                let letters = |it| matches!(it, Class::Lower | Class::Upper);
                (old != class && !(letters(old) && letters(class))).then_some(place)
            }
        };
        if let Some(cut) = cut {
            parts.push(Span { start, end: cut });
            start = cut;
        }
        capitals = if class == Class::Upper { capitals + 1 } else { 0 };
        before = Some((place, class));
    }
    parts.push(Span { start, end: piece.end });
    parts
}

fn class(letter: char) -> Class {
    if is_unspaced(letter) {
        Class::Unspaced
    } else if letter.is_uppercase() {
        Class::Upper
    } else if letter.is_numeric() {
        Class::Digit
    } else {
        Class::Lower
    }
}
