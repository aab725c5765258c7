//! The rules as a person wrote them, and the order in which they are asked.
//!
//! The order depends on what the rules say, never on where they stand in a file: an exact name,
//! then more literal characters, then a pattern, then the stricter action.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::glob::{Glob, GlobError};

/// How many rules one set may have.
const MOST_RULES: usize = 4096;
/// The start of every upstream tool's full name.
pub(crate) const UPSTREAM: &str = "mcp__";
/// What stands between a server's and a tool's name.
pub(crate) const BETWEEN: &str = "__";

/// What happens to a call; the later is the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It goes on.
    Allow,
    /// A person is asked first.
    Ask,
    /// It is refused.
    Deny,
}

impl Action {
    /// The word in a configuration file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::Deny].into_iter().find(|action| action.as_str() == word)
    }
}

/// One rule as text, before it is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// Where it was written, such as `config.toml`. Peers may see it: no private path.
    pub origin: String,
    /// A glob over the tool's public name, or `mcp__SERVER` for every tool of a server.
    pub tool: String,
    /// A glob over the string values of the call's arguments.
    pub pattern: Option<String>,
    /// `allow`, `deny` or `ask`.
    pub action: String,
}

/// One rule that was understood.
#[derive(Debug, Clone)]
pub struct Rule {
    tool: Glob,
    pattern: Option<Glob>,
    action: Action,
    text: Arc<str>,
    place: Arc<str>,
}

impl Rule {
    /// The glob over names.
    #[must_use]
    pub fn tool(&self) -> &Glob {
        &self.tool
    }

    /// The glob over argument values.
    #[must_use]
    pub fn pattern(&self) -> Option<&Glob> {
        self.pattern.as_ref()
    }

    /// What it says.
    #[must_use]
    pub fn action(&self) -> Action {
        self.action
    }

    /// The rule in one line, such as `mcp__github__* deny`.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Where it stands, such as `config.toml, rule 3`.
    #[must_use]
    pub fn place(&self) -> &Arc<str> {
        &self.place
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` ({})", self.text, self.place)
    }
}

/// A rule that cannot be used; none of its set is, so that no deny is lost in silence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule {number} of {origin}, for tool `{tool}`: {problem}")]
pub struct RuleError {
    /// Where it was written.
    pub origin: String,
    /// Which one of that origin, counted from 1.
    pub number: usize,
    /// The tool it names.
    pub tool: String,
    /// What is wrong with it.
    pub problem: RuleProblem,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleProblem {
    /// The glob over names.
    #[error("`tool` cannot be read: {0}")]
    Tool(GlobError),
    /// The glob over values.
    #[error("`pattern` cannot be read: {0}")]
    Pattern(GlobError),
    /// Not one of the three words.
    #[error("`action` is `{0}`; it must be `allow`, `deny` or `ask`")]
    Action(String),
    /// More rules than a set may have.
    #[error("there are more than {MOST_RULES} rules; join some with `*`")]
    TooMany,
}

/// A set of rules, in the order in which they are asked.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    entries: Vec<Entry>,
}

/// One way in which a rule can name a tool.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) index: usize,
    pub(crate) reach: Reach,
    rank: Rank,
}

/// What a rule's glob is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The tool's own names.
    Tool,
    /// `mcp__SERVER`, which stands for all of the server's tools.
    Server,
}

/// How specific an entry is; fields in the order in which they count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    exact: bool,
    literals: usize,
    pattern: Option<(bool, usize)>,
    action: Action,
}

impl Rules {
    /// Understands all rules or names the first that is wrong.
    ///
    /// # Errors
    /// When a glob or an action cannot be read, or there are too many rules.
    pub fn parse(texts: Vec<RuleText>) -> Result<Self, RuleError> {
        // Compiling takes time, so a set that is too large is not begun.
        let too_many = MOST_RULES < texts.len();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut rules = Vec::with_capacity(texts.len().min(MOST_RULES));
        for text in texts {
            let number = numbers.entry(text.origin.clone()).or_default();
            *number += 1;
            let number = *number;
            let understood = match too_many {
                true => Err(RuleProblem::TooMany),
                false => understand(&text, number),
            };
            let RuleText { origin, tool, .. } = text;
            let named = |problem| RuleError { origin, number, tool, problem };
            rules.push(understood.map_err(named)?);
        }
        let mut entries: Vec<Entry> = rules.iter().enumerate().flat_map(entries_of).collect();
        // The text decides between equals, so that the rule that is named never depends on the order.
        entries.sort_by(|left, right| {
            let key =
                |entry: &Entry| (Reverse(entry.rank.clone()), rules[entry.index].text.clone());
            key(left).cmp(&key(right)).then(left.index.cmp(&right.index))
        });
        Ok(Self { rules, entries })
    }

    /// The rules in the order in which they were written.
    #[must_use]
    pub fn as_slice(&self) -> &[Rule] {
        &self.rules
    }

    /// The ways in which rules can name a tool, most specific first.
    pub(crate) fn ranked(&self) -> impl Iterator<Item = (&Entry, &Rule)> {
        self.entries.iter().filter_map(|entry| Some((entry, self.rules.get(entry.index)?)))
    }
}

fn understand(text: &RuleText, number: usize) -> Result<Rule, RuleProblem> {
    let tool = Glob::for_name(&text.tool).map_err(RuleProblem::Tool)?;
    let pattern = text.pattern.as_deref().map(Glob::for_value).transpose();
    let pattern = pattern.map_err(RuleProblem::Pattern)?;
    let action = Action::parse(&text.action);
    let action = action.ok_or_else(|| RuleProblem::Action(text.action.clone()))?;
    let line = match &text.pattern {
        Some(pattern) => format!("{} {pattern} {}", text.tool, text.action),
        None => format!("{} {}", text.tool, text.action),
    };
    let place = format!("{}, rule {number}", text.origin);
    Ok(Rule { tool, pattern, action, text: line.into(), place: place.into() })
}

fn entries_of((index, rule): (usize, &Rule)) -> impl Iterator<Item = Entry> {
    let pattern = rule.pattern.as_ref().map(|glob| (glob.is_exact(), glob.literals()));
    let entry = move |reach, exact, literals| {
        let rank = Rank { exact, literals, pattern, action: rule.action };
        Entry { index, reach, rank }
    };
    let literals = rule.tool.literals();
    // A plain `mcp__SERVER` says the same as `mcp__SERVER__*`, so it weighs the same.
    let implied = if rule.tool.is_exact() { BETWEEN.len() } else { 0 };
    let server = move || entry(Reach::Server, false, literals + implied);
    let tool = entry(Reach::Tool, rule.tool.is_exact(), literals);
    std::iter::once(tool).chain(names_servers(rule).then(server))
}

/// A plain `mcp__SERVER` names a server; a deny does so with wildcards too, since more is safer.
fn names_servers(rule: &Rule) -> bool {
    match rule.tool.is_exact() {
        true => rule.tool.prefix().starts_with(UPSTREAM),
        false => rule.action == Action::Deny,
    }
}
