//! `hobnob grants`: shows the access of each service of the machine, and its grants. `main` runs
//! it, and `status` shows the same.
//!
//! What must stay true: it needs no running hub.

use crate::context::CommandContext;
use clap::Args;
use hobnob_hub::grants::GrantOverview;
use hobnob_policy::ServiceAccess;
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table, Tone};

#[derive(Debug, Args)]
pub(crate) struct GrantsArgs {}

pub(crate) fn run(_args: GrantsArgs, context: &CommandContext) -> anyhow::Result<()> {
    let overview = GrantOverview::read(&context.places.detect()?);
    match context.output {
        Output::Json => render::json(&overview),
        Output::People => {
            if let Some(problem) = &overview.problem {
                render::warn(problem);
            }
            render::text(&grants_table(&overview).to_text())
        }
    }
}

/// One row for each grant; a service without any has one row too.
pub(super) fn grants_table(overview: &GrantOverview) -> Table {
    let mut table = Table::new(&["SERVICE", "ACCESS", "GRANTED", "PROBLEM"]);
    for service in &overview.services {
        let tone = match service.access == ServiceAccess::Disabled.as_str() {
            true => Tone::Dim,
            false => Tone::Good,
        };
        let start = || [Cell::from(service.name), Cell::toned(tone, service.access)];
        if service.grants.is_empty() {
            table.row(start().into_iter().chain([Cell::from("-"), Cell::from("")]));
        }
        for grant in &service.grants {
            let words = grant.text.strip_prefix(service.name).unwrap_or(&grant.text).trim();
            let problem = Cell::toned(Tone::Warn, grant.problem.unwrap_or_default());
            table.row(start().into_iter().chain([Cell::from(words), problem]));
        }
    }
    for role in &overview.memory {
        let words = role.text.strip_prefix("memory").unwrap_or(&role.text).trim();
        table.row([Cell::from("memory"), Cell::from("-"), Cell::from(words), Cell::from("")]);
    }
    table
}
