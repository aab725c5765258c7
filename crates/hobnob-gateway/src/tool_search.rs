//! The search tools, in place of a long list of tools: `find_tools`, `describe_tools`, `call_tool`.
//!
//! The gateway adds the kit to each view that may have a long list. It finds and describes exactly
//! what the view would list. `call_tool` is here only to be listed: dispatch makes its calls direct
//! ones.

mod arguments;

use self::arguments::{CallArguments, DescribeArguments, FindArguments, FoundTool};
use crate::catalog::{Catalogue, ListKind};
use crate::dispatch::locate::{Located, Wanted};
use crate::dispatch::router::{DispatchContext, GatewayService};
use crate::management::ManagementContext;
use crate::names::searching as names;
use hobnob_mcp_engine::{Caller, Notes};
use hobnob_mcp_toolbox::{Context, Kit, KitError, TaskMode, ToolError, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use hobnob_ranking::RankingRequest;
use hobnob_text::ellipsize;
use serde_json::Value;

/// How many tools one search returns: by default, and at most.
const DEFAULT_LIMIT: usize = 8;
const MAX_LIMIT: usize = 25;

/// The most tools described in one call.
const MAX_DESCRIBED: usize = 20;

/// How many characters of its description a found tool shows.
const MAX_SHOWN_CHARS: usize = 160;

/// The kit of search tools for one view.
pub(crate) fn kit(hub: &ManagementContext) -> Result<Kit, KitError> {
    let hints = ToolAnnotations {
        read_only_hint: Some(true),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    let spec = |description: &str| ToolSpec::new(description).annotations(hints.clone());
    Kit::plain("tool_search")
        .with_state(hub.clone())
        .tool(
            names::FIND,
            spec(
                "Finds tools by what you want to do, best first. Most tools are not listed: look \
                 for one here before you say that there is none",
            ),
            |arguments: FindArguments, context: Context<ManagementContext>| async move {
                find(&context.state().service()?, arguments, context.caller()).await
            },
        )
        .tool(
            names::DESCRIBE,
            spec("Shows the full definitions of tools, with the schemas of their arguments"),
            |arguments: DescribeArguments, context: Context<ManagementContext>| async move {
                describe(&context.state().service()?, &arguments, context.caller()).await
            },
        )
        .tool(
            names::CALL,
            ToolSpec::new("Calls a tool that find_tools found, and returns its result")
                .tasks(TaskMode::Chosen),
            |_: CallArguments| async {
                Err::<String, _>(ToolError::failed("`call_tool` cannot call itself"))
            },
        )
        .build()
}

async fn find(
    service: &GatewayService,
    arguments: FindArguments,
    caller: &Caller,
) -> Result<String, ToolError> {
    let GatewayService { context, view } = service;
    context.locator.catch_up(ListKind::Tools).await;
    context.locator.first_starts.wait(view, &Notes::silent()).await;
    let snapshot = view.snapshot();
    let catalogue = &snapshot.catalogue;
    let limit = arguments.limit.map_or(DEFAULT_LIMIT, |limit| usize::from(limit).min(MAX_LIMIT));
    let query = arguments.query.as_str();
    let (index, vector) = match (context.tool_vectors.get(), catalogue.vector_index()) {
        (Some(vectors), Some(index)) => (index, vectors.of_query(query).await),
        (Some(vectors), None) => {
            vectors.prepare(&snapshot);
            (catalogue.search_index(), None)
        }
        (None, _) => (catalogue.search_index(), None),
    };
    let tools: Vec<(&str, &str)> = catalogue.list(ListKind::Tools).entries().collect();
    let origins = tools.iter().map(|(name, _)| catalogue.origin_of(name));
    let uses = context.tools.uses.of(origins);
    let filter = context.lists.filter(view, &snapshot, ListKind::Tools, caller);
    // Tools that the caller must not see do not count towards the limit.
    let ranked = if filter.is_some() { tools.len() } else { limit };
    let request = RankingRequest { query, vector: vector.as_deref(), uses: &uses, limit: ranked };
    let ranked = index.rank_fitting(&request);
    let found = ranked.iter().filter_map(|hit| tools.get(hit.position));
    let found = found.filter(|(name, _)| filter.as_ref().is_none_or(|filter| filter(name)));
    let found = found.take(limit).map(|(name, json)| summary(catalogue, name, json));
    let found: Vec<FoundTool> = found.collect();
    match found.is_empty() {
        true => Ok("no tool fits these words; try others".to_owned()),
        false => Ok(serde_json::to_string(&found)?),
    }
}

/// A found tool with a shortened description.
fn summary(catalogue: &Catalogue, name: &str, json: &str) -> FoundTool {
    let definition: Value = serde_json::from_str(json).unwrap_or_default();
    let text = |key: &str| definition[key].as_str().filter(|text| !text.trim().is_empty());
    let description = text("description").or_else(|| text("title")).unwrap_or_default();
    let line = description.trim().lines().next().unwrap_or_default();
    let shown = ellipsize(line, MAX_SHOWN_CHARS).into_owned();
    let required = definition["inputSchema"]["required"].as_array();
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    FoundTool {
        name: name.to_owned(),
        server: catalogue.origin_of(name).0.to_owned(),
        description: shown,
        required: required.map(str::to_owned).collect(),
    }
}

async fn describe(
    service: &GatewayService,
    arguments: &DescribeArguments,
    caller: &Caller,
) -> Result<String, ToolError> {
    if arguments.names.is_empty() || MAX_DESCRIBED < arguments.names.len() {
        return Err(ToolError::params(format!("`names` must have 1 to {MAX_DESCRIBED} names")));
    }
    let GatewayService { context, view } = service;
    let DispatchContext { locator, lists, .. } = &**context;
    let mut definitions = Vec::with_capacity(arguments.names.len());
    for name in &arguments.names {
        let look = |catalogue: &Catalogue| {
            let mut own = catalogue.searching.entries();
            let own = || own.find_map(|(key, json)| (key == name).then_some(json));
            catalogue.list(ListKind::Tools).get(name).or_else(own).map(str::to_owned)
        };
        let wanted = Wanted::Tool(name);
        let located = locator.locate(view, wanted, look, caller, &Notes::silent()).await;
        let Located { snapshot, found, unavailable } = located;
        let filter = lists.filter(view, &snapshot, ListKind::Tools, caller);
        let found = found.filter(|_| filter.as_ref().is_none_or(|filter| filter(name)));
        match (found, unavailable) {
            (Some(definition), _) => definitions.push(definition),
            (None, Some(why)) => return Err(ToolError::failed(why.0)),
            (None, None) => {
                // A hint could name a tool that the caller must not see.
                let hint = match filter {
                    Some(_) => String::new(),
                    None => locator.hint(view, &snapshot, ListKind::Tools, name),
                };
                return Err(ToolError::failed(format!("Unknown tool: {name}{hint}")));
            }
        }
    }
    Ok(format!("[{}]", definitions.join(",")))
}
