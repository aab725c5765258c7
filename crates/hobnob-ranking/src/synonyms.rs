//! Expressions that mean the same, read once from `synonyms.txt`. A query is widened with it.
//!
//! What must stay true: the file holds words of the trade in general, never words of one tool or of
//! one query, and an expression has at most five words.

use crate::words::terms;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The words of an expression, as stems.
pub(crate) type Expression = Vec<String>;

/// The most words that an expression may have.
pub(crate) const LONGEST: usize = 5;

/// Expressions to their synonyms.
#[derive(Debug, Default)]
pub(crate) struct Synonyms(HashMap<Expression, Vec<Expression>>);

static TRADE: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::parse(include_str!("synonyms.txt")));

impl Synonyms {
    /// The synonyms of the trade.
    pub(crate) fn of_the_trade() -> &'static Self {
        &TRADE
    }

    fn parse(text: &str) -> Self {
        let mut synonyms = Self::default();
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (from, to) = line.split_once('>').unwrap_or((line, line));
            let (from, to) = (expressions(from), expressions(to));
            for asked in &from {
                for other in to.iter().filter(|other| *other != asked) {
                    synonyms.add(asked, other);
                }
            }
        }
        synonyms
    }

    fn add(&mut self, asked: &Expression, other: &Expression) {
        let known = self.0.entry(asked.clone()).or_default();
        if !known.contains(other) {
            known.push(other.clone());
        }
    }

    /// What else may be meant by an expression; empty for most words.
    pub(crate) fn of(&self, expression: &[String]) -> &[Expression] {
        self.0.get(expression).map_or(&[], Vec::as_slice)
    }
}

fn expressions(list: &str) -> Vec<Expression> {
    list.split(',').map(terms).filter(|words| !words.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Synonyms};
    use crate::words::terms;

    fn of(synonyms: &Synonyms, asked: &str) -> Vec<String> {
        synonyms.of(&terms(asked)).iter().map(|it| it.join(" ")).collect()
    }

    #[test]
    fn lines_are_read_as_the_head_of_the_file_says() {
        let text = "# comment\n\na, b\nq > a\na, c, b\nlook up, find\n";
        let synonyms = Synonyms::parse(text);
        let cases: &[(&str, &[&str])] = &[
            ("a", &["b", "c"]),
            ("b", &["a", "c"]),
            ("q", &["a"]),
            ("find", &["look up"]),
            ("looking up", &["find"]),
            ("unknown", &[]),
        ];
        for (asked, expected) in cases {
            assert_eq!(of(&synonyms, asked), *expected, "{asked}");
        }
    }

    #[test]
    fn the_file_keeps_to_its_form() {
        let trade = Synonyms::of_the_trade();
        assert!(200 < trade.0.len());
        for expression in trade.0.keys().chain(trade.0.values().flatten()) {
            assert!(expression.len() <= LONGEST, "{expression:?}");
        }
        assert!(of(trade, "folder").contains(&"directori".to_owned()));
    }
}
