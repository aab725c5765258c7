//! `hobnob resources`: lists the resources and templates of all servers, or of one. `main` runs it.
//!
//! What must stay true: a server that cannot be reached is a note, not the end of the list.

use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_hub};
use clap::Args;
use hobnob_mcp_client::ListKind;
use hobnob_terminal::hub::{Hub, Needs, server_filter};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table};
use hobnob_terminal::terminal::{Consent, Terminal};
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct ResourcesArgs {
    /// List only the resources of this server.
    #[arg(long, value_name = "NAME", add = super::completions::servers())]
    server: Option<String>,
}

pub(crate) fn run(args: ResourcesArgs, context: &CommandContext) -> anyhow::Result<()> {
    let options = HubOptions {
        needs: args.server.as_ref().map_or(Needs::Catalogue, |_| Needs::Knowledge),
        consent: Consent::Ask,
        message: "listing resources",
    };
    with_hub(context, &options, async |hub: &Hub, terminal: &Terminal| {
        let mut resources =
            hub.lists(&terminal.spinner).of(args.server.as_deref(), ListKind::Resources).await?;
        let mut templates = hub.list(ListKind::Templates).await?;
        server_filter(hub, args.server.as_deref(), &mut resources)?;
        server_filter(hub, args.server.as_deref(), &mut templates)?;
        terminal.spinner.clear();
        if context.output == Output::Json {
            let said = ["uri", "uriTemplate", "name", "title", "description", "mimeType", "size"];
            let resources: Vec<_> = resources.iter().map(|it| it.to_value(&said)).collect();
            let templates: Vec<_> = templates.iter().map(|it| it.to_value(&said)).collect();
            return render::json(&json!({ "resources": resources, "templates": templates }));
        }
        let mut table =
            Table::new(&["URI", "SERVER", "TYPE", "NAME"]).optional(&["TYPE", "SERVER"]);
        for entry in resources.iter().chain(&templates) {
            let name = entry.text("title").or_else(|| entry.text("name")).unwrap_or_default();
            let kind = entry.text("mimeType").unwrap_or_default();
            table.row([
                Cell::from(entry.key.as_str()),
                Cell::from(entry.server()),
                Cell::from(kind),
                Cell::from(name),
            ]);
        }
        if table.is_empty() {
            render::note("no resources; `hobnob status` shows the servers");
            return Ok(());
        }
        render::text(&table.to_text())
    })
}
