//! What a call brought: shown, and told as an exit code.

use crate::content::{self, Media};
use crate::exit::{Code, Ended};
use crate::hub::{Hub, code_of_refusal};
use crate::render;
use crate::terminal::Terminal;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::tools::CallToolResult;
use serde_json::Value;
use std::path::Path;

/// How it is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum Show<'a> {
    /// The whole result, for programs.
    Json,
    /// For people.
    Plain,
    /// For people, and media are kept in this folder.
    Saving(&'a Path),
}

/// Shows a result. One that reports an error ends the command with the code for it.
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
                true => Err(Ended::quietly(code(hub, terminal, tool, &result).await).into()),
                false => Ok(()),
            };
        }
        Show::Plain => Media::Described,
        Show::Saving(folder) => Media::Saved { folder, stem: tool },
    };
    if result.is_error {
        let code = code(hub, terminal, tool, &result).await;
        return Err(Ended::new(code, words(&result)).into());
    }
    for piece in &result.content {
        if !repeats_structure(piece, &result) {
            content::show(piece, media)?;
        }
    }
    match &result.structured_content {
        Some(structure) => content::pretty(structure.get()),
        None => Ok(()),
    }
}

/// Results with structure carry it as text too, for clients that only know that.
fn repeats_structure(piece: &Content, result: &CallToolResult) -> bool {
    let (Some(text), Some(structure)) = (piece.as_text(), &result.structured_content) else {
        return false;
    };
    let same = |one: &str, other: &str| {
        let (one, other) =
            (serde_json::from_str::<Value>(one), serde_json::from_str::<Value>(other));
        matches!((one, other), (Ok(one), Ok(other)) if one == other)
    };
    same(text, structure.get())
}

fn words(result: &CallToolResult) -> String {
    let texts: Vec<&str> = result.content.iter().filter_map(Content::as_text).collect();
    match texts.is_empty() {
        true => "the tool reports an error without a word".into(),
        false => texts.join("\n"),
    }
}

/// Whether the tool itself failed, or was not let run, or its server cannot be used.
async fn code(hub: &Hub, terminal: &Terminal, tool: &str, result: &CallToolResult) -> Code {
    if terminal.said_no() {
        return Code::Denied;
    }
    if let Some(code) = code_of_refusal(&words(result)) {
        return code;
    }
    match trouble_of(hub, tool).await {
        Some(_) => Code::Unavailable,
        None => Code::ToolError,
    }
}

/// A name of a server of ours that is not listed, and what the gateway said about it.
pub(super) async fn unlisted(hub: &Hub, tool: &str, said: Ended) -> Ended {
    match trouble_of(hub, tool).await {
        Some(trouble) => Ended::new(Code::Unavailable, trouble),
        None => said,
    }
}

/// What is wrong with the server that has this tool, if something is.
async fn trouble_of(hub: &Hub, tool: &str) -> Option<String> {
    let server = hub.names().owner(tool).server?;
    let status = hub.status().await.ok()?;
    let server = status.servers.iter().find(|it| it.name == server)?;
    server.is_in_trouble().then(|| server.sentence())
}
