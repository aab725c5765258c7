//! Comments name who does what: words that stand for no actor, and other signs of sentences that a stranger
//! reads twice.
//!
//! `command` checks every source. Text in code spans is exempt. A comment after code counts only if no string
//! comes before it in its line.

use super::finding::Finding;
use super::source::Source;

/// The words, and what to write instead.
const WORDS: &[(&str, &str)] = &[
    ("whoever", ACTOR),
    ("whomever", ACTOR),
    ("whatever", "say which things, or leave it out"),
    ("nobody", ACTOR),
    ("somebody", ACTOR),
    ("so many", "name the number: `limit`, `count`"),
    ("of which", "write two sentences"),
    ("as it stands", "write \"unchanged\", or leave it out"),
    ("as they stand", "write \"unchanged\", or leave it out"),
    ("is told", "say who tells it, and by what"),
    ("are told", "say who tells them, and by what"),
    ("hears of", "write \"learns\" or \"is notified\""),
    ("at hand", "write \"current\", or leave it out"),
];
const ACTOR: &str = "name the actor: the caller, the server, the person at the terminal";

/// Every comment of a file that has one of the words.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(source.text.lines()) {
        let Some(comment) = comment(line).filter(|_| !in_literal(source, number)) else { continue };
        let words = without_code(comment);
        for (word, advice) in WORDS.iter().filter(|(word, _)| has(&words, word)) {
            let message = format!("\"{word}\" in a comment: {advice}");
            findings.push(Finding::new(&source.path, number, message));
        }
    }
    findings
}

/// The comment of a line.
fn comment(line: &str) -> Option<&str> {
    let at = line.find("//")?;
    (!line[..at].contains('"')).then(|| &line[at..])
}

/// Whether a line continues a literal of several lines, such as a program in a test.
fn in_literal(source: &Source, line: usize) -> bool {
    source.tokens.iter().any(|token| {
        let lines = token.text.matches('\n').count();
        token.line < line && line <= token.line + lines
    })
}

/// The words of a comment in lower case, without code spans.
fn without_code(comment: &str) -> String {
    comment.split('`').step_by(2).collect::<String>().to_lowercase()
}

/// Whether the text has these words as whole words.
fn has(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}
