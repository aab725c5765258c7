//! `hobnob hubs`: the hubs of this user that run, for all projects. `main` runs it.

use crate::context::CommandContext;
use crate::runtime;
use clap::Args;
use hobnob_hub::control::WhichHubs;
use hobnob_hub::hub_description::{HubDescription, HubKind};
use hobnob_hub::running_hubs::running_hubs;
use hobnob_terminal::render::{self, Cell, Output, Table, Tone};

#[derive(Debug, Args)]
pub(crate) struct HubsArgs {}

pub(crate) fn run(_args: HubsArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let hubs = runtime::current_thread()?.block_on(running_hubs(&places, WhichHubs::All));
    match context.output {
        Output::Json => render::json(&hubs),
        Output::People if hubs.is_empty() => render::line("no hub runs"),
        Output::People => {
            render::text(&table(&hubs).to_text())?;
            for it in hubs.iter().filter_map(HubDescription::outdated) {
                render::warn(&it.to_string());
            }
            Ok(())
        }
    }
}

fn table(hubs: &[HubDescription]) -> Table {
    let mut table = Table::new(&["PID", "STARTED BY", "VERSION", "PROJECT", "RUNS FOR", "CLIENTS"]);
    for hub in hubs {
        let tone = if hub.outdated().is_some() { Tone::Warn } else { Tone::Plain };
        let replaced = if hub.replaced { ", replaced" } else { "" };
        table.row([
            Cell::from(hub.pid.to_string()),
            Cell::from(started_by(hub.kind)),
            Cell::toned(tone, &format!("{}{replaced}", hub.version)),
            Cell::from(hub.project.display().to_string()),
            Cell::from(render::span(hub.uptime_seconds)),
            Cell::from(hub.clients.to_string()),
        ]);
    }
    table
}

fn started_by(kind: HubKind) -> &'static str {
    match kind {
        HubKind::Pipe => "a client",
        HubKind::Listener => "serve --http",
        HubKind::Background => "a client or `hobnob ui`",
    }
}
