//! All servers start at once with an empty home, on an overloaded machine: all of them must be
//! ready in time, without a person's help.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::home::Setup;
use super::hub::Hub;
use super::load::Load;
use super::prepared::Prepared;
use super::promises::{Promises, seconds};
use super::remains::wait_for_end;

/// The number of busy threads besides the servers.
const BUSY_THREADS: usize = 16;

/// How long all servers may take.
const READY_TIMEOUT: Duration = Duration::from_secs(180);

/// How long to wait, to see when late servers are ready.
const LIMIT: Duration = Duration::from_secs(600);

/// The interval at which the status is read.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How long the hub may stay after its client.
const EXIT_TIMEOUT: Duration = Duration::from_secs(60);

/// States that last until a person acts, or for a while after failures.
const FAILURES: [&str; 6] =
    ["failed", "resting", "misconfigured", "needs-approval", "needs-login", "refused"];

/// When each server was ready, and how it failed before.
#[derive(Default)]
struct Seen {
    ready: BTreeMap<String, Duration>,
    failures: BTreeMap<String, String>,
}

/// Starts everything, prints when each server was ready, and records which promises held.
pub(crate) fn all(prepared: &Prepared, promises: &mut Promises) -> anyhow::Result<()> {
    let home = prepared.home("storm", Setup::Unchanged)?;
    let load = Load::start(BUSY_THREADS);
    let begun = Instant::now();
    let mut hub = Hub::start(&mut home.hobnob(), &home.log())?;
    let (tools, _) = hub.tools(LIMIT)?;
    let first_list = begun.elapsed();
    let seen = watch(&mut hub, prepared.entries.len(), begun)?;
    let took = begun.elapsed();
    drop(load);
    hub.stop()?;
    let (gone_after, left) = wait_for_end(home.folder(), EXIT_TIMEOUT);

    println!("{:<20} {:>8}  FAILED MEANWHILE", "SERVER", "READY");
    for entry in &prepared.entries {
        let ready = seen.ready.get(entry.name).map_or("never".into(), |time| seconds(*time));
        let failed = seen.failures.get(entry.name).map_or("", String::as_str);
        println!("{:<20} {ready:>8}  {failed}", entry.name);
    }
    promises.check(
        "storm: the first list comes while all start",
        format!("{} tools, {}", tools.len(), seconds(first_list)),
        tools.is_empty().then(|| "no tools".to_owned()).into_iter().collect(),
    );
    let late = prepared.entries.iter().filter_map(|entry| match seen.ready.get(entry.name) {
        None => Some(format!("{} was never ready", entry.name)),
        Some(time) if READY_TIMEOUT < *time => Some(format!("{}: {}", entry.name, seconds(*time))),
        Some(_) => None,
    });
    promises.check(
        format!("storm: all ready within {} minutes", READY_TIMEOUT.as_secs() / 60),
        format!("{} of {}, {}", seen.ready.len(), prepared.entries.len(), seconds(took)),
        late.collect(),
    );
    let failed = seen.failures.iter().map(|(name, why)| format!("{name} {why}"));
    let count = format!("{} failures", seen.failures.len());
    promises.check("storm: none failed meanwhile", count, failed.collect());
    promises.check("storm: nothing is left afterwards", seconds(gone_after), left);
    Ok(())
}

/// Polls the status until all servers have been ready once.
fn watch(hub: &mut Hub, count: usize, begun: Instant) -> anyhow::Result<Seen> {
    let mut seen = Seen::default();
    while seen.ready.len() < count && begun.elapsed() < LIMIT {
        for server in hub.status()? {
            let word = |key: &str| server[key].as_str().unwrap_or_default();
            let (name, phase) = (word("name").to_owned(), word("phase"));
            if is_ready(&server) {
                seen.ready.entry(name).or_insert_with(|| begun.elapsed());
            } else if FAILURES.contains(&phase) {
                seen.failures.entry(name).or_insert_with(|| format!("{phase}: {}", word("reason")));
            }
        }
        thread::sleep(POLL_INTERVAL);
    }
    Ok(seen)
}

/// Whether a server's handshake is done and its tools are listed.
fn is_ready(server: &Value) -> bool {
    server["phase"] == "ready" && server["tools"].as_u64().is_some_and(|count| 0 < count)
}
