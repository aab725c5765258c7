//! Expressions that mean the same, read once from `synonyms.txt`. A query is widened with it.
//!
//! What must stay true: the file holds words of the trade in general, never words of one tool or of
//! one query, and an expression has at most eight words.

use crate::common_words::is_filler;
use crate::words::{parts, stem, terms};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The words of an expression, as stems.
pub(crate) type Expression = Vec<String>;

/// The most words that an expression may have.
pub(crate) const LONGEST: usize = 8;

/// Expressions to their synonyms.
#[derive(Debug, Default)]
pub(crate) struct Synonyms {
    known: HashMap<Expression, Vec<Expression>>,
    /// Expressions with several content words, by the first of these.
    scattered: HashMap<String, Vec<ScatteredExpression>>,
}

/// An expression whose content words may stand apart and in another order: "state of the ticket" is
/// also in "what state is my ticket in".
#[derive(Debug)]
pub(crate) struct ScatteredExpression {
    /// The stems of the words that say something, in alphabetical order.
    pub(crate) content: Vec<String>,
    whole: Expression,
}

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
        let mut scattered = HashSet::new();
        for group in groups(text) {
            let (from, to) = (expressions(&group.asked), expressions(&group.meant));
            for asked in &from {
                for other in to.iter().filter(|other| *other != asked) {
                    synonyms.add(asked, other);
                }
            }
            for asked in group.asked.into_iter().filter(|asked| scattered.insert(*asked)) {
                synonyms.add_scattered(asked);
            }
        }
        synonyms
    }

    fn add(&mut self, asked: &Expression, other: &Expression) {
        let known = self.known.entry(asked.clone()).or_default();
        if !known.contains(other) {
            known.push(other.clone());
        }
    }

    fn add_scattered(&mut self, asked: &str) {
        let parts = parts(asked);
        let content = parts.iter().filter(|part| !is_filler(part));
        let mut content: Vec<String> = content.map(|part| stem(part)).collect();
        content.sort_unstable();
        content.dedup();
        if let [first, _, ..] = content.as_slice() {
            let same = self.scattered.entry(first.clone()).or_default();
            same.push(ScatteredExpression { whole: terms(asked), content });
        }
    }

    /// What else may be meant by an expression; empty for most words.
    pub(crate) fn of(&self, expression: &[String]) -> &[Expression] {
        self.known.get(expression).map_or(&[], Vec::as_slice)
    }

    /// The expressions whose content words, in alphabetical order, begin with this stem; each with
    /// what may be meant by it.
    pub(crate) fn scattered(
        &self,
        first: &str,
    ) -> impl Iterator<Item = (&ScatteredExpression, &[Expression])> {
        let known = self.scattered.get(first).into_iter().flatten();
        known.map(|expression| (expression, self.of(&expression.whole)))
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
        assert!(200 < trade.known.len());
        for expression in trade.known.keys().chain(trade.known.values().flatten()) {
            assert!(expression.len() <= LONGEST, "{expression:?}");
        }
        assert!(of(trade, "folder").contains(&"directori".to_owned()));
    }
}
