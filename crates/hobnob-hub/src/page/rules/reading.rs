//! Reads everything that decides about calls from its files, and from the hub what it counts and
//! keeps itself.
//!
//! `page/rules` calls it where it may block. What must stay true: it changes nothing, and shows no
//! secret.

use super::seen::{profile, rules_digest};
use crate::authentication::{TokenReader, token_principal};
use crate::grants::{GrantLine, GrantOverview};
use crate::known_tools::{KnownTools, MatchedTools};
use hobnob_config::{
    Approvals, ConfiguredServer, Digest, Origin, Places, Profile, RuleText, SHIPPED, Servers,
    Settings, TokenEntry, TokensFile, list_profiles, process_environment, rule_lines,
};
use hobnob_gateway::{CountedRules, LastingConsent, OwnerControls, permission_rules};
use hobnob_ui::{
    ApprovalKind, RulesReport, ShownApproval, ShownConsent, ShownGrant, ShownGroup, ShownRule,
    ShownService, ShownToken,
};

/// How many tools are named as examples of what a rule matches.
const MAX_EXAMPLES: usize = 5;

pub(super) fn report(places: &Places, owner: &OwnerControls) -> RulesReport {
    let mut report =
        RulesReport { file: places.settings().display().to_string(), ..RulesReport::default() };
    match Settings::load(&places.settings()) {
        Ok(settings) => add_rules(&mut report, places, &settings),
        Err(problem) => report.problem = Some(problem.to_string()),
    }
    add_grants(&mut report, places);
    match TokensFile::new(&places.tokens()).load() {
        Ok(tokens) => report.tokens = shown_tokens(places, tokens),
        Err(problem) => report.tokens_problem = Some(problem.to_string()),
    }
    match Approvals::load(&places.approvals()) {
        Ok(approvals) => {
            let servers = Servers::load(places, &process_environment);
            let shown = servers.iter().flat_map(|it| approved(places, &approvals, it));
            report.approvals = shown.map(|(shown, _)| shown).collect();
        }
        Err(broken) => report.approvals_problem = Some(broken.to_string()),
    }
    add_uses(&mut report, owner.rule_uses());
    report.consents = owner.lasting_consents().into_iter().map(shown_consent).collect();
    report
}

fn add_uses(report: &mut RulesReport, counted: CountedRules) {
    report.counted_since = counted.since.to_string();
    for rule in &mut report.rules {
        if let Some(used) = counted.uses.get(rule.text.as_str()) {
            rule.uses = used.count;
            rule.last_used = Some(used.last.to_string());
        }
    }
}

fn shown_consent(consent: LastingConsent) -> ShownConsent {
    ShownConsent {
        tool: consent.tool,
        principal: consent.principal,
        profile: consent.profile,
        digest: consent.digest.to_string(),
    }
}

fn add_rules(report: &mut RulesReport, places: &Places, settings: &Settings) {
    report.digest = rules_digest(settings);
    let groups = settings.groups.iter();
    report.groups = groups
        .map(|(name, members)| ShownGroup { name: name.clone(), members: members.clone() })
        .collect();
    let known = KnownTools::load(places, settings);
    let text = std::fs::read_to_string(places.settings()).unwrap_or_default();
    let shown = shown_rules(&known, settings, None, &rule_lines(&text));
    match shown {
        Ok(rules) => report.rules = rules,
        Err(problem) => report.problem = Some(problem),
    }
    for name in list_profiles(places, SHIPPED) {
        let Ok(profile) = profile(places, name.as_str()) else { continue };
        if profile.permissions.is_empty() {
            continue;
        }
        let file = places.profiles().join(format!("{name}.toml"));
        let lines = rule_lines(&std::fs::read_to_string(file).unwrap_or_default());
        match shown_rules(&known, settings, Some((name.as_str(), &profile)), &lines) {
            Ok(rules) => report.rules.extend(rules),
            Err(problem) => report.problem = Some(problem),
        }
    }
}

/// The rules of the settings, or those that a profile adds, most specific first.
fn shown_rules(
    known: &KnownTools,
    settings: &Settings,
    profile: Option<(&str, &Profile)>,
    lines: &[Option<usize>],
) -> Result<Vec<ShownRule>, String> {
    let rules = permission_rules(settings, profile.map(|(_, profile)| profile));
    let rules = rules.map_err(|error| error.to_string())?;
    let written = profile.map_or(&settings.permissions, |(_, profile)| &profile.permissions);
    let (matches, named) = (known.matches(&rules), known.named_by(&rules));
    let shown = rules.precedence().into_iter().filter_map(|index| {
        // The rules of a profile come first in its set.
        let rule = written.get(index)?;
        let names = named.get(index).map(Vec::as_slice).unwrap_or_default();
        Some(ShownRule {
            number: index + 1,
            profile: profile.map(|(name, _)| name.to_owned()),
            line: lines.get(index).copied().flatten(),
            text: rule.to_string(),
            tools: tools(rule),
            pattern: rule.pattern.clone(),
            principal: rule.principal.clone(),
            group: rule.group.clone(),
            action: rule.action.clone(),
            examples: names.iter().take(MAX_EXAMPLES).map(|&name| name.to_owned()).collect(),
            matches: names.len(),
            unlisted: match matches.get(index) {
                Some(MatchedTools::Unlisted(servers)) => servers.clone(),
                _ => Vec::new(),
            },
            uses: 0,
            last_used: None,
        })
    });
    Ok(shown.collect())
}

fn tools(rule: &RuleText) -> String {
    let tool = rule.tool.as_deref().unwrap_or("*");
    match &rule.server {
        Some(server) => format!("{server}/{tool}"),
        None => tool.to_owned(),
    }
}

fn add_grants(report: &mut RulesReport, places: &Places) {
    let overview = GrantOverview::read(places);
    report.grants_problem = overview.problem;
    let line = |line: GrantLine| ShownGrant {
        text: line.text,
        problem: line.problem.map(str::to_owned),
        digest: line.digest.to_string(),
    };
    report.services = overview
        .services
        .into_iter()
        .map(|service| ShownService {
            name: service.name.to_owned(),
            access: Some(service.access.to_owned()),
            grants: service.grants.into_iter().map(line).collect(),
        })
        .collect();
    if !overview.memory.is_empty() {
        let grants = overview.memory.into_iter().map(line).collect();
        report.services.push(ShownService { name: "memory".to_owned(), access: None, grants });
    }
}

fn shown_tokens(places: &Places, tokens: Vec<TokenEntry>) -> Vec<ShownToken> {
    let uses = TokenReader::uses(&places.token_uses());
    let shown = |token: TokenEntry| ShownToken {
        digest: token_digest(&token),
        principal: token_principal(&token.name),
        last_used: uses.get(&token.id).cloned(),
        id: token.id,
        name: token.name,
        scopes: token.scopes,
        profile: token.profile,
        created: token.created,
        expires: token.expires,
    };
    tokens.into_iter().map(shown).collect()
}

/// The digest of everything that the entry says, the hash of the token included.
pub(super) fn token_digest(token: &TokenEntry) -> String {
    let text = serde_json::to_string(token).unwrap_or_default();
    Digest::of(text.as_bytes()).to_string()
}

/// What a person approved about a server, with its digests.
pub(super) fn approved<'a>(
    places: &'a Places,
    approvals: &'a Approvals,
    server: &'a ConfiguredServer,
) -> impl Iterator<Item = (ShownApproval, &'a ConfiguredServer)> {
    let key = server.key();
    let is_started = server.origin == Origin::Project
        && approvals.is_approved(&places.project, &server.name, &server.digest);
    let is_trusted = approvals.is_trusted(&key);
    let kinds = [(is_started, ApprovalKind::Server), (is_trusted, ApprovalKind::Changes)];
    let pinned = approvals.pins(&key).map_or(0, |pins| pins.len());
    kinds.into_iter().filter(|(counts, _)| *counts).map(move |(_, kind)| {
        let about = match kind {
            ApprovalKind::Server => server.digest.to_string(),
            ApprovalKind::Changes => key.to_string(),
        };
        let shown = ShownApproval {
            server: server.name.to_string(),
            file: server.file.display().to_string(),
            kind,
            pinned,
            digest: about,
        };
        (shown, server)
    })
}
