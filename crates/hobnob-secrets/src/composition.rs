//! Tells words from random characters: which letters follow each other in words, and how mixed a
//! value is.
//!
//! Rules ask it whether a value looks generated.

/// For each letter, those that often follow it in English words and identifiers.
///
/// Of the letter pairs in words, nineteen in twenty are here; of random pairs, three in eight.
const FOLLOWERS: [&str; 26] = [
    "bcdfgiklmnprstuvy",
    "aeilorsu",
    "acehiklorstu",
    "adeilorsu",
    "abcdefgilmnopqrstvwxy",
    "aefiloru",
    "aeghilnorsu",
    "aeiortu",
    "abcdefglmnoprstvxz",
    "aeosu",
    "eis",
    "adeilostuy",
    "abeimopsu",
    "acdefgiknostuvy",
    "abcdfgiklmnoprstuvw",
    "aehiloprstu",
    "u",
    "acdegiklmnorstuvy",
    "acehiklopstuwy",
    "acehilorstuwy",
    "abcdegilmnprst",
    "aeio",
    "aehior",
    "aept",
    "nps",
    "aeo",
];

/// Counts of what a value is made of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Composition {
    pub(crate) lower: usize,
    pub(crate) upper: usize,
    pub(crate) digits: usize,
    /// Characters that are neither letters nor digits.
    pub(crate) signs: usize,
    /// Characters that differ from all others before them.
    pub(crate) distinct: usize,
    /// Pieces that read like words.
    pub(crate) words: usize,
    /// Letters in pieces that read like words.
    pub(crate) word_letters: usize,
    /// How often the class of characters changes from one to the next.
    pub(crate) class_changes: usize,
}

impl Composition {
    pub(crate) fn of(value: &str) -> Self {
        let mut composition = Self { distinct: distinct(value), ..Self::default() };
        let mut last = None;
        for character in value.chars() {
            let class = Sort::of(character);
            match class {
                Sort::Lower => composition.lower += 1,
                Sort::Upper => composition.upper += 1,
                Sort::Digit => composition.digits += 1,
                Sort::Sign => composition.signs += 1,
            }
            composition.class_changes += usize::from(last.is_some_and(|last| last != class));
            last = Some(class);
        }
        for piece in pieces(value) {
            if reads_like_word(piece) {
                composition.words += 1;
                composition.word_letters += piece.len();
            }
        }
        composition
    }

    pub(crate) fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// How many of the four classes occur.
    pub(crate) fn classes(&self) -> usize {
        [self.lower, self.upper, self.digits, self.signs].iter().filter(|it| 0 < **it).count()
    }

    /// Whether most of its letters and digits are words.
    pub(crate) fn is_mostly_words(&self) -> bool {
        self.letters() + self.digits < 2 * self.word_letters
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Lower,
    Upper,
    Digit,
    Sign,
}

impl Sort {
    fn of(character: char) -> Self {
        match character {
            '0'..='9' => Self::Digit,
            it if it.is_uppercase() => Self::Upper,
            it if it.is_alphabetic() => Self::Lower,
            _ => Self::Sign,
        }
    }
}

/// Bits of information per character, by how often each one occurs.
pub(crate) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = value.len() as f64;
    let of_one = |count: &u32| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| 0 < **count).map(of_one).sum()
}

fn distinct(value: &str) -> usize {
    let mut seen = [false; 256];
    for byte in value.bytes() {
        seen[usize::from(byte)] = true;
    }
    seen.iter().filter(|it| **it).count()
}

/// The letters of a value, cut where a word begins: at other characters and at capitals.
fn pieces(value: &str) -> impl Iterator<Item = &str> {
    value.split(|it: char| !it.is_ascii_alphabetic()).flat_map(split_capitals)
}

/// `camelCase` is `camel` and `Case`; `HTTPServer` is `HTTP` and `Server`.
pub(crate) fn split_capitals(letters: &str) -> impl Iterator<Item = &str> {
    let mut rest = letters;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let capitals = rest.find(|it: char| !it.is_uppercase()).unwrap_or(rest.len());
        let next = rest[capitals..].find(char::is_uppercase).map_or(rest.len(), |at| capitals + at);
        let last_capital = rest[..capitals].char_indices().next_back().map_or(0, |(at, _)| at);
        let end = if capitals <= first.len_utf8() {
            next
        } else if capitals == rest.len() {
            capitals
        } else {
            last_capital
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// Three letters or more with a vowel, of which at most every third pair is unusual.
pub(crate) fn reads_like_word(piece: &str) -> bool {
    let letters = piece.as_bytes();
    let vowel = |it: &u8| b"aeiouy".contains(&it.to_ascii_lowercase());
    if letters.len() < 3 || !letters.iter().any(vowel) {
        return false;
    }
    let unusual = letters.windows(2).filter(|pair| !usual(pair[0], pair[1])).count();
    unusual * 3 < letters.len()
}

fn usual(first: u8, second: u8) -> bool {
    let place = usize::from(first.to_ascii_lowercase().wrapping_sub(b'a'));
    let second = second.to_ascii_lowercase();
    FOLLOWERS.get(place).is_some_and(|followers| followers.as_bytes().contains(&second))
}
