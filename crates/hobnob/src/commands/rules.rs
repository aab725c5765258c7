//! `hobnob rules`: lists the permission rules of the settings, with their numbers and callers.
//! `main` runs it.
//!
//! What must stay true: an unusable rule is an error here too, and never left out of the list.

use crate::context::CommandContext;
use clap::Args;
use hobnob_config::{RuleText, Settings};
use hobnob_gateway::permission_rules;
use hobnob_terminal::render::{self, Cell, Output, Table};
use serde::Serialize;

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {}

/// One rule, as `--json` prints it.
#[derive(Debug, Serialize)]
struct ListedRule<'a> {
    /// Its number, as refusals name it.
    rule: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    /// The members of the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<&'a [String]>,
    action: &'a str,
}

pub(crate) fn run(_args: RulesArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    permission_rules(&settings, None)?;
    let rules = settings.permissions.iter().enumerate();
    let rules: Vec<_> = rules.map(|(index, rule)| listed(index + 1, rule, &settings)).collect();
    match context.output {
        Output::Json => render::json(&rules),
        Output::People if rules.is_empty() => {
            render::line("there are no rules; `hobnob allow`, `ask` and `deny` write them")
        }
        Output::People => {
            let mut table = Table::new(&["RULE", "TOOLS", "PATTERN", "FOR", "ACTION"]);
            for rule in &rules {
                let tool = rule.tool.unwrap_or("*");
                let tools = match rule.server {
                    Some(server) => format!("{server}/{tool}"),
                    None => tool.to_owned(),
                };
                table.row([
                    Cell::from(&*rule.rule.to_string()),
                    Cell::from(&*tools),
                    Cell::from(rule.pattern.unwrap_or("-")),
                    Cell::from(&*callers(rule)),
                    Cell::from(rule.action),
                ]);
            }
            render::text(&table.to_text())
        }
    }
}

fn listed<'a>(number: usize, rule: &'a RuleText, settings: &'a Settings) -> ListedRule<'a> {
    let members = rule.group.as_ref().and_then(|group| settings.groups.get(group));
    ListedRule {
        rule: number,
        server: rule.server.as_deref(),
        tool: rule.tool.as_deref(),
        pattern: rule.pattern.as_deref(),
        principal: rule.principal.as_deref(),
        group: rule.group.as_deref(),
        members: members.map(Vec::as_slice),
        action: &rule.action,
    }
}

fn callers(rule: &ListedRule<'_>) -> String {
    match (rule.principal, rule.group) {
        (Some(principal), _) => principal.to_owned(),
        (None, Some(group)) => {
            format!("group {group} ({})", rule.members.unwrap_or_default().join(", "))
        }
        (None, None) => "everybody".to_owned(),
    }
}
