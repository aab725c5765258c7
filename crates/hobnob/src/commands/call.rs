//! `hobnob call TOOL …`: one call, from words to an exit code.

mod outcome;

use crate::arguments;
use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::hub::{Entry, Hub, Needs, Task, failed, with_hub};
use crate::terminal::{Consent, Terminal};
use clap::Args;
use hobnob_config::{BadDuration, parse_duration};
use mcp_client::{Forward, List};
use mcp_types::Method;
use mcp_types::json::{field, object};
use std::path::PathBuf;
use std::time::Duration;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The tool: its public name, or the server's own name where that is clear, or SERVER/TOOL.
    #[arg(add = super::completions::tools())]
    tool: String,

    /// key=value, typed as the tool wants it; key:=JSON; key=@FILE; a JSON object; or - to read
    /// one from standard input. A key that takes a list may be repeated.
    #[arg(value_name = "KEY=VALUE|JSON|-")]
    arguments: Vec<String>,

    /// Let the tool run this once where the rules want somebody to be asked.
    #[arg(short, long)]
    yes: bool,

    /// Give up after this time: 500ms, 30s, 5m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Keep images, sounds and files of the result in this folder.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// A length of time as people write it.
pub(super) fn duration(text: &str) -> Result<Duration, BadDuration> {
    parse_duration(text)
}

/// Does it.
pub(crate) fn run(args: CallArgs, context: &Context) -> anyhow::Result<()> {
    let consent = if args.yes { Consent::Once } else { Consent::Ask };
    let task = Task { needs: Needs::Catalogue, consent, words: &args.tool.clone() };
    with_hub(context, &task, async |hub: &Hub, terminal: &Terminal| {
        let calling = call(hub, terminal, &args);
        let (tool, raw) = match args.timeout {
            None => calling.await?,
            // Dropping the call tells the server that nobody waits any more.
            Some(limit) => tokio::time::timeout(limit, calling)
                .await
                .map_err(|_| Ended::new(Code::Timeout, format!("no answer within {limit:?}")))??,
        };
        terminal.clear();
        let show = match (context.output, &args.save) {
            (Output::Json, _) => outcome::Show::Json,
            (Output::People, Some(folder)) => outcome::Show::Saving(folder),
            (Output::People, None) => outcome::Show::Plain,
        };
        outcome::show(hub, terminal, &tool, &raw, show).await
    })
}

/// The tool's public name and the result's JSON.
async fn call(hub: &Hub, terminal: &Terminal, args: &CallArgs) -> anyhow::Result<(String, String)> {
    let mut tools = hub.list(List::Tools).await?;
    // A slow server holds up its own tools only.
    if pick(&tools, &args.tool, "tool")?.is_none() {
        tools = hub.settled_list(List::Tools, terminal).await?;
    }
    let found = pick(&tools, &args.tool, "tool")?;
    // What is not listed may be held back or denied: whoever did that says so best.
    let (name, schema) = match found {
        Some(tool) => (tool.key.as_str(), field(&tool.json, "inputSchema").unwrap_or("{}")),
        None if hub.names().owner(&args.tool).server.is_some() => (args.tool.as_str(), "{}"),
        None => return Err(absent(&args.tool).into()),
    };
    let given = arguments::arguments(&args.arguments, schema)
        .map_err(|bad| Ended::new(Code::Usage, format!("{name}: {bad}")))?;
    let params = object(|params| {
        params.string("name", name).raw("arguments", &given);
    });
    let (client, forward) = (hub.client(), Forward::default());
    let raw = client.call_raw(Method::ToolsCall, params, &forward, &terminal.notes()).await;
    match raw {
        Ok(raw) => Ok((name.to_owned(), raw)),
        Err(error) if found.is_none() => {
            Err(outcome::unlisted(hub, name, failed(&error)).await.into())
        }
        Err(error) => Err(failed(&error).into()),
    }
}

fn absent(tool: &str) -> Ended {
    let message = format!("there is no tool `{tool}`; `hobnob tools` shows those there are");
    Ended::new(Code::Failed, message)
}

/// The entry that was meant: by its public name, as SERVER/NAME, or by the server's own name if
/// only one has it.
pub(super) fn pick<'a>(
    entries: &'a [Entry],
    meant: &str,
    what: &str,
) -> anyhow::Result<Option<&'a Entry>> {
    if let Some(entry) = entries.iter().find(|entry| entry.key == meant) {
        return Ok(Some(entry));
    }
    let whole = |entry: &&Entry| {
        let rest = meant.strip_prefix(entry.server()).and_then(|rest| rest.strip_prefix('/'));
        rest == Some(&*entry.owned.original)
    };
    if let Some(entry) = entries.iter().find(whole) {
        return Ok(Some(entry));
    }
    let same: Vec<&Entry> = entries.iter().filter(|it| it.owned.original == meant).collect();
    match same[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let keys = same.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("more than one {what} is called `{meant}`: {keys}");
            Err(Ended::new(Code::Usage, message).into())
        }
    }
}
