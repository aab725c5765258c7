//! Doc comments must say something that the name does not: three words or fewer never do.
//!
//! `command` checks every source. Comments are read as tokens, so a comment inside a macro counts
//! and text in a string does not.

use super::finding::Finding;
use super::source::{Place, Source};
use super::tokens::Token;

/// A block with this many words or fewer is a finding.
const MAX_SHORT_WORDS: usize = 3;
/// The folders in which the rule holds. The benchmark and the fuzz targets are exempt.
const FOLDERS: [&str; 2] = ["crates", "xtask"];

/// Every doc comment of a file that says too little. Tests are exempt, because their names describe
/// them.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let inside = FOLDERS.iter().any(|folder| source.path.starts_with(folder));
    if !inside || source.place == Place::Test {
        return Vec::new();
    }
    let short = blocks(&source.tokens).into_iter().filter(|it| it.words.len() <= MAX_SHORT_WORDS);
    let short = short.filter(|it| !source.is_test(it.first));
    let report = |block: Block| {
        let message = format!(
            "the doc comment \"{}\" says too little: delete it, or write what the name does not say",
            block.words.join(" ")
        );
        Finding::new(&source.path, block.first, message)
    };
    short.map(report).collect()
}

/// Consecutive lines of doc comments of one kind.
struct Block {
    inner: bool,
    first: usize,
    /// The line after the block.
    next: usize,
    words: Vec<String>,
}

fn blocks(tokens: &[Token]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some((inner, text)) = comment(&tokens[at..]) else { continue };
        let line = token.line;
        let spoken = |word: &&str| word.contains(char::is_alphanumeric);
        let words = text.split_whitespace().filter(spoken).map(str::to_owned);
        let next = line + text.lines().count().max(1);
        match blocks.last_mut() {
            Some(block) if block.inner == inner && block.next == line => {
                block.words.extend(words);
                block.next = next;
            }
            _ => blocks.push(Block { inner, first: line, next, words: words.collect() }),
        }
    }
    blocks
}

/// The text of the doc comment that starts here, and whether it is an inner one.
fn comment(tokens: &[Token]) -> Option<(bool, String)> {
    let text = |at: usize| tokens.get(at).map(|token| token.text.as_str());
    if text(0) != Some("#") {
        return None;
    }
    let inner = text(1) == Some("!");
    let start = if inner { 2 } else { 1 };
    let opens = text(start) == Some("[")
        && text(start + 1) == Some("doc")
        && text(start + 2) == Some("=")
        && text(start + 4) == Some("]");
    if !opens {
        return None;
    }
    let literal: syn::LitStr = syn::parse_str(text(start + 3)?).ok()?;
    Some((inner, literal.value()))
}
