//! The rules as a person wrote them, and their precedence.
//!
//! Precedence depends on what the rules say, never on their order in a file: an exact name, then
//! more literal characters, then a pattern, then the callers it names, then the stricter action.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::glob::{Glob, GlobError};
use crate::path;
use crate::rule_callers::{CallerRank, RuleCallers, RuleGroup};
use crate::selector::{Meaning, SEPARATOR, SelectorReach, ToolSelector};

/// Maximum number of rules in one set.
const MAX_RULES: usize = 4096;

/// What a rule does with a call; a later action is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleAction {
    /// The call goes on without a question.
    Allow,
    /// The person who makes the call is asked first.
    Ask,
    /// The owner of the hub is asked first, for every caller.
    AskOwner,
    /// The call is refused, and lists leave the tool out.
    Deny,
}

impl RuleAction {
    /// The word in a configuration file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::AskOwner => "ask-owner",
            Self::Deny => "deny",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        let all = [Self::Allow, Self::Ask, Self::AskOwner, Self::Deny];
        all.into_iter().find(|action| action.as_str() == word)
    }
}

/// One rule as text, before it is parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSource {
    /// The file it was written in, such as `config.toml`. Peers may see it: no private path.
    pub origin: String,
    /// The only principal whose calls it is about.
    pub principal: Option<String>,
    /// The only group whose members' calls it is about; never beside a principal.
    pub group: Option<RuleGroup>,
    /// A glob over servers. With it, `tool` is about the names that these servers give their tools,
    /// and nothing else.
    pub server: Option<String>,
    /// Without a server: a glob over public names, or `mcp__SERVER` for every tool of a server.
    /// With a server it may be missing, which means every tool.
    pub tool: Option<String>,
    /// A glob over the string values of the call's arguments.
    pub pattern: Option<String>,
    /// `allow`, `ask`, `ask-owner` or `deny`.
    pub action: String,
}

/// One rule that was parsed.
#[derive(Debug, Clone)]
pub struct PermissionRule {
    callers: RuleCallers,
    selector: ToolSelector,
    pattern: Option<Glob>,
    action: RuleAction,
    text: Arc<str>,
    place: Arc<str>,
}

impl PermissionRule {
    pub(crate) fn callers(&self) -> &RuleCallers {
        &self.callers
    }

    pub(crate) fn selector(&self) -> &ToolSelector {
        &self.selector
    }

    /// The glob over argument values.
    #[must_use]
    pub fn pattern(&self) -> Option<&Glob> {
        self.pattern.as_ref()
    }

    /// What the rule does with the calls it applies to.
    #[must_use]
    pub fn action(&self) -> RuleAction {
        self.action
    }

    /// The rule in one line as it was written, such as `github/get_* deny` or `mcp__github__*
    /// deny`.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The rule's place, such as `config.toml, rule 3`.
    #[must_use]
    pub fn place(&self) -> &Arc<str> {
        &self.place
    }
}

impl fmt::Display for PermissionRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` ({})", self.text, self.place)
    }
}

/// A rule that cannot be used. Its whole set is rejected, so that no deny is lost silently.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule {number} of {origin}, for {names}: {problem}")]
pub struct RuleError {
    /// The file it was written in.
    pub origin: String,
    /// Its number in that file, from 1.
    pub number: usize,
    /// The tools it names, such as ``tool `x` ``.
    pub names: String,
    /// What is wrong with it.
    pub problem: RuleProblem,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleProblem {
    /// A glob over names is wrong.
    #[error("`{0}` cannot be read: {1}")]
    Name(&'static str, GlobError),
    /// Neither a server nor a tool is named.
    #[error("it names neither a server nor a tool; write `tool = \"*\"` for every tool")]
    Nameless,
    /// The glob over argument values is wrong.
    #[error("`pattern` cannot be read: {0}")]
    Pattern(GlobError),
    /// The empty name stands for the owner, and rules cannot name the owner.
    #[error("`principal` is empty; name a user, `token:NAME`, or `ISSUER#SUBJECT`")]
    NoPrincipal,
    /// Both a principal and a group are named.
    #[error("it names a principal and a group; write two rules")]
    PrincipalAndGroup,
    /// The group does not exist: a deny for a misspelt group would deny nothing.
    #[error("there is no group `{0}`; write `{0} = [\"ann\"]` under `[groups]` of config.toml")]
    NoGroup(String),
    /// The action is not one of the four words.
    #[error("`action` is `{0}`; it must be `allow`, `deny`, `ask` or `ask-owner`")]
    Action(String),
    /// More rules than a set may have.
    #[error("there are more than {MAX_RULES} rules; join some with `*`")]
    TooMany,
}

/// A set of rules, in the order of their precedence.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    written: Arc<RulesAndRanks>,
    /// What each rule's names mean among the known servers.
    meanings: Vec<Meaning>,
}

#[derive(Debug, Default)]
struct RulesAndRanks {
    rules: Vec<PermissionRule>,
    entries: Vec<RankedRule>,
}

/// One way in which a rule can name a tool.
#[derive(Debug, Clone)]
pub(crate) struct RankedRule {
    pub(crate) index: usize,
    pub(crate) reach: SelectorReach,
    rank: Rank,
}

/// How specific an entry is; the order of the fields is their precedence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    exact: bool,
    literals: usize,
    pattern: Option<(bool, usize)>,
    callers: CallerRank,
    action: RuleAction,
}

impl RuleSet {
    /// Parses all rules, or names the first that is wrong.
    ///
    /// # Errors
    /// When a glob or an action cannot be parsed, or there are too many rules.
    pub fn parse(texts: Vec<RuleSource>) -> Result<Self, RuleError> {
        // Compiling takes time, so nothing is compiled if the set is too large.
        let too_many = MAX_RULES < texts.len();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut rules = Vec::with_capacity(texts.len().min(MAX_RULES));
        for text in texts {
            let number = numbers.entry(text.origin.clone()).or_default();
            *number += 1;
            let number = *number;
            let understood = match too_many {
                true => Err(RuleProblem::TooMany),
                false => understand(&text, number),
            };
            let names = names_of(&text);
            let named = |problem| RuleError { origin: text.origin, number, names, problem };
            rules.push(understood.map_err(named)?);
        }
        let mut entries: Vec<RankedRule> = rules.iter().enumerate().flat_map(entries_of).collect();
        // Equals are ordered by text, so the rule that decides never depends on the file order.
        entries.sort_by(|left, right| {
            let key =
                |entry: &RankedRule| (Reverse(entry.rank.clone()), rules[entry.index].text.clone());
            key(left).cmp(&key(right)).then(left.index.cmp(&right.index))
        });
        let meanings = vec![Meaning::default(); rules.len()];
        Ok(Self { written: Arc::new(RulesAndRanks { rules, entries }), meanings })
    }

    /// The same rules among these servers. A joined name such as `mcp__a__b__*` is only split where
    /// one of these servers fits; where more than one reading is left, the rule allows nothing.
    #[must_use]
    pub fn among(&self, servers: impl IntoIterator<Item = impl Into<Box<str>>>) -> Self {
        let servers: Vec<Box<str>> = servers.into_iter().map(Into::into).collect();
        let meanings = self.as_slice().iter().map(|rule| rule.selector.among(&servers)).collect();
        Self { written: Arc::clone(&self.written), meanings }
    }

    /// The rules in the order in which they were written.
    #[must_use]
    pub fn as_slice(&self) -> &[PermissionRule] {
        &self.written.rules
    }

    /// The indices of the rules, most specific first: of two rules about the same call, the earlier
    /// one here decides.
    #[must_use]
    pub fn precedence(&self) -> Vec<usize> {
        let mut seen = vec![false; self.as_slice().len()];
        let is_first =
            |index: &usize| seen.get_mut(*index).is_some_and(|seen| !std::mem::replace(seen, true));
        self.written.entries.iter().map(|entry| entry.index).filter(is_first).collect()
    }

    /// Whether a rule names principals or groups, so that callers may see different lists.
    #[must_use]
    pub fn names_callers(&self) -> bool {
        self.as_slice().iter().any(|rule| rule.callers != RuleCallers::Everybody)
    }

    /// The ways in which rules can name a tool, most specific first.
    pub(crate) fn ranked(&self) -> impl Iterator<Item = (&RankedRule, &PermissionRule, &Meaning)> {
        let whole = |entry: &'_ RankedRule| {
            Some((self.written.rules.get(entry.index)?, self.meanings.get(entry.index)?))
        };
        self.written
            .entries
            .iter()
            .filter_map(move |entry| whole(entry).map(|(rule, meaning)| (entry, rule, meaning)))
    }
}

fn understand(text: &RuleSource, number: usize) -> Result<PermissionRule, RuleProblem> {
    let callers = callers_of(text)?;
    let selector = match (&text.server, &text.tool) {
        (Some(server), tool) => {
            // Parse each glob by itself first, so that an error names the right one.
            Glob::for_name(server).map_err(|error| RuleProblem::Name("server", error))?;
            ToolSelector::apart(server, tool.as_deref())
        }
        (None, Some(tool)) => ToolSelector::joined(tool),
        (None, None) => return Err(RuleProblem::Nameless),
    };
    let selector = selector.map_err(|error| RuleProblem::Name("tool", error))?;
    let pattern = text.pattern.as_deref().map(path::pattern).transpose();
    let pattern = pattern.map_err(RuleProblem::Pattern)?;
    let action = RuleAction::parse(&text.action);
    let action = action.ok_or_else(|| RuleProblem::Action(text.action.clone()))?;
    let names = match (&text.server, text.tool.as_deref()) {
        (Some(server), tool) => format!("{server}/{}", tool.unwrap_or("*")),
        (None, tool) => tool.unwrap_or_default().into(),
    };
    let for_whom = match (&text.principal, &text.group) {
        (Some(principal), _) => format!(" for {principal}"),
        (None, Some(group)) => format!(" for group {}", group.name),
        (None, None) => String::new(),
    };
    let line = match &text.pattern {
        Some(pattern) => format!("{names} {pattern} {}{for_whom}", text.action),
        None => format!("{names} {}{for_whom}", text.action),
    };
    let place = format!("{}, rule {number}", text.origin);
    let (text, place) = (line.into(), place.into());
    Ok(PermissionRule { callers, selector, pattern, action, text, place })
}

fn callers_of(text: &RuleSource) -> Result<RuleCallers, RuleProblem> {
    match (&text.principal, &text.group) {
        (Some(_), Some(_)) => Err(RuleProblem::PrincipalAndGroup),
        (Some(name), None) if name.is_empty() => Err(RuleProblem::NoPrincipal),
        (Some(name), None) => Ok(RuleCallers::Principal(name.as_str().into())),
        (None, Some(group)) => match &group.members {
            Some(members) => Ok(RuleCallers::Members(Arc::clone(members))),
            None => Err(RuleProblem::NoGroup(group.name.clone())),
        },
        (None, None) => Ok(RuleCallers::Everybody),
    }
}

fn names_of(text: &RuleSource) -> String {
    match (&text.server, &text.tool) {
        (Some(server), Some(tool)) => format!("server `{server}`, tool `{tool}`"),
        (Some(server), None) => format!("server `{server}`"),
        (None, tool) => format!("tool `{}`", tool.as_deref().unwrap_or_default()),
    }
}

fn entries_of((index, rule): (usize, &PermissionRule)) -> impl Iterator<Item = RankedRule> {
    let pattern = rule.pattern.as_ref().map(|glob| (glob.is_exact(), glob.literals()));
    let entry = move |reach, exact, literals| {
        let (callers, action) = (rule.callers.rank(), rule.action);
        let rank = Rank { exact, literals, pattern, callers, action };
        RankedRule { index, reach, rank }
    };
    let (exact, literals) = rule.selector.weight();
    // A plain `mcp__SERVER` means the same as `mcp__SERVER__*`, so both have the same weight.
    let implied = if exact { SEPARATOR.len() } else { 0 };
    let server = move || entry(SelectorReach::Server, false, literals + implied);
    let tool = entry(SelectorReach::Tool, exact, literals);
    std::iter::once(tool).chain(names_servers(rule).then(server))
}

/// Whether it may name a server: a plain `mcp__SERVER`, or a deny with wildcards, to be safe.
fn names_servers(rule: &PermissionRule) -> bool {
    rule.selector.may_name_server()
        || rule.action == RuleAction::Deny && rule.selector.is_joined_glob()
}
