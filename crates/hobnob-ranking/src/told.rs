//! Detects requests to remember a fact, or to recall one. "Remember that we deploy on Thursdays" is
//! not about deployments: the words after the beginning are the fact.
//!
//! `rank` calls it. What must stay true: only the beginning of a query decides.

/// Polite words that may precede the request.
const POLITE: &[&str] = &[
    "also", "and", "can", "could", "hey", "hi", "i", "just", "like", "need", "ok", "okay",
    "please", "should", "to", "want", "will", "would", "you",
];

/// How such requests begin; where one is a prefix of another, the longer one comes first.
const BEGINNINGS: &[&[&str]] = &[
    &["bear", "in", "mind"],
    &["did", "i", "tell", "you"],
    &["do", "not", "forget"],
    &["do", "you", "know", "about"],
    &["do", "you", "remember"],
    &["don", "t", "forget"],
    &["for", "the", "record"],
    &["from", "now", "on"],
    &["have", "i", "told", "you"],
    &["keep", "in", "mind"],
    &["keep", "it", "in", "mind"],
    &["keep", "this", "in", "mind"],
    &["make", "a", "note"],
    &["memorise"],
    &["memorize"],
    &["never", "forget"],
    &["note", "for", "later"],
    &["note", "that"],
    &["note", "to", "self"],
    &["remember"],
    &["take", "a", "note"],
    &["what", "did", "i", "tell", "you"],
    &["what", "did", "we", "agree"],
    &["what", "did", "we", "decide"],
    &["what", "do", "you", "know", "about"],
    &["what", "do", "you", "remember"],
];

/// The index of the first word of the fact; the end of the query for other requests.
pub(crate) fn fact_start(parts: &[String]) -> usize {
    let polite = parts.iter().take_while(|part| POLITE.contains(&part.as_str())).count();
    // "Do you" is both polite and a beginning, so every position up to there is tried.
    let end = (0..=polite).find_map(|at| {
        let rest = &parts[at..];
        let begins = |words: &&&[&str]| {
            words.len() <= rest.len() && words.iter().zip(rest).all(|(one, other)| one == other)
        };
        BEGINNINGS.iter().find(begins).map(|words| at + words.len())
    });
    end.unwrap_or(parts.len())
}

#[cfg(test)]
mod tests {
    use super::fact_start;
    use crate::words::parts;

    #[test]
    fn what_is_kept_begins_after_the_first_words() {
        let cases = [
            ("remember that we deploy", "that we deploy"),
            ("can you please remember my birthday", "my birthday"),
            ("Don't forget: Ada prefers tabs", "Ada prefers tabs"),
            ("what did I tell you about the release", "about the release"),
            ("do you remember which database it was", "which database it was"),
            ("deploy on Thursdays, remember", ""),
            ("search the notes that I made", ""),
            ("remember", ""),
            ("", ""),
        ];
        for (query, expected) in cases {
            let parts = parts(query);
            assert_eq!(parts[fact_start(&parts)..].join(" "), expected.to_lowercase(), "{query}");
        }
    }
}
