//! Which rule decides about a call, and what it says: pure, and the only source of verdicts.
//!
//! A tool's annotations are not an input, so they can never relax a rule.
//! A name that was shortened is also judged by its full name, so a deny cannot be escaped.

use crate::arguments;
use crate::permit::{Because, Verdict};
use crate::rule::{Action, BETWEEN, Reach, Rule, Rules, UPSTREAM};

/// What a call is about. The caller knows the parts; they are never split out of a name.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The public name, as clients call it.
    pub tool: &'a str,
    /// The upstream server's name.
    pub server: Option<&'a str>,
    /// The tool's name at that server.
    pub original: Option<&'a str>,
    /// Whose tool it is.
    pub kind: SubjectKind,
    /// The arguments: the raw text of a JSON object.
    pub arguments: Option<&'a str>,
}

/// Whose tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// A configured server's: it asks by default.
    Upstream,
    /// One of Hobnob's own about servers and subscriptions: it never asks.
    Management,
    /// One of Hobnob's services.
    BuiltIn,
}

/// The verdict of the most specific rule that applies, or the default.
pub fn decide(rules: &Rules, subject: &Subject<'_>) -> Verdict {
    let names = Names::of(subject);
    let applies = |rule: &Rule| match rule.pattern() {
        Some(pattern) => arguments::applies(pattern, rule.action(), subject.arguments),
        None => true,
    };
    let first = rules
        .ranked()
        .find(|(entry, rule)| names.meet(rule, entry.reach) && applies(rule))
        .map(|(entry, rule)| (entry.index, rule));
    let Some((index, rule)) = first else { return default(subject) };
    let action = match (subject.kind, rule.action()) {
        (SubjectKind::Management, Action::Ask) => Action::Allow,
        (_, action) => action,
    };
    let (text, place) = (rule.text().clone(), rule.place().clone());
    Verdict::new(subject.tool, action, Because::Rule { index, text, place, says: rule.action() })
}

/// Whether lists leave the tool out: a rule without a pattern denies it, whatever the arguments.
#[must_use]
pub fn hidden(rules: &Rules, subject: &Subject<'_>) -> bool {
    let names = Names::of(subject);
    // A pattern that denies leaves other calls possible; one that does not may let a call through.
    rules
        .ranked()
        .filter(|(_, rule)| rule.pattern().is_none() || rule.action() != Action::Deny)
        .find(|(entry, rule)| names.meet(rule, entry.reach))
        .is_some_and(|(_, rule)| rule.action() == Action::Deny)
}

fn default(subject: &Subject<'_>) -> Verdict {
    let (action, why) = match subject.kind {
        SubjectKind::Upstream => (Action::Ask, "no rule names this tool"),
        SubjectKind::Management => (Action::Allow, "management tools never ask"),
        SubjectKind::BuiltIn => (Action::Allow, "no rule names this built-in tool"),
    };
    Verdict::new(subject.tool, action, Because::Default(why))
}

/// Every name by which rules may know a tool.
struct Names<'a> {
    public: &'a str,
    upstream: Option<UpstreamNames<'a>>,
}

struct UpstreamNames<'a> {
    server: &'a str,
    /// `mcp__SERVER`.
    whole: String,
    /// `mcp__SERVER__ORIGINAL`, which no limit has shortened and no profile has renamed.
    full: String,
}

impl<'a> Names<'a> {
    fn of(subject: &Subject<'a>) -> Self {
        let upstream = subject.server.map(|server| {
            let whole = format!("{UPSTREAM}{server}");
            let full = format!("{whole}{BETWEEN}{}", subject.original.unwrap_or(subject.tool));
            UpstreamNames { server, whole, full }
        });
        Self { public: subject.tool, upstream }
    }

    fn meet(&self, rule: &Rule, reach: Reach) -> bool {
        let glob = rule.tool();
        let Some(upstream) = &self.upstream else {
            return reach == Reach::Tool && glob.matches(self.public);
        };
        match reach {
            Reach::Server => glob.matches(&upstream.whole),
            Reach::Tool if rule.action() != Action::Deny && upstream.cut_by(glob.prefix()) => false,
            Reach::Tool => glob.matches(self.public) || glob.matches(&upstream.full),
        }
    }
}

impl UpstreamNames<'_> {
    /// `mcp__a__*` means the server `a`; its `*` must not reach into a server called `a__b`.
    fn cut_by(&self, prefix: &str) -> bool {
        let begun = prefix.strip_prefix(UPSTREAM);
        begun.is_some_and(|begun| begun.contains(BETWEEN) && self.server.starts_with(begun))
    }
}
