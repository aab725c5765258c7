//! `hobnob watch URI|TOOL`: every change of a resource, or of what a tool answers.

use super::{call, read};
use crate::arguments;
use crate::content::{self, Media};
use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::hub::{Entry, Found, Hub, Needs, Task, failed, with_hub};
use crate::render;
use crate::terminal::{Consent, Terminal};
use clap::Args;
use hobnob_mcp_client::{ListKind, ServerEvent};
use hobnob_mcp_engine::timestamp;
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::resources::{ReadResourceResult, ResourceContents};
use hobnob_mcp_types::tools::CallToolResult;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

/// The gateway's tool that calls another one again and again.
const POLL: &str = "SubscribePolling";

/// When we look ourselves, in the beginning.
const LOOKS: [Duration; 3] =
    [Duration::from_millis(250), Duration::from_secs(1), Duration::from_secs(3)];

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The resource's address, or the tool's name.
    #[arg(value_name = "URI|TOOL", add = super::completions::watched())]
    target: String,

    /// Arguments of the tool.
    #[arg(value_name = "KEY=VALUE|JSON")]
    arguments: Vec<String>,

    /// Time between two calls of the tool, at least 1s.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = call::duration)]
    interval: Duration,

    /// End after so many changes.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
}

/// What is watched.
enum Watched {
    Resource(String),
    /// The address under which a poll tells its changes.
    Tool(String),
}

impl Watched {
    fn uri(&self) -> &str {
        match self {
            Self::Resource(uri) | Self::Tool(uri) => uri,
        }
    }
}

/// Does it.
pub(crate) fn run(args: WatchArgs, context: &Context) -> anyhow::Result<()> {
    let task = Task { needs: Needs::Knowledge, consent: Consent::Ask, words: "beginning to watch" };
    with_hub(context, &task, async |hub: &Hub, terminal: &Terminal| {
        let watched = match args.target.contains("://") {
            true => {
                let words = [args.target.clone()];
                Watched::Resource(read::address(hub, &words, terminal).await?)
            }
            false => Watched::Tool(poll(hub, terminal, &args).await?),
        };
        let mut before = read::read(hub, watched.uri(), terminal).await?;
        hub.client().remote().watch(BTreeSet::from([watched.uri().into()]));
        terminal.clear();
        render::note(&format!("watching {}; Ctrl-C ends it", args.target));
        let mut left = args.count.unwrap_or(u64::MAX);
        let mut looks = LOOKS.into_iter();
        while left > 0 {
            match looks.next() {
                // What changes before the server, or whoever polls it, has begun to watch is
                // told by nobody.
                Some(pause) => {
                    let told = tokio::time::timeout(pause, told(hub, watched.uri())).await;
                    told.unwrap_or(Ok(()))?;
                }
                None => told(hub, watched.uri()).await?,
            }
            let now = read::read(hub, watched.uri(), terminal).await?;
            // Two changes may be told before the first is read.
            if now == before {
                continue;
            }
            show(&watched, &args.target, &now, context.output)?;
            before = now;
            left -= 1;
        }
        Ok(())
    })
}

/// Waits until a change is told.
async fn told(hub: &Hub, uri: &str) -> anyhow::Result<()> {
    loop {
        match hub.change().await {
            Some(ServerEvent::ResourceUpdated(changed)) if *changed == *uri => return Ok(()),
            Some(ServerEvent::Ended(why)) => return Err(over(&why)),
            Some(_) => {}
            None => return Err(over("the connection is gone")),
        }
    }
}

fn over(why: &str) -> anyhow::Error {
    Ended::new(Code::Unavailable, format!("nothing more can be heard: {why}")).into()
}

/// Has the tool called again and again; the address its changes are told under.
async fn poll(hub: &Hub, terminal: &Terminal, args: &WatchArgs) -> anyhow::Result<String> {
    let usage = |words: String| anyhow::Error::from(Ended::new(Code::Usage, words));
    let Found::Listed(Entry { owned, json, .. }) =
        hub.find(ListKind::Tools, &args.target, terminal).await?
    else {
        let words = format!("there is no tool `{}`; `hobnob tools` shows them", args.target);
        return Err(usage(words));
    };
    let Some(server) = &owned.server else {
        return Err(usage("only tools of servers can be watched, not Hobnob's own".into()));
    };
    let schema = field(&json, "inputSchema").unwrap_or("{}");
    let given = arguments::arguments(&args.arguments, schema);
    let given = given.map_err(|bad| usage(bad.to_string()))?;
    let asked = object(|asked| {
        asked.string("type", "tool").string("server", server);
        asked.string("toolName", &owned.original).raw("arguments", &given);
        asked.raw("intervalMs", &args.interval.as_millis().to_string());
    });
    let begun = hub.client().call_tool(POLL, Some(&asked), &terminal.notes()).await;
    let begun = begun.map_err(|error| failed(&error))?;
    address(&begun)
}

fn address(begun: &CallToolResult) -> anyhow::Result<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Begun {
        resource_uri: String,
    }
    let text = begun.content.iter().find_map(|piece| piece.as_text()).unwrap_or_default();
    if begun.is_error {
        let code = if text.contains("cannot be polled") { Code::Denied } else { Code::Failed };
        return Err(Ended::new(code, text).into());
    }
    let told = begun.structured_content.as_deref().map_or(text, RawValue::get);
    Ok(serde_json::from_str::<Begun>(told)?.resource_uri)
}

fn show(watched: &Watched, target: &str, raw: &str, output: Output) -> anyhow::Result<()> {
    let read: ReadResourceResult = serde_json::from_str(raw)?;
    let at = timestamp(SystemTime::now());
    // A poll holds the tool's whole result as text.
    let result = match (watched, &read.contents[..]) {
        (Watched::Tool(_), [ResourceContents::Text(it)]) => Some(&it.text),
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
