//! What would happen to a call, and what a change of the rules would do to the known tools.
//!
//! `page/rules` calls it where it may block. What must stay true: verdicts come from the policy
//! alone, with the rules as they are in their files.

use super::seen::{self, changed_meanwhile, rules_digest, settings};
use crate::known_tools::KnownTools;
use crate::rule_target::{MissingName, RuleTarget, rule_target};
use crate::rule_writer::RuleFor;
use hobnob_config::{Places, RuleText, Settings};
use hobnob_gateway::nearest::did_you_mean;
use hobnob_gateway::permission_rules;
use hobnob_policy::{MachineService, RuleAction, RuleSet, SubjectCaller, VerdictReason, decide};
use hobnob_ui::{
    ChangePreview, DecidingPlace, RuleAnswer, RuleEffect, RuleQuestion, RulesProblem,
    ThoughtChange, WantedRule,
};
use serde_json::{Map, Value};

/// How many affected tools a preview names.
const MAX_EFFECTS: usize = 20;

/// The longest name that is looked up.
const MAX_NAME_CHARS: usize = 512;

pub(super) fn decide_call(
    places: &Places,
    question: &RuleQuestion,
) -> Result<RuleAnswer, RulesProblem> {
    let typed = checked(&question.tool)?;
    let settings = settings(places)?;
    let profile = question.profile.as_deref().filter(|name| !name.is_empty());
    let loaded = profile.map(|name| seen::profile(places, name)).transpose()?;
    let known = KnownTools::load(places, &settings);
    let (tool, is_known) = known.meant(typed).ok_or_else(|| {
        let candidates = known.candidates();
        let near = did_you_mean(typed, candidates.iter().map(String::as_str));
        RulesProblem::Wrong(format!("there is no tool `{typed}`{near}"))
    })?;
    let arguments = question.arguments.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if arguments.is_some_and(|text| serde_json::from_str::<Map<String, Value>>(text).is_err()) {
        return Err(RulesProblem::Wrong("the arguments are not a JSON object".to_owned()));
    }
    let servers = known.names().servers().iter().map(String::as_str);
    let rules = usable(&settings, loaded.as_ref())?.among(servers);
    let caller = SubjectCaller::of(question.principal.as_deref().unwrap_or_default());
    let verdict = decide(&rules, &tool.called_by(caller, arguments));
    let of_profile = loaded.as_ref().map_or(0, |profile| profile.permissions.len());
    let rule = match verdict.because() {
        VerdictReason::Rule { index, .. } if *index < of_profile => {
            Some(DecidingPlace { number: index + 1, profile: profile.map(str::to_owned) })
        }
        VerdictReason::Rule { index, .. } => {
            Some(DecidingPlace { number: index + 1 - of_profile, profile: None })
        }
        VerdictReason::Default(_) => None,
    };
    let service = tool.rules_name();
    let service = service.split_once('_').and_then(|(name, _)| MachineService::parse(name));
    let is_own = !tool.rules_name().contains('/');
    Ok(RuleAnswer {
        rules_name: tool.rules_name(),
        tool: tool.public,
        known: is_known,
        action: verdict.action().as_str().to_owned(),
        explained: verdict.explain(),
        rule,
        service: service.filter(|_| is_own).map(|service| service.as_str().to_owned()),
    })
}

pub(super) fn preview(
    places: &Places,
    change: ThoughtChange,
) -> Result<ChangePreview, RulesProblem> {
    let before = settings(places)?;
    let known = KnownTools::load(places, &before);
    let mut after = before.clone();
    let (rule, notes, digest) = match change {
        ThoughtChange::Add(wanted) => {
            let PlannedRule { rule, notes, action: _ } = planned(places, &before, &known, &wanted)?;
            put(&mut after.permissions, &rule);
            (rule, notes, wanted.digest)
        }
        ThoughtChange::Remove { number, digest } => {
            let index = number.checked_sub(1).filter(|it| *it < after.permissions.len());
            let index = index.ok_or_else(|| changed_meanwhile("the rules"))?;
            (after.permissions.remove(index), Vec::new(), digest)
        }
    };
    if digest != rules_digest(&before) {
        return Err(changed_meanwhile("the rules"));
    }
    let mut effects = effects(&known, (&before, &after), &rule)?;
    let affected = effects.len();
    effects.truncate(MAX_EFFECTS);
    Ok(ChangePreview { text: rule.to_string(), notes, effects, affected })
}

/// A rule that can be written, and remarks about it.
pub(super) struct PlannedRule {
    pub(super) rule: RuleText,
    pub(super) action: RuleAction,
    pub(super) notes: Vec<String>,
}

/// The rule that `hobnob allow`, `ask` or `deny` would write, and remarks about it.
pub(super) fn planned(
    places: &Places,
    settings: &Settings,
    known: &KnownTools,
    wanted: &WantedRule,
) -> Result<PlannedRule, RulesProblem> {
    let wrong = |why: String| RulesProblem::Wrong(why);
    let action = [RuleAction::Allow, RuleAction::Ask, RuleAction::AskOwner, RuleAction::Deny]
        .into_iter()
        .find(|action| action.as_str() == wanted.action)
        .ok_or_else(|| wrong("choose what the rule does".to_owned()))?;
    let typed = checked(&wanted.tool)?;
    let callers = RuleFor { principal: wanted.principal.clone(), group: wanted.group.clone() };
    for name in [&callers.principal, &callers.group].into_iter().flatten() {
        checked(name)?;
    }
    if callers.principal.is_some() && callers.group.is_some() {
        return Err(wrong("name a principal or a group, not both".to_owned()));
    }
    let missing = if wanted.future { MissingName::Keep } else { MissingName::Refuse };
    callers.check(places, settings, missing).map_err(|error| wrong(error.to_string()))?;
    let target = rule_target(known, typed, action, missing);
    let RuleTarget { names, notes, .. } = target.map_err(|error| wrong(error.to_string()))?;
    Ok(PlannedRule { rule: callers.rule(names, action), action, notes })
}

fn checked(typed: &str) -> Result<&str, RulesProblem> {
    let typed = typed.trim();
    match typed.chars().count() {
        1..=MAX_NAME_CHARS if !typed.chars().any(char::is_control) => Ok(typed),
        0 => Err(RulesProblem::Wrong("type the name of a tool".to_owned())),
        _ => Err(RulesProblem::Wrong("the name is too long or has control characters".to_owned())),
    }
}

/// The rules as they would be: a rule about the same calls gets the new action.
fn put(rules: &mut Vec<RuleText>, rule: &RuleText) {
    let is_same =
        |it: &&mut RuleText| RuleText { action: rule.action.clone(), ..(**it).clone() } == *rule;
    let mut same = rules.iter_mut().filter(is_same).peekable();
    if same.peek().is_some() {
        same.for_each(|it| it.action.clone_from(&rule.action));
    } else {
        rules.push(rule.clone());
    }
}

/// The known tools whose calls would be decided otherwise, for a caller whom the rule is about.
fn effects(
    known: &KnownTools,
    (before, after): (&Settings, &Settings),
    rule: &RuleText,
) -> Result<Vec<RuleEffect>, RulesProblem> {
    let servers = known.names().servers();
    let among = |rules: RuleSet| rules.among(servers.iter().map(String::as_str));
    let (old, new) = (among(usable(before, None)?), among(usable(after, None)?));
    let member = |group: &String| after.groups.get(group)?.first();
    let caller = rule.principal.as_ref().or_else(|| member(rule.group.as_ref()?));
    let caller = caller.map_or(SubjectCaller::Nameless, |name| SubjectCaller::of(name));
    let effects = known.usual_tools().filter_map(|tool| {
        let subject = tool.called_by(caller, None);
        let (before, after) = (decide(&old, &subject).action(), decide(&new, &subject).action());
        let (before, after) = (before.as_str().to_owned(), after.as_str().to_owned());
        (before != after).then(|| RuleEffect { tool: tool.rules_name(), before, after })
    });
    Ok(effects.collect())
}

fn usable(
    settings: &Settings,
    profile: Option<&hobnob_config::Profile>,
) -> Result<RuleSet, RulesProblem> {
    permission_rules(settings, profile).map_err(|error| RulesProblem::Failed(error.to_string()))
}
