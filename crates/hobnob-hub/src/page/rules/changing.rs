//! Makes the owner's changes: a rule more or less; a grant, a token, an approval, an answer or a
//! login taken back.
//!
//! `page/rules` calls it where it may block. What must stay true: nothing is changed that differs
//! from what the person saw, and the audit log has a change before its file does.

use super::deciding::{PlannedRule, planned};
use super::logins::HubLogins;
use super::reading::{approved, token_digest};
use super::seen::{changed_meanwhile, failed, rules_digest, settings};
use crate::authentication::{TokenEvent, change_tokens};
use crate::change_log::ChangeLog;
use crate::grants::{GrantEvent, GrantOverview, change_grants, take_grant};
use crate::known_tools::KnownTools;
use crate::rule_writer::{overruled, write_rule};
use hobnob_config::{
    Approvals, Digest, Places, RuleChange, RulePlan, ServerName, Servers, SettingEditError,
    SettingPlan, process_environment,
};
use hobnob_gateway::{LastingConsent, OwnerControls};
use hobnob_ui::{
    ApprovalKind, RulesChange, RulesChanged, RulesProblem, ShownApproval, TakenBack, WantedRule,
};

/// What the owner's changes reach.
pub(super) struct ChangedHub<'a> {
    pub(super) places: &'a Places,
    pub(super) log: &'a ChangeLog,
    pub(super) owner: &'a OwnerControls,
    pub(super) logins: &'a HubLogins,
}

pub(super) fn change(
    hub: &ChangedHub<'_>,
    change: RulesChange,
) -> Result<RulesChanged, RulesProblem> {
    let ChangedHub { places, log, owner, logins } = hub;
    match change {
        RulesChange::Add(wanted) => add(places, log, &wanted),
        RulesChange::TakeBack(TakenBack::Rule { number, digest }) => {
            remove_rule(places, log, number, &digest)
        }
        RulesChange::TakeBack(TakenBack::Grant { digest }) => take_back_grant(places, log, &digest),
        RulesChange::TakeBack(TakenBack::Token { id, digest }) => {
            revoke_token(places, log, &id, &digest)
        }
        RulesChange::TakeBack(TakenBack::Approval { server, kind, digest }) => {
            withdraw(places, log, &ShownName { server, kind, digest })
        }
        RulesChange::TakeBack(TakenBack::Consent { digest }) => {
            withdraw_answer(owner, log, &digest)
        }
        RulesChange::TakeBack(TakenBack::Login { id }) => logins.end_one(log, &id),
        RulesChange::TakeBack(TakenBack::Logins { user }) => logins.end_all(log, &user),
    }
}

fn add(
    places: &Places,
    log: &ChangeLog,
    wanted: &WantedRule,
) -> Result<RulesChanged, RulesProblem> {
    let settings = settings(places)?;
    if wanted.digest != rules_digest(&settings) {
        return Err(changed_meanwhile("the rules"));
    }
    let known = KnownTools::load(places, &settings);
    let planned_rule = planned(places, &settings, &known, wanted)?;
    let PlannedRule { rule, action, mut notes } = planned_rule;
    let plan = RulePlan::over(&places.settings(), &rule, &settings.permissions);
    let written = write_rule(log, &rule, plan.map_err(not_edited)?);
    match written.map_err(failed)? {
        RuleChange::Added => {}
        RuleChange::Unchanged => notes.push("the file had this rule already".to_owned()),
        RuleChange::Replaced(before) => notes.push(format!("before, its action was `{before}`")),
    }
    if let Some(why) = overruled(known.names(), places, wanted.tool.trim(), &rule, action) {
        notes.push(format!("another rule decides about it: {why}"));
    }
    Ok(RulesChanged { text: rule.to_string(), notes })
}

fn remove_rule(
    places: &Places,
    log: &ChangeLog,
    number: usize,
    digest: &str,
) -> Result<RulesChanged, RulesProblem> {
    let settings = settings(places)?;
    let changed = || changed_meanwhile("the rules");
    if digest != rules_digest(&settings) {
        return Err(changed());
    }
    let index = number.checked_sub(1).ok_or_else(changed)?;
    let text = settings.permissions.get(index).ok_or_else(changed)?.to_string();
    let plan = SettingPlan::without_rule(&places.settings(), index, &settings.permissions);
    let plan = plan.map_err(not_edited)?;
    log.recorded("rules/remove", &text, || plan.write()).map_err(failed)?;
    Ok(RulesChanged { text, notes: Vec::new() })
}

fn take_back_grant(
    places: &Places,
    log: &ChangeLog,
    digest: &str,
) -> Result<RulesChanged, RulesProblem> {
    let changed = || changed_meanwhile("the grant");
    let digest: Digest = digest.parse().map_err(|_| changed())?;
    let overview = GrantOverview::read(places);
    let lines = overview.services.into_iter().flat_map(|service| service.grants);
    let mut lines = lines.chain(overview.memory).filter(|line| line.digest == digest);
    let text = lines.next().ok_or_else(changed)?.text;
    let texts = vec![text.clone()];
    let taken = change_grants(
        places,
        log,
        GrantEvent::Revoke,
        |_| texts,
        |entries| {
            take_grant(entries, digest);
        },
    );
    let taken = taken.map_err(failed)?;
    if taken.before == taken.after {
        return Err(changed());
    }
    Ok(RulesChanged { text, notes: Vec::new() })
}

fn revoke_token(
    places: &Places,
    log: &ChangeLog,
    id: &str,
    digest: &str,
) -> Result<RulesChanged, RulesProblem> {
    let gone = change_tokens(places, log, TokenEvent::Revoke, |tokens| {
        let seen = tokens.iter().position(|it| it.id == id && token_digest(it) == digest);
        Ok(tokens.remove(seen.ok_or(ChangedToken)?))
    });
    let gone = gone.map_err(|error| match error.is::<ChangedToken>() {
        true => changed_meanwhile("the token"),
        false => failed(error),
    })?;
    Ok(RulesChanged { text: format!("token {}", gone.name), notes: Vec::new() })
}

/// The token is not the one that was shown.
#[derive(Debug, thiserror::Error)]
#[error("the token changed meanwhile")]
struct ChangedToken;

/// An approval as the page names it.
struct ShownName {
    server: String,
    kind: ApprovalKind,
    digest: String,
}

fn withdraw(
    places: &Places,
    log: &ChangeLog,
    name: &ShownName,
) -> Result<RulesChanged, RulesProblem> {
    let changed = || changed_meanwhile("the approval");
    let mut approvals =
        Approvals::load(&places.approvals()).map_err(|broken| failed(broken.into()))?;
    let servers = Servers::load(places, &process_environment);
    let is_it = |shown: &ShownApproval| {
        shown.server == name.server && shown.kind == name.kind && shown.digest == name.digest
    };
    let found = servers.iter().find_map(|server| {
        let mut shown = approved(places, &approvals, server);
        shown.find(|(shown, _)| is_it(shown)).map(|(_, server)| (server.name.clone(), server.key()))
    });
    let (server, key): (ServerName, _) = found.ok_or_else(changed)?;
    let method = match name.kind {
        ApprovalKind::Server => {
            approvals.revoke(&places.project, &server);
            "approvals/revoke"
        }
        ApprovalKind::Changes => {
            approvals.distrust(key);
            "approvals/distrust"
        }
    };
    log.recorded(method, server.as_str(), || approvals.save()).map_err(failed)?;
    Ok(RulesChanged { text: format!("approval of {server}"), notes: Vec::new() })
}

fn withdraw_answer(
    owner: &OwnerControls,
    log: &ChangeLog,
    digest: &str,
) -> Result<RulesChanged, RulesProblem> {
    let changed = || changed_meanwhile("the answer");
    let digest: Digest = digest.parse().map_err(|_| changed())?;
    let held = owner.lasting_consents().into_iter().find(|held| held.digest == digest);
    let text = consent_text(&held.ok_or_else(changed)?);
    let withdrawn = log.recorded("rules/withdraw-answer", &text, || {
        owner.withdraw_consent(digest).ok_or(AnswerGone)
    });
    match withdrawn {
        Ok(_) => Ok(RulesChanged { text, notes: Vec::new() }),
        Err(error) if error.is::<AnswerGone>() => Err(changed()),
        Err(error) => Err(failed(error)),
    }
}

/// The answer does not hold any more.
#[derive(Debug, thiserror::Error)]
#[error("the answer does not hold any more")]
struct AnswerGone;

/// A lasting answer in one line.
fn consent_text(consent: &LastingConsent) -> String {
    let whose = match consent.principal.as_str() {
        "" => "your calls".to_owned(),
        principal => format!("calls of {principal}"),
    };
    match &consent.profile {
        Some(profile) => format!("{} for {whose} through the profile {profile}", consent.tool),
        None => format!("{} for {whose}", consent.tool),
    }
}

fn not_edited(error: SettingEditError) -> RulesProblem {
    match error {
        SettingEditError::OtherRules => changed_meanwhile("the rules"),
        error => failed(error.into()),
    }
}
