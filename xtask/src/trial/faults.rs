//! One server is killed, one hangs, one changes a tool: the others go on, each fault is reported.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::home::{CHANGING, Home, is_filled};
use super::hub::Hub;
use super::promises::Promises;
use super::roster::Entry;
use crate::mcp_pipe::SILENT;
use crate::process::quiet;

/// How long a call may take that must start its server first.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a call to a hanging server may take: its configured timeout, plus a margin.
const HANG_TIMEOUT: Duration = Duration::from_secs(40);

/// How long it may take until a change is noticed.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(30);

/// Causes three kinds of faults, one after the other, and records which promises held.
pub(crate) fn all(
    hub: &mut Hub,
    entries: &[Entry],
    home: &Home,
    promises: &mut Promises,
) -> anyhow::Result<()> {
    let mut callable = entries.iter().filter(|entry| entry.call.is_some());
    let (Some(killed), Some(hung), Some(healthy)) =
        (callable.next(), callable.next(), callable.next())
    else {
        eprintln!("three servers with a call are needed for the faults; they are left out");
        return Ok(());
    };
    kill(hub, killed, home, promises)?;
    hang(hub, hung, healthy, home, promises)?;
    change(hub, home, promises)
}

fn kill(hub: &mut Hub, entry: &Entry, home: &Home, promises: &mut Promises) -> anyhow::Result<()> {
    signal("KILL", &processes_of(hub, entry.name)?);
    let begun = Instant::now();
    // The call that finds the server dead may fail; the one after it must succeed.
    let first = call(hub, entry, home);
    let done = first.or_else(|_| call(hub, entry, home));
    promises.outcome(format!("killed: `{}` answers again", entry.name), begun.elapsed(), done);
    Ok(())
}

fn hang(
    hub: &mut Hub,
    entry: &Entry,
    healthy: &Entry,
    home: &Home,
    promises: &mut Promises,
) -> anyhow::Result<()> {
    let stopped = processes_of(hub, entry.name)?;
    signal("STOP", &stopped);
    let begun = Instant::now();
    let done = call(hub, healthy, home);
    let words = format!("hung `{}`: `{}` answers meanwhile", entry.name, healthy.name);
    promises.outcome(words, begun.elapsed(), done);
    let begun = Instant::now();
    let refused = match call_within(hub, entry, home, HANG_TIMEOUT) {
        Ok(()) => Err(anyhow::anyhow!("it answered, although it is stopped")),
        Err(error) if format!("{error:#}").contains(SILENT) => Err(error),
        Err(_) => Ok(()),
    };
    let words = format!("hung `{}`: its call fails in time", entry.name);
    promises.outcome(words, begun.elapsed(), refused);
    signal("CONT", &stopped);
    let begun = Instant::now();
    let done = call(hub, entry, home);
    promises.outcome(
        format!("hung `{}`: answers again afterwards", entry.name),
        begun.elapsed(),
        done,
    );
    Ok(())
}

fn change(hub: &mut Hub, home: &Home, promises: &mut Promises) -> anyhow::Result<()> {
    hub.call(CHANGING, "read", &json!({}), CALL_TIMEOUT).context("before the change")?;
    home.change_tool()?;
    let begun = Instant::now();
    let is_held = |server: &Value| server["name"] == CHANGING && is_filled(&server["quarantined"]);
    let servers = hub.status_until(NOTICE_TIMEOUT, |servers| servers.iter().any(is_held))?;
    let others: Vec<String> = servers
        .iter()
        .filter(|server| server["name"] != CHANGING && is_filled(&server["quarantined"]))
        .map(super::stages::describe)
        .collect();
    let mut broken = others;
    if !servers.iter().any(is_held) {
        broken.push("the changed tool is still offered".into());
    } else if hub.call(CHANGING, "read", &json!({}), CALL_TIMEOUT).is_ok() {
        broken.push("the changed tool can still be called".into());
    }
    let seen = super::promises::seconds(begun.elapsed());
    promises.check("changed: the tool is held back, and no other", seen, broken);
    Ok(())
}

fn call(hub: &mut Hub, entry: &Entry, home: &Home) -> anyhow::Result<()> {
    call_within(hub, entry, home, CALL_TIMEOUT)
}

fn call_within(hub: &mut Hub, entry: &Entry, home: &Home, limit: Duration) -> anyhow::Result<()> {
    let call = entry.call.as_ref().context("no call is known")?;
    hub.call(entry.name, call.tool, &call.arguments(&home.project())?, limit)
}

/// The server's own processes: those that its supervisor has started.
fn processes_of(hub: &mut Hub, name: &str) -> anyhow::Result<Vec<u64>> {
    let servers = hub.status()?;
    let server = servers.iter().find(|server| server["name"] == name);
    let first = server.and_then(|server| server["pid"].as_u64());
    let mut found = vec![first.with_context(|| format!("`{name}` has no process"))?];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let listed = quiet(Command::new("ps").args(["-o", "pid=", "--ppid", &parent.to_string()]));
        let children = listed.unwrap_or_default();
        found.extend(children.split_whitespace().filter_map(|id| id.parse::<u64>().ok()));
        at += 1;
    }
    // The first is the supervisor, which is our own and should not misbehave.
    if found.len() > 1 {
        found.remove(0);
    }
    Ok(found)
}

fn signal(name: &str, processes: &[u64]) {
    for id in processes {
        // A process that has already ended gets no signal.
        let mut kill = Command::new("kill");
        drop(kill.args([&format!("-{name}"), &id.to_string()]).stderr(Stdio::null()).status());
    }
}
