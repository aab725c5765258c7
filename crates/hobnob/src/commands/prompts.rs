//! `hobnob prompts`: lists the prompts of all servers, or of one. `main` runs it.
//!
//! What must stay true: a server that cannot be reached is a note, not the end of the list.

use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_hub};
use clap::Args;
use hobnob_mcp_client::ListKind;
use hobnob_mcp_types::prompts::Prompt;
use hobnob_terminal::hub::{Hub, HubEntry, Needs, server_filter};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table};
use hobnob_terminal::terminal::{Consent, Terminal};
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct PromptsArgs {
    /// List only the prompts of this server.
    #[arg(long, value_name = "NAME", add = super::completions::servers())]
    server: Option<String>,
}

pub(crate) fn run(args: PromptsArgs, context: &CommandContext) -> anyhow::Result<()> {
    let options = HubOptions {
        needs: args.server.as_ref().map_or(Needs::Catalogue, |_| Needs::Knowledge),
        consent: Consent::Ask,
        message: "listing prompts",
    };
    with_hub(context, &options, async |hub: &Hub, terminal: &Terminal| {
        let mut prompts =
            hub.lists(&terminal.spinner).of(args.server.as_deref(), ListKind::Prompts).await?;
        server_filter(hub, args.server.as_deref(), &mut prompts)?;
        terminal.spinner.clear();
        if context.output == Output::Json {
            let said = ["name", "title", "description", "arguments"];
            let prompts: Vec<_> = prompts.iter().map(|it| it.to_value(&said)).collect();
            return render::json(&json!({ "prompts": prompts }));
        }
        if prompts.is_empty() {
            render::note("no prompts; `hobnob status` shows the servers");
            return Ok(());
        }
        let mut table =
            Table::new(&["PROMPT", "SERVER", "ARGUMENTS", "DESCRIPTION"]).optional(&["SERVER"]);
        for prompt in &prompts {
            table.row([
                Cell::from(prompt.key.as_str()),
                Cell::from(prompt.server()),
                Cell::from(arguments(prompt)),
                Cell::from(prompt.text("description").unwrap_or_default()),
            ]);
        }
        render::text(&table.to_text())
    })
}

/// The names of the arguments; optional ones are in brackets.
fn arguments(prompt: &HubEntry) -> String {
    let Ok(prompt) = serde_json::from_str::<Prompt>(&prompt.json) else { return String::new() };
    let words = prompt.arguments.iter().map(|argument| match argument.required {
        true => argument.name.clone(),
        false => format!("[{}]", argument.name),
    });
    words.collect::<Vec<_>>().join(" ")
}
