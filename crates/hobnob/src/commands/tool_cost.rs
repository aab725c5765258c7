//! `hobnob tools --cost`: about how many tokens of a model's context the tools take, each and by
//! server, as a whole list and as the short one with `find_tools`. `tools` runs it.
//!
//! What must stay true: the estimate is the one that decides which list clients get.

use anyhow::Context as _;
use hobnob_config::{Settings, ToolListing};
use hobnob_gateway::catalog::estimated_tokens;
use hobnob_gateway::names::public_name;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::json::elements;
use hobnob_terminal::hub::{Hub, HubEntry};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table};
use serde_json::json;
use std::collections::BTreeMap;

/// How the figures are estimated, for whoever reads them.
const ESTIMATE: &str = "4.3 bytes of name, description and input schema are about one token";

/// What the two lists cost.
pub(super) struct ListCosts {
    whole: usize,
    search: usize,
    listing: ToolListing,
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
    /// What all of these tools cost in either list.
    pub(super) async fn of(
        tools: &[HubEntry],
        hub: &Hub,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let names = json!({"names": ["find_tools", "describe_tools", "call_tool"]});
        let described = hub.client().call_tool("describe_tools", &names).await;
        let described = described.context("the running hub does not know `describe_tools`")?;
        let texts = described.content.iter().filter_map(|block| match block {
            Content::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        let own: usize = texts.flat_map(elements).map(estimated_tokens).sum();
        let costs = costs(tools, settings);
        let sum = |tools: &mut dyn Iterator<Item = &ToolCost<'_>>| -> usize {
            tools.map(|tool| tool.tokens).sum()
        };
        Ok(Self {
            whole: sum(&mut costs.iter()),
            search: own + sum(&mut costs.iter().filter(|tool| tool.always)),
            listing: settings.gateway.tool_search,
            budget: settings.gateway.tool_budget,
        })
    }

    /// Which list a client gets that does not search itself.
    fn is_searched(&self) -> bool {
        match self.listing {
            ToolListing::Never => false,
            ToolListing::Always => true,
            ToolListing::Auto => self.budget != 0 && self.budget < self.whole,
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
        "search": lists.search,
        "budget": lists.budget,
        "searched": lists.is_searched(),
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
    let marked = |gets: bool| if gets { "; clients get this list" } else { "" };
    render::line(&format!("Whole list: {} tokens{}", lists.whole, marked(!lists.is_searched())))?;
    let search = lists.search;
    render::line(&format!("With find_tools: {search} tokens{}", marked(lists.is_searched())))?;
    render::note(&format!("figures are estimates: {ESTIMATE}"));
    Ok(())
}
