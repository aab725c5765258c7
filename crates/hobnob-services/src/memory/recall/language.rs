//! Tells English text from text in another language, by its letters and its most frequent words.
//!
//! `find` asks: between an English question and an English memory the multilingual model has no say,
//! since the main model knows English better.

#[cfg(test)]
mod tests;

/// Characters of a text that are looked at.
const SAMPLE_CHARS: usize = 400;

/// Frequent words of English, sorted. Words that are frequent in another language of the list below,
/// too, such as `is` and `was`, are in neither list.
const ENGLISH: [&str; 56] = [
    "about", "after", "and", "any", "are", "at", "be", "because", "been", "before", "but", "can",
    "could", "did", "does", "each", "every", "for", "from", "has", "have", "he", "her", "how",
    "if", "into", "it", "its", "must", "not", "of", "only", "or", "our", "she", "should", "than",
    "that", "the", "their", "then", "there", "they", "this", "were", "what", "when", "where",
    "which", "who", "why", "will", "with", "would", "you", "your",
];

/// Frequent words of Dutch, French, German, Italian, Polish, Portuguese, Spanish and Turkish, sorted
/// and without accents.
const OTHER: [&str; 199] = [
    "aan", "alla", "alle", "als", "anche", "ao", "auf", "aus", "avec", "bei", "ben", "bij", "bir",
    "bis", "bu", "ce", "ces", "che", "chi", "co", "com", "combien", "comment", "como", "con",
    "cosa", "cual", "cuando", "cuanto", "czy", "da", "daar", "daha", "dans", "das", "de", "dei",
    "del", "della", "dello", "dem", "den", "depois", "der", "des", "desde", "deze", "di", "dit",
    "dla", "dlaczego", "donde", "dopo", "du", "dus", "een", "ein", "eine", "einen", "el", "em",
    "en", "er", "est", "et", "foi", "fue", "gdzie", "gibi", "gibt", "gli", "haben", "hangi",
    "hasta", "hay", "heeft", "het", "hij", "hoe", "ich", "ihr", "il", "ile", "io", "ist", "jak",
    "jakie", "je", "jest", "kac", "kann", "kein", "kiedy", "ktory", "la", "las", "le", "les",
    "leur", "lo", "los", "mais", "mas", "met", "meu", "mi", "minha", "mit", "muss", "muy", "na",
    "nach", "nasil", "nasze", "ne", "neden", "nel", "nella", "nerede", "nicht", "nie", "niet",
    "noch", "nos", "nosso", "nous", "nur", "od", "oder", "ons", "os", "par", "para", "pas",
    "perche", "pero", "por", "porque", "pour", "pourquoi", "przed", "qual", "quale", "quali",
    "quand", "quando", "quanto", "quantos", "que", "quel", "quelle", "quelles", "questo", "qui",
    "quien", "sa", "se", "sein", "sem", "sich", "sie", "sind", "skad", "sobre", "sono", "sont",
    "sul", "sur", "tylko", "um", "uma", "un", "una", "und", "une", "uns", "van", "var", "ve",
    "vom", "voor", "vor", "waar", "waarom", "wann", "wanneer", "warum", "wat", "welche", "welk",
    "welke", "wer", "wie", "wir", "wo", "wordt", "ze", "zum", "zur",
];

/// Whether a text is in another language than English. A text without a sign of any language, such
/// as a name or a line of code, is not.
pub(super) fn is_foreign(text: &str) -> bool {
    let sample = hobnob_text::first_chars(text, SAMPLE_CHARS);
    let (mut letters, mut other_letters) = (0_usize, 0_usize);
    for letter in sample.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        other_letters += usize::from(!letter.is_ascii());
    }
    // A script without spaces or Latin letters has no words of the lists.
    if letters < 2 * other_letters {
        return true;
    }
    let (mut english, mut other) = (0_usize, 0_usize);
    let mut lower = String::new();
    for word in sample.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        english += usize::from(ENGLISH.binary_search(&&*lower).is_ok());
        let is_other = OTHER.binary_search(&&*lower).is_ok() || !lower.is_ascii();
        other += usize::from(is_other);
    }
    english < other
}
