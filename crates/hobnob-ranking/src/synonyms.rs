//! The synonym table, parsed once from `synonyms.txt`; queries are expanded with it.
//!
//! What must stay true: the file has general terms of the trade, never words of one tool or of one
//! query, and an expression has at most eight words.

use crate::common_words::is_filler;
use crate::words::{parts, stem, terms};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The stems of an expression's words.
pub(crate) type Expression = Vec<String>;

/// Maximum number of words of an expression.
pub(crate) const MAX_EXPRESSION_WORDS: usize = 8;

/// Maps expressions to their synonyms.
#[derive(Debug, Default)]
pub(crate) struct Synonyms {
    known: HashMap<Expression, Vec<Expression>>,
    /// Expressions with several content words, by the first of these.
    scattered: HashMap<String, Vec<ScatteredExpression>>,
}

/// An expression whose content words may be apart and in another order: "state of the ticket" is
/// also in "what state is my ticket in".
#[derive(Debug)]
pub(crate) struct ScatteredExpression {
    /// The stems of the content words, in alphabetical order.
    pub(crate) content: Vec<String>,
    whole: Expression,
}

/// The text of `synonyms.txt`.
pub(crate) const TEXT: &str = include_str!("synonyms.txt");

static BUILT_IN: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::parse(TEXT));

impl Synonyms {
    /// The synonyms compiled into the program.
    pub(crate) fn built_in() -> &'static Self {
        &BUILT_IN
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

    /// The synonyms of an expression; empty for most words.
    pub(crate) fn of(&self, expression: &[String]) -> &[Expression] {
        self.known.get(expression).map_or(&[], Vec::as_slice)
    }

    /// The expressions whose first content word in alphabetical order has this stem, with their
    /// synonyms.
    pub(crate) fn scattered(
        &self,
        first: &str,
    ) -> impl Iterator<Item = (&ScatteredExpression, &[Expression])> {
        let known = self.scattered.get(first).into_iter().flatten();
        known.map(|expression| (expression, self.of(&expression.whole)))
    }
}

/// A line of the file: a query with one of `asked` may mean one of `meant`.
pub(crate) struct SynonymGroup<'a> {
    pub(crate) asked: Vec<&'a str>,
    pub(crate) meant: Vec<&'a str>,
}

/// The groups of the file, in order.
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
    use super::{MAX_EXPRESSION_WORDS, Synonyms};
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
        let synonyms = Synonyms::built_in();
        assert!(200 < synonyms.known.len());
        for expression in synonyms.known.keys().chain(synonyms.known.values().flatten()) {
            assert!(expression.len() <= MAX_EXPRESSION_WORDS, "{expression:?}");
        }
        assert!(of(synonyms, "folder").contains(&"directori".to_owned()));
    }
}
