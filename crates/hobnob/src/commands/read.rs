//! `hobnob read URI`: prints the contents of a resource, or writes them to a file. `main` runs it;
//! `watch` shares how a resource is found and read.
//!
//! What must stay true: a file or a pipe gets the contents as they are; only a terminal gets them
//! made safe.

use crate::content::{self, Media};
use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_hub};
use anyhow::Context as _;
use clap::Args;
use hobnob_gateway::uris::public_uri;
use hobnob_mcp_client::{ForwardOptions, ListKind};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::resources::{ReadResourceResult, ResourceContents};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::{Hub, Needs, check_server, failed};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use hobnob_terminal::terminal::{Consent, Spinner, Terminal};
use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// The URI: mcp://SERVER/URI, or SERVER and then the server's own URI.
    #[arg(required = true, num_args = 1..=2, value_name = "[SERVER] URI", add = super::completions::resources())]
    address: Vec<String>,

    /// Write the contents to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: ReadArgs, context: &CommandContext) -> anyhow::Result<()> {
    let options = HubOptions {
        needs: Needs::Knowledge,
        consent: Consent::Ask,
        message: "reading the resource",
    };
    with_hub(context, &options, async |hub: &Hub, terminal: &Terminal| {
        let uri = address(hub, &args.address, &terminal.spinner).await?;
        let raw = read(hub, &uri, &terminal.spinner).await?;
        terminal.spinner.clear();
        if context.output == Output::Json {
            return render::json_text(&raw);
        }
        let read: ReadResourceResult = serde_json::from_str(&raw)?;
        match &args.output {
            Some(path) => {
                let file = File::create(path);
                let mut file = file.with_context(|| format!("cannot write {}", path.display()))?;
                write(&read, &mut file).with_context(|| format!("{}", path.display()))
            }
            None => show(&read),
        }
    })
}

/// The public URI of the resource that the user named.
pub(super) async fn address(
    hub: &Hub,
    words: &[String],
    spinner: &Spinner,
) -> anyhow::Result<String> {
    let given = match words {
        [server, original] => {
            check_server(&hub.names(), server)?;
            return Ok(public_uri(server, original));
        }
        words => words.concat(),
    };
    if hub.names().owner_of_uri(&given).server.is_some() || is_own(hub, &given).await? {
        return Ok(given);
    }
    if let Some((server, original)) = given.strip_prefix("mcp://").and_then(|it| it.split_once('/'))
    {
        check_server(&hub.names(), server)?;
        // The server's address may be one that stays as it is, such as `ui://…`.
        return Ok(public_uri(server, original));
    }
    hub.lists(spinner).find_resource(&given).await
}

/// Whether Hobnob itself has resources of this URI's scheme, listed or not: its lists of resources
/// and of templates name all of them.
async fn is_own(hub: &Hub, uri: &str) -> anyhow::Result<bool> {
    let Some((scheme, _)) = uri.split_once("://") else { return Ok(false) };
    for list in [ListKind::Templates, ListKind::Resources] {
        let entries = hub.list(list).await?;
        let mut own = entries.iter().filter(|entry| entry.owned.server.is_none());
        if own.any(|entry| entry.key.split_once("://").is_some_and(|(it, _)| it == scheme)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The JSON text of the result of `resources/read`.
pub(super) async fn read(hub: &Hub, uri: &str, spinner: &Spinner) -> anyhow::Result<String> {
    let params = object(|params| {
        params.string("uri", uri);
    });
    let (client, forward) = (hub.client(), ForwardOptions::default());
    let raw = client.call_raw(Method::ResourcesRead, params, &forward, &spinner.notes()).await;
    Ok(raw.map_err(|error| failed(&error))?)
}

fn show(read: &ReadResourceResult) -> anyhow::Result<()> {
    if !io::stdout().is_terminal() {
        return match write(read, &mut io::stdout().lock()) {
            // A closed pipe is not a failure.
            Err(error) if is_gone(&error) => Err(Ended::silently(Code::Done).into()),
            done => done,
        };
    }
    for contents in &read.contents {
        match contents {
            ResourceContents::Text(_) => content::resource(contents, Media::Described)?,
            ResourceContents::Blob(_) => {
                let message = "this is binary data; write it to a file with --output FILE";
                return Err(Ended::usage(message).into());
            }
        }
    }
    Ok(())
}

fn is_gone(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes all contents without changes.
fn write(read: &ReadResourceResult, to: &mut impl Write) -> anyhow::Result<()> {
    for contents in &read.contents {
        match contents {
            ResourceContents::Text(it) => {
                to.write_all(it.text.as_bytes())?;
                if !it.text.ends_with('\n') && read.contents.len() > 1 {
                    to.write_all(b"\n")?;
                }
            }
            ResourceContents::Blob(it) => to.write_all(&content::decode(&it.blob)?)?,
        }
    }
    to.flush()?;
    Ok(())
}
