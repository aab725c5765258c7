//! `hobnob tools --cost`: estimates how many tokens of a model's context the tools take, each and
//! by server, in the whole list and in the list that most clients get. `tools` runs it.
//!
//! What must stay true: the estimate is the one that decides which list clients get.

use anyhow::Context as _;
use hobnob_config::Settings;
use hobnob_gateway::USUAL_LIST;
use hobnob_gateway::catalog::estimated_tokens;
use hobnob_gateway::names::public_name;
use hobnob_mcp_client::ForwardOptions;
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::{elements, field};
use hobnob_terminal::hub::{Hub, HubEntry};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How the figures are estimated, as the output explains it.
const ESTIMATE: &str = "4.3 bytes of name, description and input schema are about one token";

/// What the lists cost, in tokens.
pub(super) struct ListCosts {
    /// The whole list, which clients get that search by themselves.
    whole: usize,
    /// The list of all other clients: the number of its tools, and their tokens.
    listed: (usize, usize),
    /// The tools of servers, which count towards the budget.
    servers: usize,
    budget: usize,
}

/// One tool and its cost.
struct ToolCost<'a> {
    tool: &'a HubEntry,
    tokens: usize,
    /// Whether it is in the short list too.
    always: bool,
}

impl ListCosts {
    /// Estimates all of these tools, and asks the hub for the list that most clients get.
    pub(super) async fn of(
        tools: &[HubEntry],
        hub: &Hub,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let tokens = |tool: &HubEntry| estimated_tokens(&tool.json);
        let of_servers = tools.iter().filter(|tool| tool.owned.server.is_some());
        Ok(Self {
            whole: tools.iter().map(tokens).sum(),
            listed: usual_list(hub).await.context("the list for other clients")?,
            servers: of_servers.map(tokens).sum(),
            budget: settings.gateway.tool_budget,
        })
    }
}

/// Asks for the list of clients that do not search by themselves; counts its tools and tokens.
async fn usual_list(hub: &Hub) -> anyhow::Result<(usize, usize)> {
    let (forward, notes) = (ForwardOptions::default(), Notes::silent());
    let (mut count, mut tokens, mut cursor) = (0, 0, None);
    loop {
        let mut params = json!({"_meta": {USUAL_LIST: true}});
        if let Some(cursor) = cursor.take() {
            params["cursor"] = cursor;
        }
        let page =
            hub.client().call_raw(Method::ToolsList, params.to_string(), &forward, &notes).await?;
        for tool in field(&page, "tools").map(elements).into_iter().flatten() {
            (count, tokens) = (count + 1, tokens + estimated_tokens(tool));
        }
        match field(&page, "nextCursor") {
            None | Some("null") => return Ok((count, tokens)),
            Some(next) => cursor = Some(serde_json::from_str::<Value>(next)?),
        }
    }
}

/// Shows the costs of these tools, the most expensive first, and of the lists.
pub(super) fn show(
    tools: &[HubEntry],
    lists: &ListCosts,
    settings: &Settings,
    output: Output,
) -> anyhow::Result<()> {
    let mut tools = costs(tools, settings);
    tools.sort_by(|one, other| {
        other.tokens.cmp(&one.tokens).then_with(|| one.tool.key.cmp(&other.tool.key))
    });
    let mut servers: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for tool in &tools {
        let (count, tokens) = servers.entry(tool.tool.server()).or_default();
        (*count, *tokens) = (*count + 1, *tokens + tool.tokens);
    }
    let mut servers: Vec<_> = servers.into_iter().collect();
    servers.sort_by_key(|(_, (_, tokens))| std::cmp::Reverse(*tokens));
    match output {
        Output::Json => for_programs(&tools, &servers, lists),
        Output::People => for_people(&tools, &servers, lists),
    }
}

fn costs<'a>(tools: &'a [HubEntry], settings: &Settings) -> Vec<ToolCost<'a>> {
    let cost = |tool: &'a HubEntry| {
        let server = tool.owned.server.as_deref();
        // Settings name a tool by its full name, also where names are short.
        let usual = server.map(|server| public_name(server, &tool.owned.original).to_string());
        let always = settings.keeps_listed(server, usual.as_deref().unwrap_or(&tool.key));
        ToolCost { tool, tokens: estimated_tokens(&tool.json), always }
    };
    tools.iter().map(cost).collect()
}

type ServerCost<'a> = (&'a str, (usize, usize));

fn for_programs(
    tools: &[ToolCost<'_>],
    servers: &[ServerCost<'_>],
    lists: &ListCosts,
) -> anyhow::Result<()> {
    let tool = |it: &ToolCost<'_>| {
        json!({"name": it.tool.key, "server": it.tool.owned.server, "tokens": it.tokens,
               "always": it.always})
    };
    let server = |(server, (count, tokens)): &ServerCost<'_>| json!({"server": server, "tools": count, "tokens": tokens});
    render::json(&json!({
        "estimate": ESTIMATE,
        "servers": servers.iter().map(server).collect::<Vec<_>>(),
        "tools": tools.iter().map(tool).collect::<Vec<_>>(),
        "whole": lists.whole,
        "listed": {"tools": lists.listed.0, "tokens": lists.listed.1},
        "of_servers": lists.servers,
        "budget": lists.budget,
    }))
}

fn for_people(
    tools: &[ToolCost<'_>],
    servers: &[ServerCost<'_>],
    lists: &ListCosts,
) -> anyhow::Result<()> {
    let mut table = Table::new(&["SERVER", "TOOLS", "TOKENS"]);
    for (server, (count, tokens)) in servers {
        let cells = [server.to_string(), count.to_string(), tokens.to_string()];
        table.row(cells.map(Cell::from));
    }
    render::text(&table.to_text())?;
    render::line("")?;
    let mut table = Table::new(&["TOOL", "TOKENS", "LISTED"]);
    for tool in tools {
        let listed = if tool.always { "always" } else { "" };
        let cells = [tool.tool.key.clone(), tool.tokens.to_string(), listed.to_owned()];
        table.row(cells.map(Cell::from));
    }
    render::text(&table.to_text())?;
    render::line("")?;
    let (count, tokens) = lists.listed;
    render::line(&format!("Whole list: {} tokens", lists.whole))?;
    render::line(&format!(
        "Clients that do not search by themselves get {}: {tokens} tokens",
        render::counted(count, "tool")
    ))?;
    if lists.budget != 0 {
        let servers = lists.servers;
        render::line(&format!("Tools of servers: {servers} of {} tokens", lists.budget))?;
    }
    render::note(&format!("figures are estimates: {ESTIMATE}"));
    Ok(())
}
