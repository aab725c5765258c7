//! Shows the result of a call, and chooses the exit code. `call` uses it.
//!
//! What must stay true: the exit code says whether the tool failed, the call was denied or the
//! server is unavailable; and standard output, if it is no terminal, gets the text of the result
//! and nothing else.

use crate::content::{self, Media, ReadableContent};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::{Hub, code_of_refusal};
use hobnob_terminal::render;
use hobnob_terminal::terminal::Terminal;
use serde_json::Value;
use std::path::Path;

/// How the result is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum Show<'a> {
    /// The whole result as JSON.
    Json,
    /// Its content, for people; media are described.
    Plain,
    /// Its content, for people; media are saved in this folder.
    Saving(&'a Path),
}

/// Shows a result. A result that reports an error ends the command with an exit code.
pub(super) async fn show(
    hub: &Hub,
    terminal: &Terminal,
    tool: &str,
    raw: &str,
    show: Show<'_>,
) -> anyhow::Result<()> {
    let result: CallToolResult = serde_json::from_str(raw)?;
    let media = match show {
        Show::Json => {
            render::json_text(raw)?;
            return match result.is_error {
                true => Err(Ended::silently(code(hub, terminal, tool, &result).await).into()),
                false => Ok(()),
            };
        }
        Show::Plain => Media::Described,
        Show::Saving(folder) => Media::Saved { folder, stem: tool },
    };
    if result.is_error {
        let code = code(hub, terminal, tool, &result).await;
        let ended = Ended::new(code, error_text(&result));
        return Err(hub.with_remedy(tool, ended).into());
    }
    show_content(&result, media)
}

/// Text goes to standard output, and the structured content only if there is no text. Everything
/// else is described on standard error, so that a redirected result is exactly the text.
fn show_content(result: &CallToolResult, media: Media<'_>) -> anyhow::Result<()> {
    let mut before: Option<&str> = None;
    for content in &result.content {
        match content::readable(content, media)? {
            ReadableContent::Remark(words) => render::note(&words),
            ReadableContent::Text(words) if content::is_on_terminal() => {
                match result.structured_content.as_ref().filter(|it| is_same(words, it.get())) {
                    Some(structure) => content::pretty(structure.get())?,
                    None => content::text(words)?,
                }
                before = Some(words);
            }
            ReadableContent::Text(words) => {
                // Two texts must not run into each other.
                if before.is_some_and(|text| !text.is_empty() && !text.ends_with('\n')) {
                    content::piece("\n")?;
                }
                content::piece(words)?;
                before = Some(words);
            }
        }
    }
    match &result.structured_content {
        Some(structure) if before.is_none() => content::pretty(structure.get()),
        _ => Ok(()),
    }
}

/// Structured results repeat their data as text, for older clients.
fn is_same(text: &str, structure: &str) -> bool {
    let (one, other) =
        (serde_json::from_str::<Value>(text), serde_json::from_str::<Value>(structure));
    matches!((one, other), (Ok(one), Ok(other)) if one == other)
}

fn error_text(result: &CallToolResult) -> String {
    let texts: Vec<&str> = result.content.iter().filter_map(Content::as_text).collect();
    match texts.is_empty() {
        true => "the tool reported an error without a message".into(),
        false => texts.join("\n"),
    }
}

/// Whether the tool failed, the call was denied, or the server is unavailable.
async fn code(hub: &Hub, terminal: &Terminal, tool: &str, result: &CallToolResult) -> Code {
    if terminal.has_refused() {
        return Code::Denied;
    }
    if let Some(code) = code_of_refusal(&error_text(result)) {
        return code;
    }
    match server_problem(hub, tool).await {
        Some(_) => Code::Unavailable,
        None => Code::ToolError,
    }
}

/// The error for a tool that is not listed: its server's problem, or else the gateway's answer.
pub(super) async fn unlisted(hub: &Hub, tool: &str, answer: Ended) -> Ended {
    match server_problem(hub, tool).await {
        Some(problem) => Ended::new(Code::Unavailable, problem),
        None => answer,
    }
}

/// The problem of the server that has this tool, if there is one.
async fn server_problem(hub: &Hub, tool: &str) -> Option<String> {
    let server = hub.names().owner(tool).server?;
    let status = hub.status().await.ok()?;
    let server = status.servers.iter().find(|it| it.name == server)?;
    server.is_unusable().then(|| server.sentence())
}
