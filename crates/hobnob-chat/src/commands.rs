//! The commands of a chat: lines that begin with `/`.
//!
//! `interactive` runs them. What must stay true: text of servers is made safe before it is shown,
//! and only `/compact` and prompts of servers ask the model.

mod history;
mod own_command;
mod server_care;
mod servers;
mod settings;

use super::command_table::{COMMANDS, ChatCommand};
use super::conversing::Conversing;
use hobnob_terminal::render;

/// What the chat does after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterCommand {
    /// It reads the next line.
    Go,
    /// It ends, as after `/quit`.
    Leave,
}

/// Runs a command; `line` is without the slash.
pub(super) async fn run_command(
    chat: &mut Conversing<'_>,
    line: &str,
) -> anyhow::Result<AfterCommand> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match name {
        "help" => help()?,
        "mcp" => servers::mcp(chat, rest).await?,
        "tools" => servers::tools(chat, rest).await?,
        "memory" => servers::memory(chat, rest).await?,
        "tasks" => servers::tasks(chat).await?,
        "model" => settings::model(chat, rest)?,
        "thinking" => settings::thinking(chat)?,
        "permissions" => settings::permissions(chat, rest).await?,
        "approve" => own_command::run(chat, &["approve"], rest).await.map(drop)?,
        "cost" => settings::cost(chat)?,
        "clear" => history::clear(chat).await?,
        "compact" => history::compact(chat, rest).await?,
        "save" => history::save(chat, rest).await?,
        "resume" => history::resume(chat, rest).await?,
        "branch" => history::branch(chat, rest).await?,
        "tree" => servers::tree(chat).await?,
        "quit" | "exit" => return Ok(AfterCommand::Leave),
        _ => servers::prompt(chat, name, rest).await?,
    }
    Ok(AfterCommand::Go)
}

fn help() -> anyhow::Result<()> {
    for ChatCommand { name, arguments, about } in COMMANDS {
        render::line(&format!("  {:<28} {about}", format!("/{name} {arguments}").trim_end()))?;
    }
    render::line("  /PROMPT [KEY=VALUE …]        use a prompt of a server")?;
    render::line("  @FILE, @URI                  add a file or a resource to what you say")?;
    render::line("  Alt-Enter or \\ at the end    go on in the next line")?;
    render::line("  Ctrl-C                       stop the answer; twice: leave")
}
