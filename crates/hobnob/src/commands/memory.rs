//! `hobnob memory …`: each subcommand calls a tool of the memory service through the hub and prints the
//! answer. `main` runs it; `args` has the subcommands, `carry` exports and imports files.
//!
//! What must stay true: every subcommand calls tools that clients have too, so both do the same.

mod args;
mod carry;
mod show;

pub(crate) use args::MemoryArgs;

use super::service::{call_and_show, call_with_consent, given, text_or_stdin};
use crate::context::CommandContext;
use args::{CaptureArgs, MemoryCommand, RecallArgs};
use hobnob_terminal::terminal::Consent;
use serde_json::{Value, json};

pub(crate) fn run(args: MemoryArgs, context: &CommandContext) -> anyhow::Result<()> {
    let one = |id: String| json!({ "id": id });
    let none = || json!({});
    match args.command {
        MemoryCommand::Capture(args) => capture(args, context),
        MemoryCommand::Recall(args) => recall(args, context),
        MemoryCommand::Get(args) => call_and_show(context, "memory_get", one(args.id), show::whole),
        MemoryCommand::List(args) => {
            let wanted = given([
                ("filter", args.filter.into()),
                ("limit", args.limit.into()),
                ("detail", "medium".into()),
            ]);
            call_and_show(context, "memory_list", wanted, show::list)
        }
        MemoryCommand::History(args) => {
            call_and_show(context, "memory_history", one(args.id), show::history)
        }
        MemoryCommand::Delete(args) => {
            let wanted = json!({ "id": args.id, "purge": args.purge });
            call_and_show(context, "memory_delete", wanted, show::done)
        }
        MemoryCommand::Restore(args) => {
            call_and_show(context, "memory_restore", one(args.id), show::whole)
        }
        MemoryCommand::Status => call_and_show(context, "memory_status", none(), show::status),
        MemoryCommand::Export(args) => carry::export(args, context),
        MemoryCommand::Import(args) => carry::import(args, context),
        MemoryCommand::Sync(args) => {
            let consent = if args.yes { Consent::Once } else { Consent::Ask };
            call_with_consent(context, consent, "memory_sync", none(), show::synced)
        }
        MemoryCommand::Gc => call_and_show(context, "memory_gc", none(), show::cleaned),
    }
}

fn capture(args: CaptureArgs, context: &CommandContext) -> anyhow::Result<()> {
    let arguments = given([
        ("content", text_or_stdin(&args.content)?.into()),
        ("namespace", args.namespace.into()),
        ("tags", args.tags.into()),
        ("source", args.source.into()),
        ("scope", args.scope.as_str().into()),
        ("ttl", args.ttl.into()),
        ("replaces", if args.replaces.is_empty() { Value::Null } else { args.replaces.into() }),
        ("redact", args.redact.then_some(true).map_or(Value::Null, Value::from)),
    ]);
    call_and_show(context, "memory_capture", arguments, show::captured)
}

fn recall(args: RecallArgs, context: &CommandContext) -> anyhow::Result<()> {
    let query = args.query.join(" ");
    let arguments = given([
        ("query", if query.is_empty() { Value::Null } else { query.into() }),
        ("filter", args.filter.into()),
        ("mode", args.mode.as_str().into()),
        ("limit", args.limit.into()),
        ("detail", if args.full { "full" } else { "medium" }.into()),
    ]);
    let show = if args.full { show::in_full } else { show::list };
    call_and_show(context, "memory_recall", arguments, show)
}
