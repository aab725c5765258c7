//! Each server learns its sandbox with `hobnob sandbox learn` and then runs in it: it must list the
//! same tools and answer the same call.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;

use super::home::{Home, Setup};
use super::hub::Hub;
use super::prepared::Prepared;
use super::promises::{Promises, seconds};
use super::roster::Entry;

/// How long watching one server may take.
const LEARN_TIMEOUT: Duration = Duration::from_secs(180);

/// How long all servers may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(600);

/// How long one call may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The full tool definitions of each server.
type Definitions = BTreeMap<String, Vec<Value>>;

/// The results of one server.
struct Row {
    name: &'static str,
    learnt: anyhow::Result<String>,
    /// Why it does not run in its sandbox, if it does not.
    phase: Option<String>,
    lists: Result<usize, String>,
    call: Option<anyhow::Result<()>>,
}

/// Learns all sandboxes, starts all servers in them, and records the differences.
pub(crate) fn all(
    prepared: &Prepared,
    first_list_wait: Duration,
    promises: &mut Promises,
) -> anyhow::Result<()> {
    let home = prepared.home("sandbox", Setup::Eager { first_list_wait })?;
    let mut hub = Hub::start(&mut home.hobnob(), &home.log())?;
    let servers = hub.status_until(START_TIMEOUT, have_ended)?;
    let before = definitions(&mut hub, &prepared.entries, first_list_wait + TIMEOUT)?;
    hub.stop()?;
    let unready = servers.iter().filter(|server| server["phase"] != "ready");
    let unready: Vec<String> = unready.map(super::stages::describe).collect();
    let seen = format!("{} of {}", servers.len() - unready.len(), servers.len());
    promises.check("sandbox: every server runs without one", seen, unready);

    let begun = Instant::now();
    let mut learnt: Vec<_> =
        prepared.entries.iter().map(|entry| (entry, learn(entry, &home))).collect();
    let broken = learnt.iter().filter_map(|(entry, learnt)| {
        learnt.as_ref().err().map(|error| format!("{}: {error:#}", entry.name))
    });
    let seen = format!("{} servers, {}", learnt.len(), seconds(begun.elapsed()));
    promises.check("sandbox: every server can be watched", seen, broken.collect());

    let mut hub = Hub::start(&mut home.hobnob(), &home.log())?;
    let servers = hub.status_until(START_TIMEOUT, have_ended)?;
    let now = definitions(&mut hub, &prepared.entries, TIMEOUT)?;
    let rows: Vec<Row> = learnt
        .drain(..)
        .map(|(entry, learnt)| Row {
            name: entry.name,
            learnt,
            phase: trouble(&servers, entry.name),
            lists: compared(&before, &now, entry.name),
            call: call(&mut hub, entry, &home),
        })
        .collect();
    hub.stop()?;
    print(&rows);
    judge(&rows, promises);
    Ok(())
}

/// Whether no server is starting or still has to start.
fn have_ended(servers: &[Value]) -> bool {
    let waiting = ["unknown", "sleeping", "starting", "installing"];
    !servers.iter().any(|server| waiting.iter().any(|it| server["phase"] == *it))
}

/// Watches one server and has its sandbox written; returns a summary of the sandbox.
fn learn(entry: &Entry, home: &Home) -> anyhow::Result<String> {
    let mut words = vec!["sandbox".into(), "learn".into(), entry.name.to_owned(), "--yes".into()];
    if let Some(call) = &entry.call {
        let arguments = call.arguments(&home.project())?;
        words.extend(["--call".to_owned(), format!("{} {arguments}", call.tool)]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let learnt = home.asked(&words, LEARN_TIMEOUT)?;
    anyhow::ensure!(learnt["written"] == true, "it was not written: {learnt}");
    eprintln!("{}: {learnt}", entry.name);
    let count = |key: &str| learnt[key].as_array().map_or(0, Vec::len);
    let mut short = format!("reads {}, writes {}", count("read"), count("write"));
    for (key, words) in [("secrets", "secrets"), ("sockets", "sockets"), ("refused", "refused")] {
        if 0 < count(key) {
            short.push_str(&format!(", {words} {}", count(key)));
        }
    }
    if learnt["network"] == true {
        short.push_str(", network");
    }
    Ok(short)
}

/// All tool definitions, by server.
fn definitions(hub: &mut Hub, entries: &[Entry], limit: Duration) -> anyhow::Result<Definitions> {
    let tools = hub.definitions(limit)?;
    let of = |entry: &Entry| {
        let head = format!("mcp__{}__", entry.name);
        let belongs = |tool: &&Value| tool["name"].as_str().is_some_and(|it| it.starts_with(&head));
        (entry.name.to_owned(), tools.iter().filter(belongs).cloned().collect())
    };
    Ok(entries.iter().map(of).collect())
}

/// Why a server does not run in a full sandbox, if it does not.
fn trouble(servers: &[Value], name: &str) -> Option<String> {
    let Some(server) = servers.iter().find(|server| server["name"] == name) else {
        return Some("the status does not have it".into());
    };
    if server["phase"] != "ready" {
        return Some(super::stages::describe(server));
    }
    (server["sandbox"] != "full").then(|| format!("its sandbox is {}", server["sandbox"]))
}

/// The number of its tools, if they are the same as before.
fn compared(before: &Definitions, now: &Definitions, name: &str) -> Result<usize, String> {
    let (before, now) = (before.get(name), now.get(name));
    let (Some(before), Some(now)) = (before, now) else { return Err("it is not listed".into()) };
    let differs = before.iter().zip(now).find(|(before, now)| words_of(before) != words_of(now));
    match differs {
        _ if before.len() != now.len() => Err(format!("{} → {} tools", before.len(), now.len())),
        _ if now.is_empty() => Err("it has no tools".into()),
        Some((before, now)) => Err(format!("{before} → {now}")),
        None => Ok(now.len()),
    }
}

/// The sorted words of a definition: `atlassian` lists the members of a set in varying order.
fn words_of(definition: &Value) -> Vec<String> {
    let text = definition.to_string();
    let words = text.split(|it: char| !it.is_alphanumeric()).map(str::to_owned);
    let mut words: Vec<String> = words.collect();
    words.sort_unstable();
    words
}

fn call(hub: &mut Hub, entry: &Entry, home: &Home) -> Option<anyhow::Result<()>> {
    let call = entry.call.as_ref()?;
    let arguments = call.arguments(&home.project());
    let done = arguments.and_then(|arguments| hub.call(entry.name, call.tool, &arguments, TIMEOUT));
    Some(done.with_context(|| call.tool))
}

fn print(rows: &[Row]) {
    println!("{:<20} {:<40} {:<12} {:<10} CALL", "SERVER", "LEARNT", "RUNS", "LISTS");
    for row in rows {
        let learnt = row.learnt.as_deref().unwrap_or("failed");
        let runs = if row.phase.is_none() { "in full" } else { "no" };
        let lists =
            row.lists.as_ref().map_or_else(|_| "differ".into(), |count| format!("{count} same"));
        let call = row.call.as_ref().map_or("-", |call| if call.is_ok() { "ok" } else { "failed" });
        println!("{:<20} {learnt:<40} {runs:<12} {lists:<10} {call}", row.name);
    }
}

fn judge(rows: &[Row], promises: &mut Promises) {
    let seen = |broken: &[String], of: usize| format!("{} of {of}", of - broken.len());
    let runs: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(format!("{}: {}", row.name, row.phase.as_ref()?)))
        .collect();
    promises.check("sandbox: every server runs in what it learnt", seen(&runs, rows.len()), runs);
    let lists: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(format!("{}: {}", row.name, row.lists.as_ref().err()?)))
        .collect();
    promises.check("sandbox: every list is the same", seen(&lists, rows.len()), lists);
    let called = rows.iter().filter(|row| row.call.is_some()).count();
    let calls: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let error = row.call.as_ref()?.as_ref().err()?;
            Some(format!("{}: {error:#}", row.name))
        })
        .collect();
    promises.check("sandbox: every call succeeds", seen(&calls, called), calls);
}
