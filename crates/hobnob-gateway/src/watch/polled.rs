//! Chooses the resources to poll where servers report no changes: a bounded number, without those
//! that cannot be read. Pure: the caller passes in the clock and does the reading.

use crate::uris::PublicUris;
use crate::watch::pace::Proof;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The most resources polled at once, per server and in all.
const MAX_PER_SERVER: usize = 256;
const MAX_POLLED: usize = 1024;

/// After this many refused reads in a row, a resource is given up.
pub(crate) const MAX_REFUSALS: u32 = 3;

/// How long a resource stays given up while clients keep watching it.
const REST: Duration = Duration::from_secs(600);

/// The most resources remembered as given up; beyond that, some are tried again too early.
const MAX_GIVEN_UP: usize = 4096;

/// The resources that are polled, by public URI.
#[derive(Debug, Default)]
pub(crate) struct PolledResources {
    running: BTreeMap<Box<str>, RunningPoll>,
    given_up: BTreeMap<Box<str>, Instant>,
}

#[derive(Debug)]
struct RunningPoll {
    server: Box<str>,
    proof: Proof,
    stop: CancellationToken,
}

/// A watched resource. In this order, resources that are known to exist come first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// Whether its server lists it.
    pub(crate) proof: Proof,
    /// The public address of the resource.
    pub(crate) uri: Box<str>,
}

/// A poll that the caller has to start.
#[derive(Debug)]
pub(crate) struct StartedPoll {
    /// The public address of the resource.
    pub(crate) uri: Box<str>,
    pub(crate) proof: Proof,
    /// Cancelled when no client watches the resource any more.
    pub(crate) stop: CancellationToken,
}

impl PolledResources {
    /// Stops polls of this server's resources that are no longer wanted; returns those to start.
    pub(crate) fn choose(
        &mut self,
        server: &str,
        own: &PublicUris,
        wanted: &BTreeSet<Candidate>,
        now: Instant,
    ) -> Vec<StartedPoll> {
        let uris: BTreeSet<&str> = wanted.iter().map(|it| &*it.uri).collect();
        self.running.retain(|uri, running| {
            let keep = *running.server != *server || uris.contains(&**uri);
            if !keep {
                running.stop.cancel();
            }
            keep
        });
        // A client that subscribes anew gives the resource another chance.
        self.given_up.retain(|uri, until| {
            now < *until && (own.original(uri).is_none() || uris.contains(&**uri))
        });
        let mut of_server = self.running.values().filter(|it| *it.server == *server).count();
        let mut begun = Vec::new();
        for Candidate { proof, uri } in wanted {
            if self.running.contains_key(uri) || self.given_up.contains_key(uri) {
                continue;
            }
            if MAX_PER_SERVER <= of_server || MAX_POLLED <= self.running.len() {
                if !self.make_room(server, *proof) {
                    tracing::warn!(server, "more resources are watched than are polled");
                    break;
                }
                of_server -= 1;
            }
            of_server += 1;
            let stop = CancellationToken::new();
            let running = RunningPoll { server: server.into(), proof: *proof, stop: stop.clone() };
            self.running.insert(uri.clone(), running);
            begun.push(StartedPoll { uri: uri.clone(), proof: *proof, stop });
        }
        begun
    }

    /// Stops a poll with less proof to make room; returns whether there was one.
    fn make_room(&mut self, server: &str, proof: Proof) -> bool {
        let is_less = |it: &RunningPoll| *it.server == *server && it.proof > proof;
        let found = self.running.iter().find(|(_, it)| is_less(it)).map(|(uri, _)| uri.clone());
        let Some(running) = found.and_then(|uri| self.running.remove(&uri)) else { return false };
        running.stop.cancel();
        true
    }

    /// Notes that a resource was read, so it exists.
    pub(crate) fn proved(&mut self, uri: &str) {
        if let Some(running) = self.running.get_mut(uri) {
            running.proof = Proof::Proved;
        }
    }

    /// Stops polling a resource that cannot be read.
    pub(crate) fn give_up(&mut self, uri: &str, now: Instant) {
        if self.running.remove(uri).is_some() && self.given_up.len() < MAX_GIVEN_UP {
            self.given_up.insert(uri.into(), now + REST);
        }
    }
}

/// The wait before the next turn: exponential backoff by the number of refusals.
pub(crate) fn wait(interval: Duration, refusals: u32) -> Duration {
    interval.saturating_mul(1 << refusals.min(6))
}

#[cfg(test)]
mod tests {
    use super::{
        Candidate, MAX_PER_SERVER, MAX_POLLED, PolledResources, Proof, PublicUris, REST,
        StartedPoll,
    };
    use std::collections::BTreeSet;
    use tokio::time::Instant;

    fn wanted(server: &str, listed: usize, made_up: usize) -> BTreeSet<Candidate> {
        let uri = |kind: &str, number: usize| format!("mcp://{server}/{kind}{number}").into();
        let listed = (0..listed).map(|it| Candidate { proof: Proof::Proved, uri: uri("z", it) });
        let made_up =
            (0..made_up).map(|it| Candidate { proof: Proof::Unproved, uri: uri("a", it) });
        listed.chain(made_up).collect()
    }

    fn choose(
        polled: &mut PolledResources,
        server: &str,
        all: &BTreeSet<Candidate>,
        now: Instant,
    ) -> Vec<StartedPoll> {
        polled.choose(server, &PublicUris::of(server), all, now)
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_so_many_are_polled() {
        let (mut polled, now) = (PolledResources::default(), Instant::now());
        let mut total = 0;
        for server in 0..20 {
            let name = format!("s{server}");
            let begun = choose(&mut polled, &name, &wanted(&name, 20_000, 0), now).len();
            assert!(begun <= MAX_PER_SERVER);
            total += begun;
        }
        assert_eq!(total, MAX_POLLED);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_listed_comes_first_even_if_it_comes_later() {
        let (mut polled, now) = (PolledResources::default(), Instant::now());
        let early = choose(&mut polled, "one", &wanted("one", 0, 20_000), now);
        assert_eq!(early.len(), MAX_PER_SERVER);
        let late = choose(&mut polled, "one", &wanted("one", 10, 20_000), now);
        assert_eq!(late.len(), 10);
        assert!(late.iter().all(|it| it.proof == Proof::Proved), "{late:?}");
        assert_eq!(early.iter().filter(|it| it.stop.is_cancelled()).count(), 10);
        assert!(choose(&mut polled, "one", &wanted("one", 10, 20_000), now).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_read_makes_room_and_is_left_alone() {
        let (mut polled, now) = (PolledResources::default(), Instant::now());
        let all = wanted("one", 0, 300);
        assert_eq!(choose(&mut polled, "one", &all, now).len(), MAX_PER_SERVER);
        for uri in all.iter().take(100) {
            polled.give_up(&uri.uri, now);
        }
        let rest = 300 - MAX_PER_SERVER;
        let begun = choose(&mut polled, "one", &all, now);
        assert_eq!(begun.len(), rest, "the others get their places");
        assert!(choose(&mut polled, "one", &all, now).is_empty());
        let later = choose(&mut polled, "one", &all, now + REST);
        assert_eq!(later.len(), MAX_PER_SERVER - 200);
        // A client that unsubscribes and subscribes again gets a turn at once.
        assert!(choose(&mut polled, "one", &BTreeSet::new(), now).is_empty());
        assert!(polled.running.is_empty() && polled.given_up.is_empty());
        assert_eq!(choose(&mut polled, "one", &all, now).len(), MAX_PER_SERVER);
    }
}
