//! Every tool that a rule can match: those of servers whose lists are known, those of services that
//! are on or off, and the names that profiles give to tools.
//!
//! `rule_target`, `doctor` and the page match rules against them. They come from files; nothing is started,
//! so the tools of a server that never ran are unknown, which does not mean that it has none.

use crate::names::Names;
use crate::services::{built_in_tools, profile_services, service_names};
use hobnob_config::{
    Places, Profile, ProfileName, SHIPPED, Settings, ToolNameLength, list_profiles, load_profile,
};
use hobnob_gateway::names::{management_tools, public_name, short_name};
use hobnob_gateway::server_contents;
use hobnob_policy::{RuleSet, Subject, SubjectCaller, SubjectKind, rules_naming, rules_reaching};
use std::collections::{BTreeMap, BTreeSet};

/// The tools that are known now, and the servers whose tools are not.
pub struct KnownTools {
    names: Names,
    /// All tools by their usual names, then by the names that the settings and profiles give them.
    tools: Vec<KnownTool>,
    profiles: Vec<ProfileName>,
}

/// One name of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownTool {
    /// The name that clients see.
    pub public: String,
    /// The usual name of the tool, if `public` is a different one.
    usual: Option<String>,
    /// The server of the tool, and the name there; `None` for a tool of Hobnob itself.
    upstream: Option<(String, String)>,
}

/// What a rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatchedTools {
    /// At least one known tool, or everything of a server.
    Known,
    /// No known tool, but perhaps tools of these servers, whose lists are not known yet.
    Unlisted(Vec<String>),
    /// No tool at all.
    Nothing,
}

impl KnownTools {
    /// Reads the configuration, the cached lists and the profiles.
    pub fn load(places: &Places, settings: &Settings) -> Self {
        let names = Names::load(places);
        let mut tools: Vec<KnownTool> = usual_tools(&names).collect();
        let mut renamed = Vec::new();
        if settings.gateway.tool_names == ToolNameLength::Short {
            renamed.extend(tools.iter().filter_map(|tool| tool.renamed(short_name(&tool.public)?)));
        }
        let profiles = list_profiles(places, SHIPPED);
        for name in &profiles {
            // A profile that cannot be read is a finding of its own.
            let Ok(profile) = load_profile(places, name, SHIPPED, &profile_services()) else {
                continue;
            };
            let of_profile = |tool: &KnownTool| tool.renamed(profile.tool(&tool.public).name?);
            renamed.extend(tools.iter().filter_map(of_profile));
            renamed.extend(unlisted_rows(&profile, &names));
        }
        tools.extend(renamed);
        Self { names, tools, profiles }
    }

    /// The names of servers and of their tools.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The profiles that ship with Hobnob, and those of the user.
    pub fn profiles(&self) -> impl Iterator<Item = &str> {
        self.profiles.iter().map(ProfileName::as_str)
    }

    /// The usual public names, by which profiles know tools.
    pub fn usual_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter(|tool| tool.usual.is_none()).map(|tool| tool.public.as_str())
    }

    /// What each rule matches, in the order in which the rules were written.
    pub fn matches(&self, rules: &RuleSet) -> Vec<MatchedTools> {
        let servers = self.names.servers();
        let rules = rules.among(servers.iter().map(String::as_str));
        let mut known = BTreeSet::new();
        for tool in &self.tools {
            known.extend(rules_naming(&rules, &tool.subject()));
        }
        for server in servers {
            known.extend(rules_about_all_of(&rules, server));
        }
        let mut unlisted: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for server in self.names.unlisted_servers() {
            for index in rules_reaching(&rules, server) {
                unlisted.entry(index).or_default().push(server.to_owned());
            }
        }
        let of_rule = |index| match (known.contains(&index), unlisted.remove(&index)) {
            (true, _) => MatchedTools::Known,
            (false, Some(servers)) => MatchedTools::Unlisted(servers),
            (false, None) => MatchedTools::Nothing,
        };
        (0..rules.as_slice().len()).map(of_rule).collect()
    }

    /// Those of the given servers that no rule covers as a whole.
    pub fn not_covered<'a>(
        &self,
        rules: &RuleSet,
        servers: impl Iterator<Item = &'a str>,
    ) -> Vec<&'a str> {
        let rules = rules.among(self.names.servers().iter().map(String::as_str));
        servers.filter(|server| rules_about_all_of(&rules, server).is_empty()).collect()
    }

    /// The usual names of the tools that each rule names, in the order in which the rules were
    /// written.
    pub fn named_by(&self, rules: &RuleSet) -> Vec<Vec<&str>> {
        let rules = rules.among(self.names.servers().iter().map(String::as_str));
        let mut named = vec![Vec::new(); rules.as_slice().len()];
        for tool in self.usual_tools() {
            for index in rules_naming(&rules, &tool.subject()) {
                named.get_mut(index).into_iter().for_each(|it| it.push(tool.public.as_str()));
            }
        }
        named
    }

    /// The tools by their usual names.
    pub fn usual_tools(&self) -> impl Iterator<Item = &KnownTool> {
        self.tools.iter().filter(|tool| tool.usual.is_none())
    }

    /// The tool that a person means by one of its names or by `SERVER/TOOL`, and whether it is
    /// known: a configured server may have it although its list is not known.
    pub fn meant(&self, typed: &str) -> Option<(KnownTool, bool)> {
        if let Some(tool) = self.tools.iter().find(|tool| tool.public == typed) {
            return Some((tool.clone(), true));
        }
        let found = self.names.server_meant(typed)?;
        let upstream = Some((found.server?, found.original));
        if let Some(tool) = self.usual_tools().find(|tool| tool.upstream == upstream) {
            return Some((tool.clone(), true));
        }
        let (server, original) = upstream.as_ref()?;
        let public = public_name(server, original).to_string();
        Some((KnownTool { public, usual: None, upstream }, false))
    }

    /// Every name that a mistyped name may stand for.
    pub fn candidates(&self) -> Vec<String> {
        let tools = self.tools.iter().map(|tool| tool.public.clone());
        let services = service_names().into_iter().map(str::to_owned);
        let all = self.names.servers().iter().cloned().chain(self.names.tools_of_servers("/"));
        all.chain(tools).chain(services).collect()
    }
}

impl KnownTool {
    fn renamed(&self, public: String) -> Option<Self> {
        (public != self.public).then(|| Self {
            public,
            usual: Some(self.public.clone()),
            upstream: self.upstream.clone(),
        })
    }

    fn subject(&self) -> Subject<'_> {
        self.called_by(SubjectCaller::Anybody, None)
    }

    /// A call of the tool, as rules see it.
    pub fn called_by<'a>(
        &'a self,
        caller: SubjectCaller<'a>,
        arguments: Option<&'a str>,
    ) -> Subject<'a> {
        let upstream = self.upstream.as_ref();
        let own = self.usual.as_deref().unwrap_or(&self.public);
        let kind = match upstream {
            Some(_) => SubjectKind::Upstream,
            None if management_tools().any(|tool| tool == own) => SubjectKind::Management,
            None => SubjectKind::BuiltIn,
        };
        Subject {
            tool: &self.public,
            usual: self.usual.as_deref(),
            server: upstream.map(|(server, _)| server.as_str()),
            original: upstream.map(|(_, original)| original.as_str()),
            caller,
            kind,
            arguments,
        }
    }

    /// The tool as a person names it in a rule: `SERVER/TOOL`, or its usual name.
    pub fn rules_name(&self) -> String {
        match &self.upstream {
            Some((server, original)) => format!("{server}/{original}"),
            None => self.usual.as_deref().unwrap_or(&self.public).to_owned(),
        }
    }
}

fn usual_tools(names: &Names) -> impl Iterator<Item = KnownTool> {
    let upstream = names.upstream_tools().map(|(public, server, original)| KnownTool {
        public: public.to_owned(),
        usual: None,
        upstream: Some((server.to_owned(), original.to_owned())),
    });
    let own = management_tools().map(str::to_owned).chain(built_in_tools());
    upstream.chain(own.map(|public| KnownTool { public, usual: None, upstream: None }))
}

/// The names that a profile gives to tools of servers whose lists are not known.
fn unlisted_rows(profile: &Profile, names: &Names) -> Vec<KnownTool> {
    let unlisted: BTreeSet<&str> = names.unlisted_servers().collect();
    let rows = profile.tool_rows().filter_map(|(usual, row)| {
        let owner = names.owner(usual);
        let server = owner.server.filter(|server| unlisted.contains(server.as_str()))?;
        let upstream = Some((server, owner.original));
        Some(KnownTool { public: row.name.clone()?, usual: Some(usual.to_owned()), upstream })
    });
    rows.collect()
}

/// The rules that match all tools of a server; they match its resources and prompts too.
fn rules_about_all_of(rules: &RuleSet, server: &str) -> BTreeSet<usize> {
    let public = public_name(server, "*");
    rules_naming(rules, &server_contents(public.as_str(), server))
}
