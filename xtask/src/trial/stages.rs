//! The first start with an empty home, and the starts after it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::home::{Home, is_filled};
use super::hub::Hub;
use super::promises::{Promises, seconds};
use super::roster::Entry;

/// How long one call may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// How long all servers may take to restart in the background.
const READY_TIMEOUT: Duration = Duration::from_secs(240);

/// How long a list that is cached may take, on a machine that starts all servers.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// Starts the hub with an empty home: every server must answer, every tool be on the first page.
pub(crate) fn first_start(
    hub: &mut Hub,
    entries: &[Entry],
    limit: Duration,
    promises: &mut Promises,
) -> anyhow::Result<Vec<String>> {
    let begun = Instant::now();
    let (tools, more) = hub.tools(limit + CALL_TIMEOUT)?;
    let took = begun.elapsed();
    let servers = hub.status()?;
    let ready = |server: &&Value| server["phase"] == "ready";
    let greeted = servers.iter().filter(ready).count();
    promises.check(
        "first start: every server was greeted",
        format!("{greeted} of {}", servers.len()),
        servers.iter().filter(|server| !ready(server)).map(describe).collect(),
    );
    let missing = missing_tools(&servers, &tools);
    let broken = missing.into_iter().chain(more.then(|| "there is a second page".to_owned()));
    promises.check(
        "first start: every tool is on the first page",
        format!("{} tools, {}", tools.len(), seconds(took)),
        broken.collect(),
    );
    print_servers(entries, &servers);
    Ok(tools)
}

/// Makes one call to each server that needs no account for it.
pub(crate) fn calls(hub: &mut Hub, entries: &[Entry], home: &Home, promises: &mut Promises) {
    let begun = Instant::now();
    let (mut made, mut broken) = (0, Vec::new());
    for entry in entries {
        let Some(call) = &entry.call else { continue };
        made += 1;
        let done = call
            .arguments(&home.project())
            .and_then(|arguments| hub.call(entry.name, call.tool, &arguments, CALL_TIMEOUT));
        if let Err(error) = done {
            broken.push(format!("{} {}: {error:#}", entry.name, call.tool));
        }
    }
    promises.check(
        "one call to each server that needs no account",
        format!("{} of {made}, {}", made - broken.len(), seconds(begun.elapsed())),
        broken,
    );
}

/// Starts the hub with a full cache: the list must come at once, and no tool may be held back.
pub(crate) fn restart(
    hub: &mut Hub,
    which: &str,
    before: &[String],
    promises: &mut Promises,
) -> anyhow::Result<()> {
    let begun = Instant::now();
    let (tools, _) = hub.tools(CALL_TIMEOUT)?;
    let took = begun.elapsed();
    let late = (took > MAX_WAIT).then(|| format!("it took longer than {MAX_WAIT:?}"));
    promises.check(
        format!("{which}: the list comes at once and is the same"),
        format!("{} tools, {}", tools.len(), seconds(took)),
        differences(before, &tools).into_iter().chain(late).collect(),
    );
    let all_ready = |servers: &[Value]| servers.iter().all(|server| server["phase"] == "ready");
    let servers = hub.status_until(READY_TIMEOUT, all_ready)?;
    let begun_again = servers.iter().filter(|server| server["phase"] == "ready").count();
    promises.check(
        format!("{which}: every server runs again"),
        format!("{begun_again} of {}, {}", servers.len(), seconds(begun.elapsed())),
        servers.iter().filter(|server| server["phase"] != "ready").map(describe).collect(),
    );
    let held: Vec<String> =
        servers.iter().filter(|it| is_filled(&it["quarantined"])).map(describe).collect();
    let (tools, _) = hub.tools(CALL_TIMEOUT)?;
    promises.check(
        format!("{which}: nothing is held back"),
        format!("{} servers with tools held back", held.len()),
        held.into_iter().chain(differences(before, &tools)).collect(),
    );
    Ok(())
}

/// Servers that have more tools than the page lists.
fn missing_tools(servers: &[Value], tools: &[String]) -> Vec<String> {
    let short = |server: &Value| {
        let name = server["name"].as_str().unwrap_or_default();
        let head = format!("mcp__{name}__");
        let shown = tools.iter().filter(|tool| tool.starts_with(&head)).count();
        let has = server["tools"].as_u64().unwrap_or_default();
        (u64::try_from(shown).unwrap_or(u64::MAX) < has || has == 0)
            .then(|| format!("{name}: {shown} of {has} tools"))
    };
    servers.iter().filter_map(short).collect()
}

fn differences(before: &[String], now: &[String]) -> Vec<String> {
    let (before, now): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), now.iter().collect());
    let gone = before.difference(&now).map(|name| format!("gone: {name}"));
    let new = now.difference(&before).map(|name| format!("new: {name}"));
    gone.chain(new).take(20).collect()
}

/// A server in one line.
pub(crate) fn describe(server: &Value) -> String {
    let words = |key: &str| server[key].as_str().unwrap_or_default().to_owned();
    let held = if is_filled(&server["quarantined"]) {
        format!(" held back: {}", server["quarantined"])
    } else {
        String::new()
    };
    format!("{} {}: {}{held}", words("name"), words("phase"), words("reason"))
}

fn print_servers(entries: &[Entry], servers: &[Value]) {
    println!(
        "{:<20} {:<14} {:>5} {:>9} {:>7}  REVISION",
        "SERVER", "STATE", "TOOLS", "RESOURCES", "PROMPTS"
    );
    for server in servers {
        let known = entries.iter().any(|entry| server["name"] == entry.name);
        let count = |key: &str| server[key].as_u64().unwrap_or_default();
        println!(
            "{:<20} {:<14} {:>5} {:>9} {:>7}  {}{}",
            server["name"].as_str().unwrap_or_default(),
            server["phase"].as_str().unwrap_or_default(),
            count("tools"),
            count("resources"),
            count("prompts"),
            server["revision"].as_str().unwrap_or("-"),
            if known { "" } else { " (ours)" },
        );
    }
}
