//! The vectors of a question and of its words, without stop words. Texts of memories go through the
//! same function, so that both have the same kind of words.

use hobnob_embed::EmbeddedText;
use hobnob_store::memory::{QuestionVectors, QuestionWord};
use hobnob_store::words::{TokenKind, each_word};

/// The vectors that a search needs of a question.
pub(super) fn question_vectors(text: EmbeddedText) -> QuestionVectors {
    let words = text.words.into_iter().filter_map(|it| {
        let term = telling_term(&it.word)?;
        Some(QuestionWord { term, vector: it.vector.into_vec() })
    });
    let mut words: Vec<QuestionWord> = words.collect();
    // A repeated word must not count twice.
    let mut seen: Vec<String> = Vec::new();
    words.retain(|word| {
        let new = !seen.contains(&word.term);
        seen.push(word.term.clone());
        new
    });
    QuestionVectors { vector: text.vector.as_slice().to_vec(), words }
}

/// The term under which a word is indexed; `None` for a stop word.
pub(in crate::memory) fn telling_term(word: &str) -> Option<String> {
    let mut term = None;
    each_word(word, |it| {
        if it.kind != TokenKind::Stop && term.is_none() {
            term = Some(it.term.to_owned());
        }
    });
    term
}
