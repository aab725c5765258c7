//! Made-up memories with the word frequencies of a language, labels, and questions about them.

use crate::random::RandomNumbers;
use std::collections::HashSet;

/// The number of different content words.
const VOCABULARY_SIZE: f64 = 20_000.0;
/// The offset of the Zipf–Mandelbrot law, by which the frequency of a word is 1 / (rank + offset).
/// Without it, the first ten words would make up a quarter of a text; in a language those are stop
/// words, which have a list of their own.
const ZIPF_OFFSET: f64 = 10.0;
/// The percentage of stop words in a text.
const STOP_WORD_PERCENT: usize = 45;
const STOP_WORDS: [&str; 24] = [
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "was", "on", "with", "as",
    "at", "by", "this", "from", "are", "or", "we", "when", "which", "not",
];
const NAMESPACES: [&str; 5] = ["decisions", "patterns", "learnings", "context", "apis"];
const TAGS: [&str; 8] =
    ["storage", "network", "release", "review", "design", "testing", "security", "speed"];
/// How many memories in a row have the same source, as the turns of one conversation do.
const MEMORIES_PER_SOURCE: usize = 8;

/// The content and labels of a made-up memory.
pub(crate) struct Item {
    pub(crate) content: String,
    pub(crate) namespace: &'static str,
    /// Two tags, which are never the same.
    pub(crate) tags: [&'static str; 2],
    /// Every other conversation has one.
    pub(crate) source: Option<String>,
}

/// The memory with this number, of 20 to 60 words.
pub(crate) fn item(number: usize) -> Item {
    let mut random = RandomNumbers::numbered(number as u64);
    let words: Vec<String> = (0..20 + random.below(41)).map(|_| word(&mut random)).collect();
    let first = random.below(TAGS.len());
    let second = (first + 1 + random.below(TAGS.len() - 1)) % TAGS.len();
    let conversation = number / MEMORIES_PER_SOURCE;
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

/// Distinct questions about the first `memories` memories, each of 3 to 8 words of one memory.
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
    let mut words: Vec<&str> = content.split(' ').filter(|it| !STOP_WORDS.contains(it)).collect();
    words.sort_unstable();
    words.dedup();
    let mut chosen = Vec::new();
    while chosen.len() < count && !words.is_empty() {
        chosen.push(words.swap_remove(random.below(words.len())));
    }
    chosen.join(" ")
}

fn word(random: &mut RandomNumbers) -> String {
    if random.below(100) < STOP_WORD_PERCENT {
        return STOP_WORDS[random.below(STOP_WORDS.len())].to_owned();
    }
    // Inverse transform sampling of a rank whose frequency is 1 / (rank + ZIPF_OFFSET).
    let rank = ZIPF_OFFSET * ((VOCABULARY_SIZE + ZIPF_OFFSET) / ZIPF_OFFSET).powf(random.share())
        - ZIPF_OFFSET;
    spelled(rank as usize)
}

/// Spells a rank as three syllables, which differ for each rank.
fn spelled(rank: usize) -> String {
    const CONSONANTS: &[u8; 14] = b"bdfgklmnprstvz";
    const VOWELS: &[u8; 5] = b"aeiou";
    const SYLLABLES: usize = CONSONANTS.len() * VOWELS.len();
    // The factor is coprime to the 70 syllables, so neighbouring ranks do not look alike.
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
