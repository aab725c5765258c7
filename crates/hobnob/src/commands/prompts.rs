//! `hobnob prompts`: what can be filled in.

use crate::context::{Context, Output};
use crate::hub::{Entry, Hub, Needs, Task, server_filter, with_hub};
use crate::render::{self, Cell, Table};
use crate::terminal::{Consent, Terminal};
use clap::Args;
use hobnob_mcp_client::ListKind;
use hobnob_mcp_types::prompts::Prompt;
use serde_json::json;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct PromptsArgs {
    /// Only the prompts of this server.
    #[arg(long, value_name = "NAME", add = super::completions::servers())]
    server: Option<String>,
}

/// Does it.
pub(crate) fn run(args: PromptsArgs, context: &Context) -> anyhow::Result<()> {
    let task = Task {
        needs: args.server.as_ref().map_or(Needs::Catalogue, |_| Needs::Knowledge),
        consent: Consent::Ask,
        words: "asking the servers for their prompts",
    };
    with_hub(context, &task, async |hub: &Hub, terminal: &Terminal| {
        let mut prompts = hub.list_of(args.server.as_deref(), ListKind::Prompts, terminal).await?;
        server_filter(hub, args.server.as_deref(), &mut prompts)?;
        terminal.clear();
        if context.output == Output::Json {
            let said = ["name", "title", "description", "arguments"];
            let prompts: Vec<_> = prompts.iter().map(|it| it.to_value(&said)).collect();
            return render::json(&json!({ "prompts": prompts }));
        }
        if prompts.is_empty() {
            render::note("no prompts; `hobnob status` says which servers there are");
            return Ok(());
        }
        let mut table = Table::new(&["PROMPT", "SERVER", "ARGUMENTS", "WHAT IT IS"]);
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

/// Those that may be left out stand in brackets.
fn arguments(prompt: &Entry) -> String {
    let Ok(prompt) = serde_json::from_str::<Prompt>(&prompt.json) else { return String::new() };
    let words = prompt.arguments.iter().map(|argument| match argument.required {
        true => argument.name.clone(),
        false => format!("[{}]", argument.name),
    });
    words.collect::<Vec<_>>().join(" ")
}
