//! Writes a permission rule that a person decided on, and says whether it decides.
//!
//! `hobnob allow`, `ask` and `deny` and the page use it. What must stay true: the audit log has the
//! rule before the file does.

use crate::authentication::token_principal;
use crate::change_log::ChangeLog;
use crate::names::Names;
use crate::rule_target::{BadRuleTarget, MissingName, RuleNames};
use hobnob_config::{Places, RuleChange, RulePlan, RuleText, Settings, TokensFile};
use hobnob_gateway::names::public_name;
use hobnob_gateway::nearest::did_you_mean;
use hobnob_gateway::permission_rules;
use hobnob_policy::{Glob, RuleAction, Subject, SubjectCaller, SubjectKind, decide};

/// Whose calls a rule is about; everybody's without either name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleFor {
    /// A user, `token:NAME`, or `ISSUER#SUBJECT`.
    pub principal: Option<String>,
    /// A group of the settings.
    pub group: Option<String>,
}

impl RuleFor {
    /// Refuses unknown callers: a rule for an undefined group would make all rules unusable, and a
    /// rule for a token that does not exist would do nothing.
    ///
    /// # Errors
    /// When a name is empty or unknown, or the tokens cannot be read.
    pub fn check(
        &self,
        places: &Places,
        settings: &Settings,
        missing: MissingName,
    ) -> Result<(), BadRuleTarget> {
        if let (Some(principal), MissingName::Refuse) = (&self.principal, missing) {
            check_token(places, principal)?;
        }
        match (&self.principal, &self.group) {
            (Some(name), _) if name.is_empty() => {
                let message = "a rule for a principal needs the name of a principal";
                Err(BadRuleTarget::Invalid(message.to_owned()))
            }
            (_, Some(group)) if !settings.groups.contains_key(group) => {
                Err(BadRuleTarget::Invalid(format!(
                    "there is no group `{group}`; write `{group} = [\"ann\"]` under `[groups]` of \
                     {}",
                    places.settings().display()
                )))
            }
            _ => Ok(()),
        }
    }

    /// The rule for these callers.
    pub fn rule(&self, names: RuleNames, action: RuleAction) -> RuleText {
        RuleText {
            principal: self.principal.clone(),
            group: self.group.clone(),
            server: names.server,
            tool: Some(names.tool),
            pattern: None,
            action: action.as_str().into(),
        }
    }
}

fn check_token(places: &Places, principal: &str) -> Result<(), BadRuleTarget> {
    let Some(name) = principal.strip_prefix(token_principal("").as_str()) else { return Ok(()) };
    let tokens = TokensFile::new(&places.tokens()).load();
    let tokens = tokens.map_err(|error| BadRuleTarget::Invalid(error.to_string()))?;
    if tokens.iter().any(|token| token.name == name) {
        return Ok(());
    }
    let there: Vec<String> = tokens.iter().map(|token| token_principal(&token.name)).collect();
    let near = did_you_mean(principal, there.iter().map(String::as_str));
    Err(BadRuleTarget::NoToken { name: name.to_owned(), near: near.to_string() })
}

/// Records the planned rule and writes it, unless the file has it already.
///
/// # Errors
/// When it cannot be recorded or written.
pub fn write_rule(log: &ChangeLog, rule: &RuleText, plan: RulePlan) -> anyhow::Result<RuleChange> {
    match plan.has_changes() {
        true => log.recorded("rules/write", &rule.to_string(), || plan.write()),
        false => Ok(RuleChange::Unchanged),
    }
}

/// Explains the rule that decides about the tool now, if its action differs: a rule that names the
/// tool in another way may be more specific or stricter.
pub fn overruled(
    names: &Names,
    places: &Places,
    typed: &str,
    rule: &RuleText,
    action: RuleAction,
) -> Option<String> {
    let found = names.server_meant(typed)?;
    let (server, original) = (found.server?, found.original);
    if typed.contains('/') && Glob::escape(&original) != original {
        return None;
    }
    let settings = Settings::load(&places.settings()).ok()?;
    let member = |group: &String| settings.groups.get(group)?.first();
    let caller = rule.principal.as_ref().or_else(|| member(rule.group.as_ref()?));
    let caller = caller.map_or(SubjectCaller::Nameless, |name| SubjectCaller::of(name));
    let servers = names.servers().iter().map(String::as_str);
    let rules = permission_rules(&settings, None).ok()?.among(servers);
    let public = public_name(&server, &original);
    let subject = Subject {
        tool: public.as_str(),
        usual: None,
        server: Some(&server),
        original: Some(&original),
        caller,
        kind: SubjectKind::Upstream,
        arguments: None,
    };
    let verdict = decide(&rules, &subject);
    (verdict.action() != action).then(|| verdict.explain())
}
