//! Which resources are polled because their servers report no changes: no more than so many,
//! and none that cannot be read. Pure: the caller brings the clock and does the reading.

use crate::watch::pace::Proof;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Resources that are polled at once, of one server and of all.
const MAX_PER_SERVER: usize = 256;
const MAX_POLLED: usize = 1024;

/// Times in a row that a server may refuse to have a resource read before it is given up.
pub(crate) const REFUSALS: u32 = 3;

/// How long one that was given up is left alone, if somebody still watches it.
const REST: Duration = Duration::from_secs(600);

/// How many are remembered as given up; the others only cost a few reads again.
const MAX_GIVEN_UP: usize = 4096;

/// The resources that are polled, by public URI.
#[derive(Debug, Default)]
pub(crate) struct PolledResources {
    running: BTreeMap<Box<str>, Running>,
    given_up: BTreeMap<Box<str>, Instant>,
}

#[derive(Debug)]
struct Running {
    server: Box<str>,
    proof: Proof,
    stop: CancellationToken,
}

/// A resource that somebody watches. Those that are known to exist come first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// Whether its server lists it.
    pub(crate) proof: Proof,
    /// By its public address.
    pub(crate) uri: Box<str>,
}

/// A resource that is polled from now on.
#[derive(Debug)]
pub(crate) struct StartedPoll {
    /// By its public address.
    pub(crate) uri: Box<str>,
    pub(crate) proof: Proof,
    /// Cancelled when nobody watches any more.
    pub(crate) stop: CancellationToken,
}

impl PolledResources {
    /// Ends what is not wanted of this server any more, and says what begins.
    pub(crate) fn choose(
        &mut self,
        server: &str,
        prefix: &str,
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
        // Whoever subscribes anew gets another chance.
        self.given_up.retain(|uri, until| {
            now < *until && (!uri.starts_with(prefix) || uris.contains(&**uri))
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
            let running = Running { server: server.into(), proof: *proof, stop: stop.clone() };
            self.running.insert(uri.clone(), running);
            begun.push(StartedPoll { uri: uri.clone(), proof: *proof, stop });
        }
        begun
    }

    /// What is known to exist takes the place of what may not; whether it could.
    fn make_room(&mut self, server: &str, proof: Proof) -> bool {
        let is_less = |it: &Running| *it.server == *server && it.proof > proof;
        let found = self.running.iter().find(|(_, it)| is_less(it)).map(|(uri, _)| uri.clone());
        let Some(running) = found.and_then(|uri| self.running.remove(&uri)) else { return false };
        running.stop.cancel();
        true
    }

    /// One was read, so it exists.
    pub(crate) fn proved(&mut self, uri: &str) {
        if let Some(running) = self.running.get_mut(uri) {
            running.proof = Proof::Proved;
        }
    }

    /// One cannot be read.
    pub(crate) fn give_up(&mut self, uri: &str, now: Instant) {
        if self.running.remove(uri).is_some() && self.given_up.len() < MAX_GIVEN_UP {
            self.given_up.insert(uri.into(), now + REST);
        }
    }
}

/// How long to wait before the next turn: longer after each refusal.
pub(crate) fn wait(interval: Duration, refusals: u32) -> Duration {
    interval.saturating_mul(1 << refusals.min(6))
}

#[cfg(test)]
mod tests {
    use super::{Candidate, MAX_PER_SERVER, MAX_POLLED, PolledResources, Proof, REST, StartedPoll};
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
        polled.choose(server, &format!("mcp://{server}/"), all, now)
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
        // Whoever lets go and subscribes again gets a turn at once.
        assert!(choose(&mut polled, "one", &BTreeSet::new(), now).is_empty());
        assert!(polled.running.is_empty() && polled.given_up.is_empty());
        assert_eq!(choose(&mut polled, "one", &all, now).len(), MAX_PER_SERVER);
    }
}
