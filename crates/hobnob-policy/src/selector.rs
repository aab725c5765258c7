//! How a rule names tools, and which tools it means.
//!
//! A rule either names server and tool separately, or has one glob over joined names such as
//! `mcp__SERVER__TOOL`. A joined name can often be split in more than one way: a rule that allows
//! must match in every split that some server makes possible, a rule that denies in at least one.

use crate::glob::{Glob, GlobError};

/// The prefix of every upstream tool's full name.
pub(crate) const PREFIX: &str = "mcp__";
/// The separator between a server's and a tool's name.
pub(crate) const SEPARATOR: &str = "__";
/// Maximum number of splits of one glob that are tried; a glob with more of them can only deny.
const MAX_SPLITS: usize = 8;

/// The tools a rule is about.
#[derive(Debug, Clone)]
pub(crate) enum ToolSelector {
    /// Globs over servers, and over the names that these servers give their tools.
    Apart(Split),
    /// One glob over joined names.
    JoinedGlob(JoinedGlob),
}

/// A glob over servers and one over their tools.
#[derive(Debug, Clone)]
pub(crate) struct Split {
    server: Glob,
    tool: Glob,
}

/// One glob over public names, or over `mcp__SERVER__TOOL`.
#[derive(Debug, Clone)]
pub(crate) struct JoinedGlob {
    glob: Glob,
    splits: Splits,
    /// `mcp__SERVER` without wildcards, which stands for all of the server's tools.
    whole: Option<Box<str>>,
}

/// How the glob can be split into server and tool.
#[derive(Debug, Clone)]
enum Splits {
    /// It is not about servers.
    None,
    /// It cannot be split: it can only be about all tools of these servers.
    Server(Glob),
    /// It can be split in these ways.
    At(Vec<Split>),
    /// It can be split at too many places.
    TooMany,
}

/// Which splits of a joined name are left among the known servers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meaning {
    /// The splits that some known server makes possible, as indices.
    splits: Vec<usize>,
    /// Whether a known server has the whole name.
    whole: bool,
}

/// The tool that a rule is matched against, under all of its names.
pub(crate) struct ToolNames<'a> {
    public: &'a str,
    upstream: Option<(&'a str, &'a str)>,
    /// `mcp__SERVER__TOOL`, which no limit has shortened and no profile has renamed.
    full: String,
}

/// The names that a rule is matched against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SelectorReach {
    /// The tool's own names.
    Tool,
    /// `mcp__SERVER`, which stands for all of the server's tools.
    Server,
}

/// Whether a rule is about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolMatch {
    No,
    /// The rule means the tool in one split of its name, but not in another.
    Perhaps,
    Yes,
}

impl ToolSelector {
    /// Parses a glob over servers and one over their tools; without the second, all tools.
    pub(crate) fn apart(server: &str, tool: Option<&str>) -> Result<Self, GlobError> {
        let (server, tool) = (Glob::for_name(server)?, Glob::for_name(tool.unwrap_or("*"))?);
        Ok(Self::Apart(Split { server, tool }))
    }

    /// Parses one glob over joined names.
    pub(crate) fn joined(text: &str) -> Result<Self, GlobError> {
        let glob = Glob::for_name(text)?;
        let rest = text.strip_prefix(PREFIX);
        let whole = rest.filter(|_| glob.is_exact()).map(|_| glob.prefix()[PREFIX.len()..].into());
        let splits = rest.map_or(Splits::None, splits_of);
        Ok(Self::JoinedGlob(JoinedGlob { glob, splits, whole }))
    }

    /// Whether it is one name without wildcards, and how many characters are literal.
    pub(crate) fn weight(&self) -> (bool, usize) {
        match self {
            Self::Apart(Split { server, tool }) => {
                let literals = PREFIX.len() + server.literals() + SEPARATOR.len() + tool.literals();
                (server.is_exact() && tool.is_exact(), literals)
            }
            Self::JoinedGlob(joined) => (joined.glob.is_exact(), joined.glob.literals()),
        }
    }

    /// Whether it may be a plain `mcp__SERVER`.
    pub(crate) fn may_name_server(&self) -> bool {
        matches!(self, Self::JoinedGlob(JoinedGlob { whole: Some(_), .. }))
    }

    /// Whether it is a glob over joined names, which a server's name alone may match too.
    pub(crate) fn is_joined_glob(&self) -> bool {
        matches!(self, Self::JoinedGlob(joined) if !joined.glob.is_exact())
    }

    /// The splits that these servers make possible.
    pub(crate) fn among(&self, servers: &[Box<str>]) -> Meaning {
        let Self::JoinedGlob(joined) = self else { return Meaning::default() };
        let known = |split: &Split| servers.iter().any(|server| split.server.matches(server));
        let splits = match &joined.splits {
            Splits::At(splits) => {
                let live = splits.iter().enumerate().filter(|(_, split)| known(split));
                live.map(|(at, _)| at).collect()
            }
            Splits::None | Splits::Server(_) | Splits::TooMany => Vec::new(),
        };
        let whole = joined.whole.as_ref().is_some_and(|whole| servers.contains(whole));
        Meaning { splits, whole }
    }

    /// Whether it may be about some tool of this server.
    pub(crate) fn may_reach(&self, server: &str) -> bool {
        match self {
            Self::Apart(split) => split.server.matches(server),
            Self::JoinedGlob(joined) => joined.may_reach(server),
        }
    }

    /// Whether it is about this tool, and in every split.
    pub(crate) fn meets(
        &self,
        meaning: &Meaning,
        names: &ToolNames<'_>,
        reach: SelectorReach,
    ) -> ToolMatch {
        match self {
            Self::Apart(split) if reach == SelectorReach::Tool && split.meets(names) => {
                ToolMatch::Yes
            }
            Self::Apart(_) => ToolMatch::No,
            Self::JoinedGlob(joined) => joined.meets(meaning, names, reach),
        }
    }
}

impl Split {
    fn meets(&self, names: &ToolNames<'_>) -> bool {
        let fits = |(server, tool)| self.server.matches(server) && self.tool.matches(tool);
        names.upstream.is_some_and(fits)
    }
}

impl JoinedGlob {
    fn meets(&self, meaning: &Meaning, names: &ToolNames<'_>, reach: SelectorReach) -> ToolMatch {
        let Some((server, _)) = names.upstream else {
            let own = reach == SelectorReach::Tool && self.glob.matches(names.public);
            return if own { ToolMatch::Yes } else { ToolMatch::No };
        };
        let (widely, strictly) = match reach {
            SelectorReach::Server => {
                let alone = &names.full[..PREFIX.len() + server.len()];
                let is_it = self.whole.as_deref() == Some(server);
                // The server exists, since this is its tool; does a split mean another tool?
                (self.glob.matches(alone), is_it && self.live(meaning, names).next().is_none())
            }
            SelectorReach::Tool => {
                let joined = self.glob.matches(names.public) || self.glob.matches(&names.full);
                (joined || self.live(meaning, names).any(|it| it.meets(names)), {
                    joined && self.names_exactly(meaning, names)
                })
            }
        };
        match (strictly, widely) {
            (true, _) => ToolMatch::Yes,
            (false, true) => ToolMatch::Perhaps,
            (false, false) => ToolMatch::No,
        }
    }

    /// Compares the literal text before the first wildcard; after it, any tool may be meant.
    fn may_reach(&self, server: &str) -> bool {
        let (head, prefix) = (format!("{PREFIX}{server}{SEPARATOR}"), self.glob.prefix());
        let begins_so = prefix.starts_with(&head);
        match self.glob.is_exact() {
            true => begins_so || self.whole.as_deref() == Some(server),
            false => begins_so || head.starts_with(prefix),
        }
    }

    /// Whether no other split of the name means another tool.
    fn names_exactly(&self, meaning: &Meaning, names: &ToolNames<'_>) -> bool {
        // A public name belongs to one tool.
        if self.glob.is_exact() && self.glob.matches(names.public) {
            return true;
        }
        match &self.splits {
            Splits::None => true,
            Splits::Server(servers) => names.upstream.is_some_and(|(it, _)| servers.matches(it)),
            Splits::TooMany => false,
            Splits::At(_) if meaning.whole => false,
            Splits::At(_) => {
                let mut readings = self.live(meaning, names).peekable();
                readings.peek().is_some() && readings.all(|split| split.meets(names))
            }
        }
    }

    /// The splits that a known server, or this tool's own server, makes possible.
    fn live<'a>(
        &'a self,
        meaning: &'a Meaning,
        names: &'a ToolNames<'_>,
    ) -> impl Iterator<Item = &'a Split> {
        let splits = match &self.splits {
            Splits::At(splits) => splits.as_slice(),
            Splits::None | Splits::Server(_) | Splits::TooMany => &[],
        };
        let mine = |split: &Split| names.upstream.is_some_and(|(it, _)| split.server.matches(it));
        let live = move |(at, split): &(usize, &Split)| meaning.splits.contains(at) || mine(split);
        splits.iter().enumerate().filter(live).map(|(_, split)| split)
    }
}

impl<'a> ToolNames<'a> {
    /// The names of a tool of an upstream, by server and own name, or of a tool of Hobnob's own.
    pub(crate) fn new(public: &'a str, upstream: Option<(&'a str, &'a str)>) -> Self {
        let full = upstream.map(|(server, tool)| format!("{PREFIX}{server}{SEPARATOR}{tool}"));
        Self { public, upstream, full: full.unwrap_or_default() }
    }
}

/// Every way to split the text after `mcp__` into two globs.
fn splits_of(rest: &str) -> Splits {
    let mut splits = Vec::new();
    for at in Glob::places_of(rest, SEPARATOR) {
        let (server, tool) = (&rest[..at], &rest[at + SEPARATOR.len()..]);
        let Ok(ToolSelector::Apart(split)) = ToolSelector::apart(server, Some(tool)) else {
            continue;
        };
        if splits.len() == MAX_SPLITS {
            return Splits::TooMany;
        }
        splits.push(split);
    }
    match (splits.is_empty(), Glob::for_name(rest)) {
        (false, _) => Splits::At(splits),
        (true, Ok(servers)) => Splits::Server(servers),
        (true, Err(_)) => Splits::None,
    }
}
