//! Which resources are polled because their servers do not tell of changes: no more than so many,
//! and none that cannot be read. Pure: the caller brings the clock and does the reading.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Resources that are polled at once, of one server and of all.
pub(crate) const MOST_PER_SERVER: usize = 256;
const MOST: usize = 1024;

/// Times in a row that a server may refuse to have a resource read before it is given up.
pub(crate) const REFUSALS: u32 = 3;

/// How long one that was given up is left alone, if somebody still watches it.
const REST: Duration = Duration::from_secs(600);

/// How many are remembered as given up; the others only cost a few reads again.
const MOST_GIVEN_UP: usize = 4096;

/// The resources that are polled, by public URI.
#[derive(Debug, Default)]
pub(crate) struct Polled {
    running: BTreeMap<Box<str>, Running>,
    given_up: BTreeMap<Box<str>, Instant>,
}

#[derive(Debug)]
struct Running {
    server: Box<str>,
    stop: CancellationToken,
}

/// A resource that somebody watches.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    /// Whether the server does not list it. Those it lists come first.
    pub(crate) unlisted: bool,
    /// Its public URI.
    pub(crate) uri: Box<str>,
}

impl Polled {
    /// Ends what is not wanted of this server any more, and says what is to begin.
    pub(crate) fn choose(
        &mut self,
        server: &str,
        prefix: &str,
        wanted: &BTreeSet<Candidate>,
        now: Instant,
    ) -> Vec<Box<str>> {
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
        let mut begin = Vec::new();
        for candidate in wanted {
            let uri = &candidate.uri;
            if self.running.contains_key(uri) || self.given_up.contains_key(uri) {
                continue;
            }
            if MOST_PER_SERVER <= of_server || MOST <= self.running.len() + begin.len() {
                tracing::warn!(server, "more resources are watched than are polled");
                break;
            }
            of_server += 1;
            begin.push(uri.clone());
        }
        begin
    }

    /// One has begun; `stop` ends it.
    pub(crate) fn begun(&mut self, server: &str, uri: &str, stop: CancellationToken) {
        let running = Running { server: server.into(), stop };
        if let Some(before) = self.running.insert(uri.into(), running) {
            before.stop.cancel();
        }
    }

    /// One cannot be read.
    pub(crate) fn give_up(&mut self, uri: &str, now: Instant) {
        if self.running.remove(uri).is_some() && self.given_up.len() < MOST_GIVEN_UP {
            self.given_up.insert(uri.into(), now + REST);
        }
    }
}

/// How long to wait before the next look: longer after each refusal.
pub(crate) fn wait(interval: Duration, refusals: u32) -> Duration {
    interval.saturating_mul(1 << refusals.min(6))
}

#[cfg(test)]
mod tests {
    use super::{Candidate, MOST, MOST_PER_SERVER, Polled, REST};
    use std::collections::BTreeSet;
    use tokio::time::Instant;
    use tokio_util::sync::CancellationToken;

    fn wanted(server: &str, listed: usize, made_up: usize) -> BTreeSet<Candidate> {
        let uri = |kind: &str, number: usize| format!("mcp://{server}/{kind}{number}").into();
        let listed = (0..listed).map(|it| Candidate { unlisted: false, uri: uri("z", it) });
        let made_up = (0..made_up).map(|it| Candidate { unlisted: true, uri: uri("a", it) });
        listed.chain(made_up).collect()
    }

    /// What begins; all of it runs from then on.
    fn choose(polled: &mut Polled, server: &str, all: &BTreeSet<Candidate>, now: Instant) -> usize {
        let begin = polled.choose(server, &format!("mcp://{server}/"), all, now);
        for uri in &begin {
            polled.begun(server, uri, CancellationToken::new());
        }
        begin.len()
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_so_many_are_polled_and_listed_ones_come_first() {
        let (mut polled, now) = (Polled::default(), Instant::now());
        let all = wanted("one", 10, 20_000);
        let begin = polled.choose("one", "mcp://one/", &all, now);
        assert_eq!(begin.len(), MOST_PER_SERVER);
        assert!(begin[..10].iter().all(|uri| uri.contains("/z")), "{begin:?}");
        let mut total = 0;
        for server in 0..20 {
            let name = format!("s{server}");
            total += choose(&mut polled, &name, &wanted(&name, 500, 0), now);
        }
        assert_eq!(total, MOST);
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_read_makes_room_and_is_left_alone() {
        let (mut polled, now) = (Polled::default(), Instant::now());
        let all = wanted("one", 0, 300);
        assert_eq!(choose(&mut polled, "one", &all, now), MOST_PER_SERVER);
        for uri in all.iter().take(100) {
            polled.give_up(&uri.uri, now);
        }
        let rest = 300 - MOST_PER_SERVER;
        assert_eq!(choose(&mut polled, "one", &all, now), rest, "the others get their places");
        assert_eq!(choose(&mut polled, "one", &all, now), 0);
        assert_eq!(choose(&mut polled, "one", &all, now + REST), MOST_PER_SERVER - 200);
        // Whoever lets go and subscribes again is heard at once.
        let nothing = BTreeSet::new();
        assert_eq!(choose(&mut polled, "one", &nothing, now), 0);
        assert!(polled.running.is_empty() && polled.given_up.is_empty());
        assert_eq!(choose(&mut polled, "one", &all, now), MOST_PER_SERVER);
    }
}
