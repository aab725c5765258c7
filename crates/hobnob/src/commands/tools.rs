//! `hobnob tools`: lists the tools of all servers, or those that match a query. `main` runs it.
//!
//! What must stay true: a query ranks tools as `hobnob-ranking` does for all other callers.

use super::tool_cost::{self, ListCosts};
use super::tool_ranking::ToolSearch;
use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_hub};
use clap::Args;
use hobnob_config::Settings;
use hobnob_hub::services::tool_model;
use hobnob_mcp_client::ListKind;
use hobnob_mcp_types::json::field;
use hobnob_ranking::RankedTool;
use hobnob_terminal::hub::{Hub, HubEntry, Needs, server_filter};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table};
use hobnob_terminal::terminal::{Consent, Terminal};
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// List only tools that fit these words, the best first: plain words, or a tool's name.
    query: Vec<String>,

    /// List no more than this many tools that fit.
    #[arg(long, value_name = "COUNT", default_value = "20", requires = "query")]
    limit: usize,

    /// List only the tools of this server.
    #[arg(long, value_name = "NAME", add = super::completions::servers())]
    server: Option<String>,

    /// Show the input schema of each tool.
    #[arg(long)]
    schema: bool,

    /// Show about how many tokens the tools take of a model's context, the most expensive first.
    #[arg(long, conflicts_with_all = ["query", "schema"])]
    cost: bool,
}

pub(crate) fn run(args: ToolsArgs, context: &CommandContext) -> anyhow::Result<()> {
    let options = HubOptions {
        needs: args.server.as_ref().map_or(Needs::Catalogue, |_| Needs::Knowledge),
        consent: Consent::Ask,
        message: "listing tools",
    };
    with_hub(context, &options, async |hub: &Hub, terminal: &Terminal| {
        let mut tools =
            hub.lists(&terminal.spinner).of(args.server.as_deref(), ListKind::Tools).await?;
        if args.cost {
            let settings = Settings::load(&context.places.detect()?.settings())?;
            let lists = ListCosts::of(&tools, hub, &settings).await?;
            server_filter(hub, args.server.as_deref(), &mut tools)?;
            terminal.spinner.clear();
            return tool_cost::show(&tools, &lists, &settings, context.output);
        }
        server_filter(hub, args.server.as_deref(), &mut tools)?;
        let tools: Vec<ListedTool> = if args.query.is_empty() {
            tools.into_iter().map(|entry| ListedTool { entry, score: None }).collect()
        } else {
            let query = args.query.join(" ");
            let places = context.places.detect()?;
            let settings = Settings::load(&places.settings())?;
            let model = tool_model(&places, &settings.embeddings);
            let search = ToolSearch { tools: &tools, query: &query, limit: args.limit };
            let found = search.run(model.as_deref(), &terminal.spinner).await;
            let listed = |hit: &RankedTool| {
                let entry = tools.get(hit.position)?.clone();
                Some(ListedTool { entry, score: Some(hit.score) })
            };
            found.iter().filter_map(listed).collect()
        };
        terminal.spinner.clear();
        match context.output {
            Output::Json => for_programs(&tools, &args),
            Output::People => for_people(&tools, &args),
        }
    })
}

/// A tool to show.
struct ListedTool {
    entry: HubEntry,
    /// How well it fits the query; `None` without a query.
    score: Option<f32>,
}

fn for_programs(tools: &[ListedTool], args: &ToolsArgs) -> anyhow::Result<()> {
    let mut members = vec!["name", "title", "description", "annotations"];
    if args.schema {
        members.extend(["inputSchema", "outputSchema"]);
    }
    let value = |tool: &ListedTool| {
        let mut value = tool.entry.to_value(&members);
        if let Some(score) = tool.score {
            // Three decimals are enough to compare, and read better than all digits of a float.
            value["score"] = json!((f64::from(score) * 1000.0).round() / 1000.0);
        }
        value
    };
    let tools: Vec<_> = tools.iter().map(value).collect();
    render::json(&json!({ "tools": tools }))
}

fn for_people(tools: &[ListedTool], args: &ToolsArgs) -> anyhow::Result<()> {
    if tools.is_empty() && !args.query.is_empty() {
        render::note("no tool fits these words; `hobnob tools` lists all of them");
        return Ok(());
    }
    if tools.is_empty() {
        render::note("no tools; `hobnob status` shows the servers");
        return Ok(());
    }
    let mut entries = tools.iter().map(|tool| &tool.entry);
    if args.schema {
        return entries.try_for_each(with_schema);
    }
    let mut table = Table::new(&["TOOL", "SERVER", "DESCRIPTION"]).optional(&["SERVER"]);
    for tool in entries {
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
