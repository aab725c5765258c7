//! Made-up memories: words as frequent as those of a language, labels, and questions about them.

use crate::random::RandomNumbers;
use std::collections::HashSet;

/// Different words, without those that only hold a sentence together.
const VOCABULARY: f64 = 20_000.0;
/// How flat the frequencies begin. By Zipf's law alone, a quarter of all words would be the first
/// ten; those are the words of `HOLDING`, which say nothing and are made apart.
const FLAT: f64 = 10.0;
/// Every so many words of a hundred hold the sentence together.
const OF_A_HUNDRED: usize = 45;
const HOLDING: [&str; 24] = [
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "was", "on", "with", "as",
    "at", "by", "this", "from", "are", "or", "we", "when", "which", "not",
];
const NAMESPACES: [&str; 5] = ["decisions", "patterns", "learnings", "context", "apis"];
const TAGS: [&str; 8] =
    ["storage", "network", "release", "review", "design", "testing", "security", "speed"];
/// Memories in a row that have the same source, as turns of one conversation have.
const IN_A_ROW: usize = 8;

/// A memory to be.
pub(crate) struct Item {
    pub(crate) content: String,
    pub(crate) namespace: &'static str,
    /// Never the same one twice.
    pub(crate) tags: [&'static str; 2],
    /// Every other conversation has one.
    pub(crate) source: Option<String>,
}

/// The memory of this number: 20 to 60 words.
pub(crate) fn item(number: usize) -> Item {
    let mut random = RandomNumbers::numbered(number as u64);
    let words: Vec<String> = (0..20 + random.below(41)).map(|_| word(&mut random)).collect();
    let first = random.below(TAGS.len());
    let second = (first + 1 + random.below(TAGS.len() - 1)) % TAGS.len();
    let conversation = number / IN_A_ROW;
    Item {
        content: words.join(" "),
        namespace: NAMESPACES[random.below(NAMESPACES.len())],
        tags: [TAGS[first], TAGS[second]],
        source: conversation.is_multiple_of(2).then(|| format!("talks/{conversation}")),
    }
}

/// A question, and the memory that it is about.
pub(crate) struct Question {
    pub(crate) query: String,
    pub(crate) about: Item,
}

/// Different questions about the first memories, up to this number: 3 to 8 words of one of them.
pub(crate) fn questions(memories: usize, count: usize) -> Vec<Question> {
    let mut random = RandomNumbers::of_text("questions");
    let mut known = HashSet::new();
    let asked = std::iter::repeat_with(move || {
        let about = item(random.below(memories));
        let query = some_words(&about.content, 3 + random.below(6), &mut random);
        Question { query, about }
    });
    asked.filter(|it| known.insert(it.query.clone())).take(count).collect()
}

fn some_words(content: &str, count: usize, random: &mut RandomNumbers) -> String {
    let mut words: Vec<&str> = content.split(' ').filter(|it| !HOLDING.contains(it)).collect();
    words.sort_unstable();
    words.dedup();
    let mut chosen = Vec::new();
    while chosen.len() < count && !words.is_empty() {
        chosen.push(words.swap_remove(random.below(words.len())));
    }
    chosen.join(" ")
}

fn word(random: &mut RandomNumbers) -> String {
    if random.below(100) < OF_A_HUNDRED {
        return HOLDING[random.below(HOLDING.len())].to_owned();
    }
    // The rank of a word whose frequency is 1 / (rank + FLAT).
    let rank = FLAT * ((VOCABULARY + FLAT) / FLAT).powf(random.share()) - FLAT;
    spelled(rank as usize)
}

/// Three syllables, others for each rank.
fn spelled(rank: usize) -> String {
    const CONSONANTS: &[u8; 14] = b"bdfgklmnprstvz";
    const VOWELS: &[u8; 5] = b"aeiou";
    const SYLLABLES: usize = CONSONANTS.len() * VOWELS.len();
    // Neighbouring ranks do not look alike: the factor has no divisor in common with 70.
    let mut left = rank * 100_003 % SYLLABLES.pow(3);
    let mut spelled = String::new();
    for _ in 0..3 {
        let syllable = left % SYLLABLES;
        left /= SYLLABLES;
        spelled.push(char::from(CONSONANTS[syllable / VOWELS.len()]));
        spelled.push(char::from(VOWELS[syllable % VOWELS.len()]));
    }
    spelled
}
