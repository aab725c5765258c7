//! `hobnob tools`: lists the tools of all servers, or those that match a query. `main` runs it.
//!
//! What must stay true: a query ranks tools exactly as the gateway's own search does.

use crate::context::{CommandContext, Output};
use crate::hub::{Hub, HubEntry, HubOptions, Needs, server_filter, with_hub};
use crate::render::{self, Cell, Table};
use crate::terminal::{Consent, Terminal};
use clap::Args;
use hobnob_gateway::catalog::{BuiltIn, BuiltIns, Catalogue, ViewFilter};
use hobnob_mcp_client::ListKind;
use hobnob_mcp_types::json::field;
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// List only tools that match these words, the best first.
    query: Vec<String>,

    /// List only the tools of this server.
    #[arg(long, value_name = "NAME", add = super::completions::servers())]
    server: Option<String>,

    /// Show the input schema of each tool.
    #[arg(long)]
    schema: bool,
}

pub(crate) fn run(args: ToolsArgs, context: &CommandContext) -> anyhow::Result<()> {
    let options = HubOptions {
        needs: args.server.as_ref().map_or(Needs::Catalogue, |_| Needs::Knowledge),
        consent: Consent::Ask,
        message: "listing tools",
    };
    with_hub(context, &options, async |hub: &Hub, terminal: &Terminal| {
        let mut tools = hub.list_of(args.server.as_deref(), ListKind::Tools, terminal).await?;
        server_filter(hub, args.server.as_deref(), &mut tools)?;
        if !args.query.is_empty() {
            tools = ranked(tools, &args.query.join(" "));
        }
        terminal.clear();
        match context.output {
            Output::Json => for_programs(&tools, &args),
            Output::People => for_people(&tools, &args),
        }
    })
}

/// Ranks the tools with the gateway's search.
fn ranked(tools: Vec<HubEntry>, query: &str) -> Vec<HubEntry> {
    let own = tools
        .iter()
        .map(|tool| BuiltIn { key: tool.key.as_str().into(), json: tool.json.to_string().into() });
    let all = BuiltIns { tools: own.collect(), ..BuiltIns::default() };
    let found = Catalogue::build(&all, &[], &ViewFilter::plain()).search(query);
    let find = |name: &str| tools.iter().find(|tool| tool.key == name).cloned();
    found.iter().filter_map(|hit| find(&hit.name)).collect()
}

fn for_programs(tools: &[HubEntry], args: &ToolsArgs) -> anyhow::Result<()> {
    let mut members = vec!["name", "title", "description", "annotations"];
    if args.schema {
        members.extend(["inputSchema", "outputSchema"]);
    }
    let tools: Vec<_> = tools.iter().map(|tool| tool.to_value(&members)).collect();
    render::json(&json!({ "tools": tools }))
}

fn for_people(tools: &[HubEntry], args: &ToolsArgs) -> anyhow::Result<()> {
    if tools.is_empty() {
        render::note("no tools; `hobnob status` shows the servers");
        return Ok(());
    }
    if args.schema {
        return tools.iter().try_for_each(with_schema);
    }
    let mut table = Table::new(&["TOOL", "SERVER", "DESCRIPTION"]);
    for tool in tools {
        let words = tool.text("description").or_else(|| tool.text("title")).unwrap_or_default();
        let first = words.trim().lines().next().unwrap_or_default().to_owned();
        table.row([Cell::from(tool.key.as_str()), Cell::from(tool.server()), Cell::from(first)]);
    }
    render::text(&table.to_text())
}

fn with_schema(tool: &HubEntry) -> anyhow::Result<()> {
    render::line(&format!("{}  ({})", tool.key, tool.server()))?;
    if let Some(words) = tool.text("description") {
        render::line(&words)?;
    }
    let schema = field(&tool.json, "inputSchema").unwrap_or("{}");
    let schema: serde_json::Value = serde_json::from_str(schema)?;
    render::line(&serde_json::to_string_pretty(&schema)?)?;
    render::line("")
}
