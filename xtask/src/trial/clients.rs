//! Other projects' clients, each with a fresh hub on a busy machine: the first look must succeed,
//! the second must show all tools, and no process may be left afterwards.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::home::{Home, Setup};
use super::load::Load;
use super::looks::{Client, Look};
use super::prepared::Prepared;
use super::promises::{Promises, seconds};
use super::remains::wait_for_end;
use crate::peers::Roster;

/// How long the background hub may take for its first starts.
const FIRST_STARTS_TIMEOUT: Duration = Duration::from_secs(180);

/// How long the background hub may stay after its last client.
const EXIT_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a query to the hub may take.
const QUERY_TIMEOUT: Duration = Duration::from_secs(60);

/// The interval at which the state of the first starts is polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The results of one client.
struct Row {
    client: &'static str,
    first: anyhow::Result<Look>,
    first_starts: Duration,
    /// The number of tools according to the hub, and the servers that are not ready.
    expected: usize,
    unready: Vec<String>,
    second: anyhow::Result<Look>,
    gone_after: Duration,
    left: Vec<String>,
}

/// Tries one client after the other: all, or those whose names contain one of these words.
pub(crate) fn all(
    prepared: &Prepared,
    peers: &Roster,
    only: &[String],
    promises: &mut Promises,
) -> anyhow::Result<()> {
    let wanted = |client: &Client| {
        let name = client.name().to_lowercase();
        only.is_empty() || only.iter().any(|word| name.contains(&word.to_lowercase()))
    };
    let rows: Vec<Row> = Client::ALL
        .into_iter()
        .filter(wanted)
        .map(|client| one(client, prepared, peers))
        .collect::<anyhow::Result<_>>()?;
    print(&rows);
    judge(&rows, promises);
    Ok(())
}

fn one(client: Client, prepared: &Prepared, peers: &Roster) -> anyhow::Result<Row> {
    let home = prepared.home("clients", Setup::Unchanged)?;
    let load = Load::on_every_processor();
    let first = client.look(&home, peers);
    let begun = Instant::now();
    let servers = first_starts(&home, begun + FIRST_STARTS_TIMEOUT)?;
    let first_starts = begun.elapsed();
    let second = client.look(&home, peers);
    let (gone_after, left) = wait_for_end(home.folder(), EXIT_TIMEOUT);
    drop(load);
    // A hub that ends late must not disturb the next client.
    let (_, lasting) = wait_for_end(home.folder(), EXIT_TIMEOUT);
    anyhow::ensure!(lasting.is_empty(), "still running: {}", lasting.join("; "));
    let expected = servers.iter().filter_map(|server| server["tools"].as_u64()).sum::<u64>();
    let is_unready = |server: &&Value| server["tools"].as_u64().unwrap_or_default() == 0;
    let row = Row {
        client: client.name(),
        first,
        first_starts,
        expected: usize::try_from(expected)?,
        unready: servers.iter().filter(is_unready).map(super::stages::describe).collect(),
        second,
        gone_after,
        left,
    };
    eprintln!("{}", described(&row));
    for error in [&row.first, &row.second].into_iter().filter_map(|look| look.as_ref().err()) {
        eprintln!("    {error:#}");
    }
    Ok(row)
}

/// Waits until the background hub has finished its first starts.
fn first_starts(home: &Home, end: Instant) -> anyhow::Result<Vec<Value>> {
    loop {
        // A query that a busy hub does not answer in time is repeated.
        let status = home.asked(&["status"], QUERY_TIMEOUT);
        let is_late = end <= Instant::now();
        if status.is_err() && !is_late {
            continue;
        }
        let servers = status?["servers"].as_array().cloned().unwrap_or_default();
        let is_going_on = |server: &Value| {
            ["unknown", "starting", "installing"].iter().any(|it| server["phase"] == *it)
        };
        if is_late || !servers.iter().any(is_going_on) {
            return Ok(servers);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// The number of the servers' tools, without Hobnob's own.
fn of_servers(look: &Look) -> usize {
    look.tools.iter().filter(|name| name.starts_with("mcp__")).count()
}

fn described(row: &Row) -> String {
    let look = |look: &anyhow::Result<Look>| match look {
        Ok(look) => {
            let connected = look.connected.map_or("-".into(), |time| format!("{time:.1} s"));
            let (count, listed) = (of_servers(look), look.listed);
            format!("{connected:>9} {:>8} {count:>6}", format!("{listed:.1} s"))
        }
        Err(_) => format!("{:>9} {:>8} {:>6}", "failed", "-", "-"),
    };
    let (starts, gone) = (seconds(row.first_starts), seconds(row.gone_after));
    let second = look(&row.second);
    format!("{:<20} {} {starts:>9} {second} {gone:>9}", row.client, look(&row.first))
}

fn print(rows: &[Row]) {
    let look = format!("{:>9} {:>8} {:>6}", "CONNECTED", "LISTED", "TOOLS");
    println!("{:<20} {look} {:>9} {look} {:>9}", "CLIENT", "STARTS", "GONE");
    for row in rows {
        println!("{}", described(row));
    }
}

fn judge(rows: &[Row], promises: &mut Promises) {
    let seen = |broken: &[String]| format!("{} of {}", rows.len() - broken.len(), rows.len());
    let mut check = |words: &str, broken: &dyn Fn(&Row) -> Option<String>| {
        let broken =
            rows.iter().filter_map(|row| Some(format!("{}: {}", row.client, broken(row)?)));
        let broken: Vec<String> = broken.collect();
        promises.check(words, seen(&broken), broken);
    };
    check("clients: connected with tools at the first look", &|row| match &row.first {
        Err(error) => Some(format!("{error:#}")),
        Ok(look) => look.tools.is_empty().then(|| "no tools".into()),
    });
    check("clients: all first starts succeed", &|row| {
        (!row.unready.is_empty()).then(|| row.unready.join("; "))
    });
    check("clients: all tools at the second look", &|row| match &row.second {
        Err(error) => Some(format!("{error:#}")),
        Ok(look) if of_servers(look) == row.expected => None,
        Ok(look) => Some(format!("{} of {} tools", of_servers(look), row.expected)),
    });
    check("clients: nothing is left 60 seconds after the last client", &|row| {
        (!row.left.is_empty()).then(|| row.left.join("; "))
    });
}
