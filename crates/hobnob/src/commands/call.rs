//! `hobnob call TOOL …`: calls one tool, and maps the result to an exit code. `main` runs it;
//! `watch` shares its parser of durations.
//!
//! What must stay true: the call is made once and never retried.

mod outcome;

use crate::arguments;
use crate::context::CommandContext;
use crate::logs::TraceArgs;
use crate::with_hub::{HubOptions, with_hub};
use clap::Args;
use hobnob_config::{BadDuration, parse_duration};
use hobnob_mcp_client::{ForwardOptions, ListKind};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::{field, object};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::{FoundEntry, Hub, Needs, failed};
use hobnob_terminal::render::Output;
use hobnob_terminal::terminal::{Consent, Terminal};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The tool: its public name, SERVER/TOOL, or the server's own name if it is unambiguous.
    #[arg(add = super::completions::tools())]
    tool: String,

    /// key=value, converted to the type that the tool wants; key:=JSON; key=@FILE; a JSON object; or
    /// - to read one from standard input. Repeat a key to pass a list.
    #[arg(value_name = "KEY=VALUE|JSON|-", add = super::completions::tool_arguments())]
    arguments: Vec<String>,

    /// Run the tool this once without asking, if a rule says to ask.
    #[arg(short, long)]
    yes: bool,

    /// Give up after this time: 500ms, 30s, 5m. Downloading a server does not count.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Save images, audio and files of the result in this folder.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) trace: TraceArgs,
}

/// Parses a duration such as 500ms or 5m.
pub(super) fn duration(text: &str) -> Result<Duration, BadDuration> {
    parse_duration(text)
}

pub(crate) fn run(args: CallArgs, context: &CommandContext) -> anyhow::Result<()> {
    let consent = if args.yes { Consent::Once } else { Consent::Ask };
    let options = HubOptions { needs: Needs::Knowledge, consent, message: &args.tool.clone() };
    with_hub(context, &options, async |hub: &Hub, terminal: &Terminal| {
        let calling = call(hub, terminal, &args);
        let (tool, raw) = match args.timeout {
            None => calling.await?,
            Some(limit) => within(hub, limit, calling).await?,
        };
        terminal.spinner.clear();
        let show = match (context.output, &args.save) {
            (Output::Json, _) => outcome::Show::Json,
            (Output::People, Some(folder)) => outcome::Show::Saving(folder),
            (Output::People, None) => outcome::Show::Plain,
        };
        outcome::show(hub, terminal, &tool, &raw, show).await
    })
}

/// Gives up after this time, except while a server is being downloaded: an aborted download would
/// start from the beginning at every try.
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
            // Dropping the call sends a cancellation to the server.
            Err(_) => {
                return Err(Ended::new(
                    Code::Timeout,
                    format!("the tool did not answer within {limit:?}"),
                )
                .into());
            }
        }
    }
}

/// The tool's public name and the result's JSON.
async fn call(hub: &Hub, terminal: &Terminal, args: &CallArgs) -> anyhow::Result<(String, String)> {
    let found = hub.lists(&terminal.spinner).find(ListKind::Tools, &args.tool).await?;
    let name = found.name();
    // An unlisted tool may be held back or denied; the gateway knows why.
    let schema = match &found {
        FoundEntry::Listed(tool) => field(&tool.json, "inputSchema").unwrap_or("{}"),
        FoundEntry::Unlisted(_) => "{}",
    };
    let given = arguments::arguments(&args.arguments, schema)
        .map_err(|bad| Ended::usage(format!("{name}: {bad}")))?;
    let params = object(|params| {
        params.string("name", name).raw("arguments", &given);
    });
    let (client, forward) = (hub.client(), ForwardOptions::default());
    let raw = client.call_raw(Method::ToolsCall, params, &forward, &terminal.spinner.notes()).await;
    match raw {
        Ok(raw) => Ok((name.to_owned(), raw)),
        Err(error) if matches!(found, FoundEntry::Unlisted(_)) => {
            let ended = outcome::unlisted(hub, name, failed(&error)).await;
            Err(hub.with_remedy(name, ended).into())
        }
        Err(error) => Err(hub.with_remedy(name, failed(&error)).into()),
    }
}
