//! Picks the passage of a text that matches a question best.
//!
//! The tool `recall` shows it in place of a long memory. It never cuts inside a character.

use hobnob_store::words::each_word;

/// How many bytes of a text are searched for a passage.
const MAX_SEARCHED: usize = 64 << 10;
/// Length of a passage, and of its part before the first matching word, in characters.
const LENGTH: usize = 200;
const LEAD: usize = 40;

/// Up to two hundred characters around the query's words, or the beginning. White space becomes
/// single spaces, and `…` marks what is left out; a short text stays whole.
pub(super) fn snippet(text: &str, asked: &[String]) -> String {
    if let (all, true) = fit(text) {
        return all;
    }
    let read = text.get(..text.floor_char_boundary(MAX_SEARCHED)).unwrap_or(text);
    let start = best_start(read, asked);
    let from = start.map_or(0, |start| back(text, start, LEAD));
    let passage = text.get(from..).unwrap_or(text);
    let (shown, whole) = fit(passage);
    let before = if from == 0 { "" } else { "…" };
    let after = if whole { "" } else { "…" };
    format!("{before}{shown}{after}")
}

/// The start of the passage with the most different query words.
fn best_start(text: &str, asked: &[String]) -> Option<usize> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    each_word(text, |word| {
        if let Some(which) = asked.iter().position(|term| term == word.term) {
            found.push((word.start, which));
        }
    });
    let different = |(place, (start, _)): (usize, &(usize, usize))| {
        let near = found.iter().skip(place).take_while(|(other, _)| *other < start + LENGTH - LEAD);
        let mut which: Vec<usize> = near.map(|(_, which)| *which).take(64).collect();
        which.sort_unstable();
        which.dedup();
        (which.len(), *start)
    };
    // Of equal passages the first wins.
    found
        .iter()
        .enumerate()
        .map(different)
        .max_by_key(|(count, start)| (*count, usize::MAX - start))
        .map(|(_, start)| start)
}

/// The start of a word, about `characters` characters before a place.
fn back(text: &str, place: usize, characters: usize) -> usize {
    let before = text.get(..place).unwrap_or_default();
    let Some((from, _)) = before.char_indices().rev().nth(characters) else { return 0 };
    let rest = before.get(from..).unwrap_or_default();
    rest.char_indices()
        .find(|(_, it)| it.is_whitespace())
        .map_or(place, |(space, it)| from + space + it.len_utf8())
}

/// As many whole words as fit, and whether these are all.
fn fit(passage: &str) -> (String, bool) {
    let mut shown = String::new();
    let mut length = 0;
    for word in passage.split_whitespace() {
        let space = usize::from(!shown.is_empty());
        let more = word.chars().take(LENGTH + 1).count() + space;
        if LENGTH < length + more {
            let room = if shown.is_empty() { LENGTH } else { 0 };
            shown.extend(word.chars().take(room));
            return (shown, false);
        }
        if space == 1 {
            shown.push(' ');
        }
        shown.push_str(word);
        length += more;
    }
    (shown, true)
}
