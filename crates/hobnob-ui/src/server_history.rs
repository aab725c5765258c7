//! What the page shows of each server over time: its last changes, how fast it answered lately, and
//! what its processes use.
//!
//! `api/histories` reads it; the hub knows the changes and the processes, the feed knows the calls.
//! What must stay true: it is read only for a page that shows it.

use crate::feed::CallFeed;
use crate::health::ProcessUse;
use crate::ports::PageSource;
use crate::server_calls::CallsSum;
use hobnob_gateway::PhaseChange;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// How far back the changes in the list of all servers reach.
const LISTED_HOURS: i64 = 1;

/// One server over time, as the page reads it.
#[derive(Serialize)]
pub(crate) struct ServerHistoryJson {
    name: Box<str>,
    /// Its changes of phase, the oldest first.
    changes: Vec<PhaseChange>,
    /// Its calls of the last quarter of an hour, if there were any.
    calls: Option<CallsSum>,
    /// Only of a server that runs on this machine.
    process: Option<ProcessUse>,
}

/// All servers over time, as the page reads them.
#[derive(Serialize)]
pub(crate) struct ServerHistoriesJson {
    /// When this was read, by the hub's clock.
    now: Timestamp,
    /// From when on calls are counted, if that is less than a quarter of an hour ago.
    calls_since: Option<Timestamp>,
    servers: Vec<ServerHistoryJson>,
}

/// The changes that a band of the last hour needs: without reasons, and with the one before.
pub(crate) fn all_servers(source: &dyn PageSource, feed: &CallFeed) -> ServerHistoriesJson {
    let now = Timestamp::now();
    let start = now.saturating_sub(SignedDuration::from_hours(LISTED_HOURS)).unwrap_or(now);
    let mut all = read(source, feed, now, None);
    for server in &mut all.servers {
        let before = server.changes.iter().rposition(|change| change.at < start);
        server.changes.drain(..before.unwrap_or(0));
        server.changes.iter_mut().for_each(|change| change.reason = None);
    }
    all
}

/// One server, with the reason of each change.
pub(crate) fn one_server(
    source: &dyn PageSource,
    feed: &CallFeed,
    name: &str,
) -> ServerHistoriesJson {
    read(source, feed, Timestamp::now(), Some(name))
}

fn read(
    source: &dyn PageSource,
    feed: &CallFeed,
    now: Timestamp,
    wanted: Option<&str>,
) -> ServerHistoriesJson {
    let (mut changes, mut processes) = (source.server_changes(), source.processes());
    let (mut calls, calls_since) = feed.server_calls(now);
    let names = source.status().servers.into_iter().map(|server| Box::<str>::from(server.name));
    let names = names.filter(|name| wanted.is_none_or(|wanted| **name == *wanted));
    let servers = names.map(|name| ServerHistoryJson {
        changes: changes.remove(&name).unwrap_or_default(),
        calls: calls.remove(&name),
        process: processes.remove(&name),
        name,
    });
    ServerHistoriesJson { now, calls_since, servers: servers.collect() }
}
