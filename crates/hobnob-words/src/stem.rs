//! The Porter stemmer: replaces irregular forms by their base, then removes English suffixes by the
//! rules that M. F. Porter published in 1980.
//!
//! Only words of the letters a to z are stemmed; all others stay unchanged. The store's index on
//! disk contains stems, so changing a rule or an irregular form invalidates it.

use crate::irregular;

/// Longer words are not English.
const MAX_WORD_LENGTH: usize = 40;

/// Stems a folded word in place. A stem need not be a word; an irregular form can become longer.
pub fn stem(word: &mut String) {
    if let Some(base) = irregular::base(word) {
        word.clear();
        word.push_str(base);
    }
    if !(3..=MAX_WORD_LENGTH).contains(&word.len())
        || !word.bytes().all(|letter| letter.is_ascii_lowercase())
    {
        return;
    }
    plural(word);
    past_and_present(word);
    if ends_after_vowel(word, "y") {
        replace_end(word, 1, "i");
    }
    replace_first(word, LONG_ENDINGS, 0);
    replace_first(word, SHORT_ENDINGS, 0);
    drop_last_ending(word);
    tidy_end(word);
}

/// Double suffixes with their replacements.
const LONG_ENDINGS: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const SHORT_ENDINGS: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

/// Suffixes that are removed if enough of the word is left; `ion` has a rule of its own.
const LAST_ENDINGS: &[&str] = &[
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "al", "er", "ic", "ou",
];

fn plural(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        replace_end(word, 2, "");
    } else if word.ends_with('s') && !word.ends_with("ss") {
        replace_end(word, 1, "");
    }
}

fn past_and_present(word: &mut String) {
    if word.ends_with("eed") {
        if 0 < measure(before(word, 3)) {
            replace_end(word, 1, "");
        }
        return;
    }
    let ending = ["ed", "ing"].into_iter().find(|ending| ends_after_vowel(word, ending));
    let Some(ending) = ending else { return };
    replace_end(word, ending.len(), "");
    if ["at", "bl", "iz"].iter().any(|end| word.ends_with(end)) {
        word.push('e');
    } else if ends_doubled(word) && !word.ends_with(['l', 's', 'z']) {
        replace_end(word, 1, "");
    } else if measure(word.as_bytes()) == 1 && ends_short(word.as_bytes()) {
        word.push('e');
    }
}

/// Replaces the first suffix of the table that the word has, if the rest exceeds `min_measure`.
fn replace_first(word: &mut String, table: &[(&str, &str)], min_measure: usize) {
    let found = table.iter().find(|(ending, _)| ends_with(word, ending));
    if let Some((ending, instead)) = found
        && min_measure < measure(before(word, ending.len()))
    {
        replace_end(word, ending.len(), instead);
    }
}

fn drop_last_ending(word: &mut String) {
    let ion = word.ends_with("sion") || word.ends_with("tion");
    let found = LAST_ENDINGS.iter().find(|ending| ends_with(word, ending)).copied();
    let ending = if ion { Some("ion") } else { found };
    if let Some(ending) = ending
        && 1 < measure(before(word, ending.len()))
    {
        replace_end(word, ending.len(), "");
    }
}

fn tidy_end(word: &mut String) {
    if word.ends_with('e') {
        let rest = before(word, 1);
        let syllables = measure(rest);
        if 1 < syllables || (syllables == 1 && !ends_short(rest)) {
            replace_end(word, 1, "");
        }
    }
    if word.ends_with("ll") && 1 < measure(word.as_bytes()) {
        replace_end(word, 1, "");
    }
}

/// Compares the last letter first, since most suffixes differ there.
fn ends_with(word: &str, ending: &str) -> bool {
    word.as_bytes().last() == ending.as_bytes().last() && word.ends_with(ending)
}

fn replace_end(word: &mut String, length: usize, instead: &str) {
    word.truncate(word.len().saturating_sub(length));
    word.push_str(instead);
}

fn before(word: &str, ending: usize) -> &[u8] {
    let rest = word.len().saturating_sub(ending);
    word.as_bytes().get(..rest).unwrap_or_default()
}

fn ends_after_vowel(word: &str, ending: &str) -> bool {
    let rest = before(word, ending.len());
    word.ends_with(ending) && (0..rest.len()).any(|place| is_vowel(rest, place))
}

fn ends_doubled(word: &str) -> bool {
    match word.as_bytes() {
        [.., one, other] => one == other && !is_vowel(word.as_bytes(), word.len() - 1),
        _ => false,
    }
}

/// Whether it ends like `hop`: consonant, vowel, consonant other than w, x, y (Porter's `*o`).
fn ends_short(word: &[u8]) -> bool {
    let Some(start) = word.len().checked_sub(3) else { return false };
    !is_vowel(word, start)
        && is_vowel(word, start + 1)
        && !is_vowel(word, start + 2)
        && !word.ends_with(b"w")
        && !word.ends_with(b"x")
        && !word.ends_with(b"y")
}

/// Porter's measure `m`: how often a consonant follows a vowel, about the number of syllables.
fn measure(word: &[u8]) -> usize {
    let follows = |place: &usize| is_vowel(word, place - 1) && !is_vowel(word, *place);
    (1..word.len()).filter(follows).count()
}

/// A `y` is a vowel after a consonant.
fn is_vowel(word: &[u8], place: usize) -> bool {
    match word.get(place) {
        Some(b'a' | b'e' | b'i' | b'o' | b'u') => true,
        Some(b'y') => place.checked_sub(1).is_some_and(|before| !is_vowel(word, before)),
        _ => false,
    }
}
