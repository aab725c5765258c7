//! `hobnob prompt NAME key=value…`: fills in a prompt and prints its messages. `main` runs it.
//!
//! What must stay true: text of the server is made safe for terminals.

use crate::arguments;
use crate::content::{self, Media};
use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_hub};
use clap::Args;
use hobnob_mcp_client::{ForwardOptions, ListKind};
use hobnob_mcp_types::json::{ObjectWriter, object};
use hobnob_mcp_types::prompts::GetPromptResult;
use hobnob_mcp_types::{Method, annotations::Role};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::hub::{Hub, Needs, failed};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use hobnob_terminal::terminal::{Consent, Terminal};

#[derive(Debug, Args)]
pub(crate) struct PromptArgs {
    /// The prompt: its public name, or the server's own name if it is unambiguous.
    #[arg(add = super::completions::prompts())]
    name: String,

    /// The arguments of the prompt, all of them strings.
    #[arg(value_name = "KEY=VALUE", add = super::completions::prompt_arguments())]
    arguments: Vec<String>,
}

pub(crate) fn run(args: PromptArgs, context: &CommandContext) -> anyhow::Result<()> {
    let given = arguments::texts(&args.arguments).map_err(|bad| Ended::usage(bad.to_string()))?;
    let options = HubOptions {
        needs: Needs::Knowledge,
        consent: Consent::Ask,
        message: "getting the prompt",
    };
    with_hub(context, &options, async |hub: &Hub, terminal: &Terminal| {
        let found = hub.lists(&terminal.spinner).find(ListKind::Prompts, &args.name).await?;
        let name = found.name();
        let params = object(|params| {
            params.string("name", name);
            let mut filled = ObjectWriter::new(params.key("arguments"));
            for (key, value) in &given {
                filled.string(key, value);
            }
            filled.end();
        });
        let (client, forward) = (hub.client(), ForwardOptions::default());
        let raw =
            client.call_raw(Method::PromptsGet, params, &forward, &terminal.spinner.notes()).await;
        let raw = raw.map_err(|error| failed(&error))?;
        terminal.spinner.clear();
        match context.output {
            Output::Json => render::json_text(&raw),
            Output::People => show(&serde_json::from_str(&raw)?),
        }
    })
}

fn show(prompt: &GetPromptResult) -> anyhow::Result<()> {
    for message in &prompt.messages {
        render::line(match message.role {
            Role::User => "user:",
            Role::Assistant => "assistant:",
            _ => "unknown role:",
        })?;
        content::show(&message.content, Media::Described)?;
        render::line("")?;
    }
    Ok(())
}
