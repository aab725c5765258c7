//! `hobnob status`: the state of each server, and the reason for it. `main` runs it.
//!
//! What must stay true: it starts no server.

use super::grants::grants_table;
use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_hub};
use clap::Args;
use hobnob_hub::grants::GrantOverview;
use hobnob_terminal::hub::{Hub, Needs};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::relative;
use hobnob_terminal::render::{self, Cell, Table, Tone};
use hobnob_terminal::terminal::{Consent, Terminal};
use hobnob_text::shell_word;
use serde_json::Value;

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {}

pub(crate) fn run(_args: StatusArgs, context: &CommandContext) -> anyhow::Result<()> {
    let options = HubOptions {
        needs: Needs::Knowledge,
        consent: Consent::Ask,
        message: "reading the status",
    };
    with_hub(context, &options, async |hub: &Hub, terminal: &Terminal| {
        let mut status = hub.full_status().await?;
        // Read the file, since a client must not learn from the hub what is granted to others.
        let granted = GrantOverview::read(&context.places.detect()?);
        terminal.spinner.clear();
        match context.output {
            Output::Json => {
                status["services"] = serde_json::to_value(&granted.services)?;
                if !granted.memory.is_empty() {
                    let roles = granted.memory.iter().map(|role| role.text.as_str());
                    status["memory"] = roles.collect();
                }
                render::json(&status)
            }
            Output::People => show(&status, &granted),
        }
    })
}

fn show(status: &Value, granted: &GrantOverview) -> anyhow::Result<()> {
    let text = |key: &str| status[key].as_str().unwrap_or_default();
    match status["running"] == true {
        true => render::line(&format!(
            "hobnob {} serves {} (process {})",
            text("version"),
            text("project"),
            status["pid"]
        ))?,
        false => render::line(&format!(
            "hobnob serve is not running for {}; servers start when they are needed",
            text("project")
        ))?,
    }
    let servers = status["servers"].as_array().map(Vec::as_slice).unwrap_or_default();
    if servers.is_empty() {
        render::note(
            "no servers are configured; add one with `hobnob add`, or run `hobnob import`",
        );
    } else {
        render::line("")?;
        render::text(&table(servers).to_text())?;
    }
    if !granted.is_untouched() {
        render::line("")?;
        render::text(&grants_table(granted).to_text())?;
    }
    problems(status, servers)
}

fn table(servers: &[Value]) -> Table {
    let mut table = Table::new(&[
        "SERVER",
        "STATE",
        "TOOLS",
        "RESOURCES",
        "PROMPTS",
        "TRANSPORT",
        "REVISION",
        "PROCESS",
        "UP",
        "WHY",
    ])
    .optional(&["REVISION", "PROCESS", "TRANSPORT", "UP", "RESOURCES", "PROMPTS"]);
    for server in servers {
        let text = |key: &str| server[key].as_str().unwrap_or_default();
        let number = |key: &str| server[key].as_u64().map(|it| it.to_string()).unwrap_or_default();
        table.row([
            Cell::from(text("name")),
            Cell::toned(tone(text("phase")), text("phase")),
            Cell::from(number("tools")),
            Cell::from(number("resources")),
            Cell::from(number("prompts")),
            Cell::from(transport(server)),
            Cell::from(text("revision")),
            Cell::from(number("pid")),
            Cell::from(server["uptime_seconds"].as_u64().map(render::span).unwrap_or_default()),
            Cell::from(why(server)),
        ]);
    }
    table
}

/// The transport of the server, and the level of its sandbox.
fn transport(server: &Value) -> String {
    let transport = server["transport"].as_str().unwrap_or_default();
    match server["sandbox"].as_str() {
        Some(level) => format!("{transport}, sandbox: {level}"),
        None => transport.to_owned(),
    }
}

/// Why the server is in its state, and since when if it failed.
fn why(server: &Value) -> String {
    let reason = server["reason"].as_str().unwrap_or_default();
    if server["login"]["logged_in"] == true && server["phase"] != "needs-login" {
        let login = login(&server["login"]);
        return if reason.is_empty() { login } else { format!("{reason}; {login}") };
    }
    let failed = matches!(server["phase"].as_str(), Some("failed" | "resting"));
    match server["failed_at"].as_str().filter(|_| failed) {
        Some(at) => format!("{reason} ({})", relative(at)),
        None => reason.to_owned(),
    }
}

/// What is known of a login.
fn login(login: &Value) -> String {
    match (login["expires_in_seconds"].as_u64(), login["renews"] == true) {
        (Some(left), true) => format!("logged in; renewed in {}", render::span(left)),
        (Some(left), false) => format!("logged in; the login expires in {}", render::span(left)),
        (None, _) => "logged in".into(),
    }
}

fn tone(phase: &str) -> Tone {
    match phase {
        "ready" => Tone::Good,
        "starting" | "installing" | "sleeping" | "stopped" | "unknown" => Tone::Plain,
        "disabled" => Tone::Dim,
        "needs-approval" | "needs-login" => Tone::Warn,
        _ => Tone::Bad,
    }
}

/// Prints problems and hints below the table.
fn problems(status: &Value, servers: &[Value]) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    let texts = |value: &Value| -> Vec<String> {
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    lines.extend(texts(&status["problems"]));
    for server in servers {
        let name = server["name"].as_str().unwrap_or_default();
        if let Some(hint) = server["hint"].as_str()
            && server["phase"] != "disabled"
        {
            lines.push(format!("{name}: try: {hint}"));
        }
        lines.extend(texts(&server["warnings"]).iter().map(|it| format!("{name}: {it}")));
        let held = texts(&server["quarantined"]);
        if !held.is_empty() {
            let held = held.join(", ");
            lines.push(format!(
                "{name}: held back until you approve them (hobnob approve {}): {held}",
                shell_word(name)
            ));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    render::line("")?;
    lines.iter().try_for_each(|line| render::line(line))
}
