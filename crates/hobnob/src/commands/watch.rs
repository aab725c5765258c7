//! `hobnob watch [SERVER] URI` and `hobnob watch TOOL`: prints every change of a resource, or of
//! the result of a tool. `main` runs it.
//!
//! What must stay true: a change is printed once, even if several events report it, and the end of
//! the connection is an error.

use super::{call, read};
use crate::arguments;
use crate::content::{self, Media};
use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_hub};
use clap::Args;
use hobnob_mcp_client::{ListKind, ServerEvent};
use hobnob_mcp_engine::timestamp;
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::resources::{ReadResourceResult, ResourceContents};
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::{FoundEntry, Hub, HubEntry, Needs, failed};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use hobnob_terminal::terminal::{Consent, Spinner, Terminal};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

/// The gateway's tool that calls another tool at intervals.
const POLLING_TOOL: &str = "SubscribePolling";

/// The pauses before the first reads, which do not wait for an event.
const FIRST_PAUSES: [Duration; 3] =
    [Duration::from_millis(250), Duration::from_secs(1), Duration::from_secs(3)];

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The URI of the resource, its server (the server's own URI follows), or the name of the tool.
    #[arg(value_name = "URI|SERVER|TOOL", add = super::completions::watched())]
    target: String,

    /// The server's own URI of the resource, or arguments of the tool.
    #[arg(value_name = "URI|KEY=VALUE|JSON", add = super::completions::tool_arguments())]
    arguments: Vec<String>,

    /// The time between two calls of the tool, at least 1s.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = call::duration)]
    interval: Duration,

    /// Exit after this number of changes.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
}

impl WatchArgs {
    /// The words that name a resource, as `read` takes them; `None` if they name a tool.
    fn resource(&self) -> Option<Vec<String>> {
        let is_uri = |word: &str| {
            word.split_once("://").is_some_and(|(scheme, _)| {
                !scheme.is_empty() && !scheme.contains(['=', '{', '"', ' '])
            })
        };
        match self.arguments.as_slice() {
            [] if is_uri(&self.target) => Some(vec![self.target.clone()]),
            [uri] if is_uri(uri) => Some(vec![self.target.clone(), uri.clone()]),
            _ => None,
        }
    }

    /// What is watched, as the user typed it.
    fn shown(&self) -> &str {
        match (self.resource(), self.arguments.as_slice()) {
            (Some(_), [uri]) => uri,
            _ => &self.target,
        }
    }
}

/// The target of the command.
enum WatchTarget {
    Resource(String),
    /// The URI of the gateway's polling subscription.
    Tool(String),
}

impl WatchTarget {
    fn uri(&self) -> &str {
        match self {
            Self::Resource(uri) | Self::Tool(uri) => uri,
        }
    }
}

pub(crate) fn run(args: WatchArgs, context: &CommandContext) -> anyhow::Result<()> {
    let options =
        HubOptions { needs: Needs::Knowledge, consent: Consent::Ask, message: "subscribing" };
    with_hub(context, &options, async |hub: &Hub, Terminal { spinner, .. }: &Terminal| {
        let watched = match args.resource() {
            Some(words) => WatchTarget::Resource(read::address(hub, &words, spinner).await?),
            None => WatchTarget::Tool(poll(hub, spinner, &args).await?),
        };
        let mut before = read::read(hub, watched.uri(), spinner).await?;
        hub.client().remote().watch(BTreeSet::from([watched.uri().into()]));
        spinner.clear();
        let shown = args.shown();
        render::note(&format!("watching {shown}; press Ctrl-C to stop"));
        let mut left = args.count.unwrap_or(u64::MAX);
        let mut pauses = FIRST_PAUSES.into_iter();
        while left > 0 {
            match pauses.next() {
                // No event reports a change that happens before the subscription has begun.
                Some(pause) => {
                    let changed =
                        tokio::time::timeout(pause, wait_for_change(hub, watched.uri())).await;
                    changed.unwrap_or(Ok(()))?;
                }
                None => wait_for_change(hub, watched.uri()).await?,
            }
            let now = read::read(hub, watched.uri(), spinner).await?;
            // Two events may arrive before the first change is read.
            if now == before {
                continue;
            }
            show(&watched, shown, &now, context.output)?;
            before = now;
            left -= 1;
        }
        Ok(())
    })
}

/// Waits for the next event about the resource.
async fn wait_for_change(hub: &Hub, uri: &str) -> anyhow::Result<()> {
    loop {
        match hub.events.next().await {
            Some(ServerEvent::ResourceUpdated(changed)) if *changed == *uri => return Ok(()),
            Some(ServerEvent::Ended(why)) => return Err(over(&why)),
            Some(_) => {}
            None => return Err(over("the connection is closed")),
        }
    }
}

fn over(why: &str) -> anyhow::Error {
    Ended::new(Code::Unavailable, format!("cannot watch any longer: {why}")).into()
}

/// Subscribes to repeated calls of the tool; returns the URI of the subscription.
async fn poll(hub: &Hub, spinner: &Spinner, args: &WatchArgs) -> anyhow::Result<String> {
    let usage = |words: String| anyhow::Error::from(Ended::usage(words));
    let FoundEntry::Listed(HubEntry { owned, json, key, .. }) =
        hub.lists(spinner).find(ListKind::Tools, &args.target).await?
    else {
        let words = format!("there is no tool `{}`; `hobnob tools` lists all of them", args.target);
        return Err(usage(words));
    };
    let Some(server) = &owned.server else {
        return Err(usage("you can watch only tools of servers, not Hobnob's own".into()));
    };
    let schema = field(&json, "inputSchema").unwrap_or("{}");
    let given = arguments::arguments(&args.arguments, schema);
    let given = given.map_err(|bad| usage(bad.to_string()))?;
    let asked = object(|asked| {
        asked.string("type", "tool").string("server", server);
        asked.string("toolName", &owned.original).raw("arguments", &given);
        asked.raw("intervalMs", &args.interval.as_millis().to_string());
    });
    let begun = hub.client().call_tool_text(POLLING_TOOL, Some(&asked), &spinner.notes()).await;
    let begun = begun.map_err(|error| failed(&error))?;
    address(hub, &key, &begun)
}

fn address(hub: &Hub, tool: &str, begun: &CallToolResult) -> anyhow::Result<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct StartedTask {
        resource_uri: String,
    }
    let text = begun.content.iter().find_map(|piece| piece.as_text()).unwrap_or_default();
    if begun.is_error {
        let code = if text.contains("cannot be polled") { Code::Denied } else { Code::Failed };
        return Err(hub.with_remedy(tool, Ended::new(code, text)).into());
    }
    let text = begun.structured_content.as_deref().map_or(text, RawValue::get);
    Ok(serde_json::from_str::<StartedTask>(text)?.resource_uri)
}

fn show(watched: &WatchTarget, target: &str, raw: &str, output: Output) -> anyhow::Result<()> {
    let read: ReadResourceResult = serde_json::from_str(raw)?;
    let at = timestamp(SystemTime::now());
    // A poll holds the tool's whole result as text.
    let result = match (watched, &read.contents[..]) {
        (WatchTarget::Tool(_), [ResourceContents::Text(it)]) => Some(&it.text),
        _ => None,
    };
    if output == Output::Json {
        let line = object(|line| {
            line.string("target", target).string("at", &at);
            match result {
                Some(result) => line.raw("result", result),
                None => line.raw("contents", field(raw, "contents").unwrap_or("[]")),
            };
        });
        return render::json_text(&line);
    }
    render::line(&format!("{at}  {target}"))?;
    match result {
        Some(result) => {
            let result: CallToolResult = serde_json::from_str(result)?;
            result.content.iter().try_for_each(|piece| content::show(piece, Media::Described))
        }
        None => read.contents.iter().try_for_each(|it| content::resource(it, Media::Described)),
    }
}
