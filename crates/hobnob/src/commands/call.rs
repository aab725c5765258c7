//! `hobnob call TOOL …`: one call, from words to an exit code.

mod outcome;

use crate::arguments;
use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::hub::{Found, Hub, Needs, Task, failed, with_hub};
use crate::terminal::{Consent, Terminal};
use clap::Args;
use hobnob_config::{BadDuration, parse_duration};
use hobnob_mcp_client::{ForwardOptions, ListKind};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::{field, object};
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

    /// Give up after this time: 500ms, 30s, 5m. The download of a server does not count.
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
    let task = Task { needs: Needs::Knowledge, consent, words: &args.tool.clone() };
    with_hub(context, &task, async |hub: &Hub, terminal: &Terminal| {
        let calling = call(hub, terminal, &args);
        let (tool, raw) = match args.timeout {
            None => calling.await?,
            Some(limit) => within(hub, limit, calling).await?,
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

/// Gives up after this time. A download does not count: broken off, it would have to begin anew
/// with every try.
async fn within<T>(
    hub: &Hub,
    limit: Duration,
    calling: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    let mut calling = std::pin::pin!(calling);
    loop {
        match tokio::time::timeout(limit, &mut calling).await {
            Ok(done) => return done,
            Err(_) if hub.is_downloading().await? => {}
            // Dropping the call tells the server that nobody waits any more.
            Err(_) => {
                return Err(Ended::new(Code::Timeout, format!("no answer within {limit:?}")).into());
            }
        }
    }
}

/// The tool's public name and the result's JSON.
async fn call(hub: &Hub, terminal: &Terminal, args: &CallArgs) -> anyhow::Result<(String, String)> {
    let found = hub.find(ListKind::Tools, &args.tool, terminal).await?;
    let name = found.name();
    // What is not listed may be held back or denied: whoever did that says so best.
    let schema = match &found {
        Found::Listed(tool) => field(&tool.json, "inputSchema").unwrap_or("{}"),
        Found::Unlisted(_) => "{}",
    };
    let given = arguments::arguments(&args.arguments, schema)
        .map_err(|bad| Ended::new(Code::Usage, format!("{name}: {bad}")))?;
    let params = object(|params| {
        params.string("name", name).raw("arguments", &given);
    });
    let (client, forward) = (hub.client(), ForwardOptions::default());
    let raw = client.call_raw(Method::ToolsCall, params, &forward, &terminal.notes()).await;
    match raw {
        Ok(raw) => Ok((name.to_owned(), raw)),
        Err(error) if matches!(found, Found::Unlisted(_)) => {
            Err(outcome::unlisted(hub, name, failed(&error)).await.into())
        }
        Err(error) => Err(failed(&error).into()),
    }
}
