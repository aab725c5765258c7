//! A short text as a statement: its telling words in order, and the one place in which it differs
//! from another statement. `replaced` compares memories with it, `copies` folds equal ones.

use super::change_words::{CALENDAR, CONTRASTS, LIGHT, NUMBERS, REASONS, UPDATES};
use hobnob_store::words::{TokenKind, each_word};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes of a text that are read.
const MAX_BYTES: usize = 4_096;

/// The words of the phrases that announce a change, by their first word.
static CUES: LazyLock<HashMap<&str, Vec<Vec<&str>>>> = LazyLock::new(|| {
    let mut cues: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
    for phrase in CONTRASTS.iter().chain(UPDATES) {
        let words: Vec<&str> = phrase.split(' ').collect();
        cues.entry(words[0]).or_default().push(words);
    }
    cues
});

/// What a word can be in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordClass {
    /// A number, a date or a time.
    Value,
    /// A word that says what the statement is about.
    Plain,
}

/// A telling word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its stem, which stands for all of its forms.
    pub(super) term: String,
    pub(super) class: WordClass,
    /// The word before it in lower case, without articles; empty at the beginning.
    pub(super) before: String,
}

/// The words of a text that state something, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Statement {
    pub(super) words: Vec<Word>,
    /// All words in lower case, with a space before and after each.
    text: String,
}

/// The only place in which two statements differ, as ranges of their words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) older: Range<usize>,
    pub(super) newer: Range<usize>,
    /// Whether words that both have are in another order.
    pub(super) is_reordered: bool,
}

impl Statement {
    pub(super) fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MAX_BYTES)];
        let mut raw: Vec<RawWord> = Vec::new();
        each_word(text, |token| {
            let written = text.get(token.start..token.end).unwrap_or_default();
            // A whole identifier stands for its parts.
            while token.kind == TokenKind::Whole
                && raw.last().is_some_and(|last| token.start <= last.start)
            {
                raw.pop();
            }
            raw.push(RawWord {
                start: token.start,
                term: token.term.to_owned(),
                lower: written.to_lowercase(),
                is_name: 0 < token.start && written.starts_with(char::is_uppercase),
                is_stop: token.kind == TokenKind::Stop,
            });
        });
        let lower: Vec<&str> = raw.iter().map(|word| word.lower.as_str()).collect();
        let padded = format!(" {} ", lower.join(" "));
        let end = reason_start(&padded).unwrap_or(raw.len()).max(2);
        Self { words: telling(&raw[..raw.len().min(end)]), text: padded }
    }

    /// Whether the text has any of these phrases.
    pub(super) fn says(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.text.contains(&format!(" {phrase} ")))
    }

    pub(super) fn has(&self, word: &Word) -> bool {
        self.words.iter().any(|it| it.term == word.term)
    }

    /// Whether the other statement has the first word of this one.
    pub(super) fn head_is_in(&self, other: &Self) -> bool {
        self.words.iter().take(2).any(|word| other.has(word))
    }

    pub(super) fn slice(&self, range: &Range<usize>) -> &[Word] {
        self.words.get(range.clone()).unwrap_or_default()
    }

    /// The only place in which the newer statement differs. What it adds at its end does not count.
    pub(super) fn only_change(&self, newer: &Self) -> Option<Change> {
        let mut changes = self.changes(newer);
        if let Some(last) = changes.last()
            && last.older.is_empty()
            && last.newer.end == newer.words.len()
        {
            changes.pop();
        }
        self.join_values(newer, &mut changes);
        match changes.as_slice() {
            [one] if !one.older.is_empty() && !one.newer.is_empty() => Some(one.clone()),
            _ => None,
        }
    }

    /// Joins numbers with one unit between them: `three attempts with five seconds`.
    fn join_values(&self, newer: &Self, changes: &mut Vec<Change>) {
        let is_value = |change: &Change| {
            let mut words = self.slice(&change.older).iter().chain(newer.slice(&change.newer));
            words.all(|word| word.class == WordClass::Value)
        };
        let mut place = 0;
        while let [one, other, ..] = changes.get(place..).unwrap_or_default() {
            let unit = self.slice(&(one.older.end..other.older.start));
            let is_unit =
                |word: &Word| !word.term.ends_with("ed") && word.class == WordClass::Plain;
            let joined = is_value(one)
                && is_value(other)
                && 2 <= one.older.start
                && unit.len() <= 1
                && unit.iter().all(is_unit);
            if joined {
                let end = (other.older.end, other.newer.end);
                if let Some(one) = changes.get_mut(place) {
                    (one.older.end, one.newer.end) = end;
                }
                changes.remove(place + 1);
            } else {
                place += 1;
            }
        }
    }

    /// All places in which the statements differ, from a longest common subsequence of their words.
    /// Words that only moved are no difference.
    fn changes(&self, newer: &Self) -> Vec<Change> {
        let pairs = common(&self.words, &newer.words);
        let shared = self.words.iter().filter(|word| newer.has(word)).count();
        let is_reordered = pairs.len() < shared;
        let mut changes = Vec::new();
        let (mut old, mut new) = (0, 0);
        let ends = std::iter::once((self.words.len(), newer.words.len()));
        for (next_old, next_new) in pairs.into_iter().chain(ends) {
            let older = trimmed(&self.words, old..next_old, |word| newer.has(word));
            let range = trimmed(&newer.words, new..next_new, |word| self.has(word));
            if !older.is_empty() || !range.is_empty() {
                changes.push(Change { older, newer: range, is_reordered });
            }
            (old, new) = (next_old + 1, next_new + 1);
        }
        changes
    }
}

/// A word as the text has it.
struct RawWord {
    start: usize,
    term: String,
    lower: String,
    is_name: bool,
    is_stop: bool,
}

/// The number of words before a reason, if there is one after the statement.
fn reason_start(padded: &str) -> Option<usize> {
    let places = REASONS.iter().filter_map(|reason| padded.find(&format!(" {reason} ")));
    let first = places.min()?;
    Some(padded.get(..first)?.split_whitespace().count()).filter(|count| 3 <= *count)
}

fn telling(raw: &[RawWord]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut before = String::new();
    for (word, is_cue) in raw.iter().zip(cues(raw)) {
        let lower = word.lower.as_str();
        if ["the", "a", "an", "our", "my", "der", "die", "das"].contains(&lower) && !word.is_name {
            continue;
        }
        // `pool A` names something, though `a` is a stop word.
        let is_letter = word.is_name && lower.chars().count() == 1 && lower != "i";
        let value = is_value(lower);
        let light = is_cue || LIGHT.contains(&lower);
        if is_letter || value || !(word.is_stop || light) {
            let class = if value { WordClass::Value } else { WordClass::Plain };
            words.push(Word { term: word.term.clone(), class, before: before.clone() });
        }
        before = word.lower.clone();
    }
    words
}

fn is_value(lower: &str) -> bool {
    lower.contains(|it: char| it.is_ascii_digit())
        || CALENDAR.contains(&lower)
        || CALENDAR.iter().any(|name| lower.strip_suffix('s') == Some(name))
        || NUMBERS.contains(&lower)
}

/// For each word, whether it is part of a phrase that announces a change.
fn cues(raw: &[RawWord]) -> Vec<bool> {
    let mut found = vec![false; raw.len()];
    for (place, word) in raw.iter().enumerate() {
        for phrase in CUES.get(word.lower.as_str()).into_iter().flatten() {
            let range = place..place + phrase.len();
            let here = raw.get(range.clone()).unwrap_or_default();
            if here.iter().map(|word| word.lower.as_str()).eq(phrase.iter().copied()) {
                found[range].fill(true);
            }
        }
    }
    found
}

/// The range without words at its ends that the other statement has elsewhere.
fn trimmed(words: &[Word], range: Range<usize>, has: impl Fn(&Word) -> bool) -> Range<usize> {
    let (mut start, mut end) = (range.start, range.end.max(range.start));
    while start < end && words.get(start).is_some_and(&has) {
        start += 1;
    }
    while start < end && words.get(end - 1).is_some_and(&has) {
        end -= 1;
    }
    start..end
}

/// The places of a longest common subsequence, in order.
fn common(one: &[Word], other: &[Word]) -> Vec<(usize, usize)> {
    let width = other.len() + 1;
    let mut lengths = vec![0_u16; (one.len() + 1) * width];
    let at = |row: usize, column: usize| row * width + column;
    for row in (0..one.len()).rev() {
        for column in (0..other.len()).rev() {
            lengths[at(row, column)] = if one[row].term == other[column].term {
                lengths[at(row + 1, column + 1)] + 1
            } else {
                lengths[at(row + 1, column)].max(lengths[at(row, column + 1)])
            };
        }
    }
    let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
    while row < one.len() && column < other.len() {
        if one[row].term == other[column].term {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if lengths[at(row, column + 1)] <= lengths[at(row + 1, column)] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}
