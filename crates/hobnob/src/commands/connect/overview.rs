//! Lists the clients that Hobnob can connect to, and which of them are connected.
//!
//! `hobnob connect` without a client shows the list. Files are only read.

use super::args::NAME;
use hobnob_config::Places;
use hobnob_config::clients::{ClientFolders, ClientProgram, ClientScope};
use hobnob_config::connect::is_connected;
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table, Tone};
use serde::Serialize;
use std::path::PathBuf;

/// One file, as `--json` prints it.
#[derive(Debug, Serialize)]
struct ClientFile {
    client: &'static str,
    /// As `--scope` spells it.
    scope: &'static str,
    file: PathBuf,
    /// `connected`, `not connected`, `no file` or `broken`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(super) fn show(places: &Places, folders: &ClientFolders, output: Output) -> anyhow::Result<()> {
    let mut files = Vec::new();
    for client in ClientProgram::ALL {
        for (scope, word) in [(ClientScope::User, "user"), (ClientScope::Project, "project")] {
            let in_home = word == "project" && places.project_mcp_json().is_none();
            if let Some(file) = client.file(scope, folders).filter(|_| !in_home) {
                files.push(state(client, word, file));
            }
        }
    }
    if output == Output::Json {
        return render::json(&files);
    }
    // Most clients have no file in a project, so a missing one is not worth a line.
    files.retain(|file| file.scope == "user" || file.state != "no file");
    let mut table = Table::new(&["CLIENT", "SCOPE", "STATE", "FILE"]);
    for file in &files {
        let tone = match file.state {
            "connected" => Tone::Good,
            "broken" => Tone::Bad,
            _ => Tone::Dim,
        };
        table.row([
            Cell::from(file.client),
            Cell::from(file.scope),
            Cell::toned(tone, file.state),
            Cell::from(file.file.display().to_string()),
        ]);
    }
    render::text(&table.to_text())?;
    files.iter().filter_map(|file| file.problem.as_deref()).for_each(render::warn);
    render::note("connect one with: hobnob connect CLIENT");
    Ok(())
}

fn state(client: ClientProgram, scope: &'static str, file: PathBuf) -> ClientFile {
    let (state, problem) = match is_connected(client, &file, NAME) {
        Ok(true) => ("connected", None),
        Ok(false) if file.exists() => ("not connected", None),
        Ok(false) => ("no file", None),
        Err(problem) => ("broken", Some(problem.to_string())),
    };
    ClientFile { client: client.word(), scope, file, state, problem }
}
