//! Distinguishes words from random characters, by letter bigrams and by the mix of character
//! classes.
//!
//! Rules use it to decide whether a value looks generated.

/// For each letter, the letters that often follow it in English words and identifiers.
///
/// They cover nineteen in twenty letter pairs of words, but three in eight random pairs.
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

/// Counts of the characters and words of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Composition {
    pub(crate) lower: usize,
    pub(crate) upper: usize,
    pub(crate) digits: usize,
    /// Characters other than letters and digits.
    pub(crate) signs: usize,
    /// The number of distinct characters.
    pub(crate) distinct: usize,
    /// The number of pieces that read like words.
    pub(crate) words: usize,
    /// The number of letters in these pieces.
    pub(crate) word_letters: usize,
    /// How often the character class changes from one character to the next.
    pub(crate) class_changes: usize,
}

impl Composition {
    pub(crate) fn of(value: &str) -> Self {
        let mut composition = Self { distinct: distinct(value), ..Self::default() };
        let mut last = None;
        for character in value.chars() {
            let class = CharacterClass::of(character);
            match class {
                CharacterClass::Lower => composition.lower += 1,
                CharacterClass::Upper => composition.upper += 1,
                CharacterClass::Digit => composition.digits += 1,
                CharacterClass::Sign => composition.signs += 1,
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

    /// How many of the four character classes occur.
    pub(crate) fn classes(&self) -> usize {
        [self.lower, self.upper, self.digits, self.signs].iter().filter(|it| 0 < **it).count()
    }

    /// Whether most of its letters and digits are in words.
    pub(crate) fn is_mostly_words(&self) -> bool {
        self.letters() + self.digits < 2 * self.word_letters
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    Lower,
    Upper,
    Digit,
    Sign,
}

impl CharacterClass {
    fn of(character: char) -> Self {
        match character {
            '0'..='9' => Self::Digit,
            it if it.is_uppercase() => Self::Upper,
            it if it.is_alphabetic() => Self::Lower,
            _ => Self::Sign,
        }
    }
}

/// The Shannon entropy in bits per byte.
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

/// The letter runs of a value, split where a word begins: at other characters and at capitals.
fn pieces(value: &str) -> impl Iterator<Item = &str> {
    value.split(|it: char| !it.is_ascii_alphabetic()).flat_map(split_capitals)
}

/// Splits `camelCase` into `camel` and `Case`, `HTTPServer` into `HTTP` and `Server`.
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

/// Whether it has three letters or more, a vowel, and under one unusual pair per three letters.
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
