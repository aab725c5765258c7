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

/// All lines of `synonyms.txt`, as they are written.
pub(crate) const TEXT: &str = include_str!("synonyms.txt");

static TRADE: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::parse(TEXT));

impl Synonyms {
    /// The synonyms of the trade.
    pub(crate) fn of_the_trade() -> &'static Self {
        &TRADE
    }

    fn parse(text: &str) -> Self {
        let mut synonyms = Self::default();
        for group in groups(text) {
            let (from, to) = (expressions(&group.asked), expressions(&group.meant));
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

/// A line of the file: who asks for one of the first may mean one of the others.
pub(crate) struct SynonymGroup<'a> {
    pub(crate) asked: Vec<&'a str>,
    pub(crate) meant: Vec<&'a str>,
}

/// The lines of the file, in their order.
pub(crate) fn groups(text: &str) -> impl Iterator<Item = SynonymGroup<'_>> {
    fn list(list: &str) -> Vec<&str> {
        list.split(',').map(str::trim).filter(|it| !it.is_empty()).collect()
    }
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let (asked, meant) = line.split_once('>').unwrap_or((line, line));
        SynonymGroup { asked: list(asked), meant: list(meant) }
    })
}

fn expressions(list: &[&str]) -> Vec<Expression> {
    list.iter().map(|it| terms(it)).filter(|words| !words.is_empty()).collect()
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
