//! Many clients that claim tasks from one list until nothing is left. A task that two of them get,
//! or that nobody gets, fails the run.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::crowd::together;
use crate::disk;
use crate::http::{Session, Started, start_many};
use crate::options::{ClaimOptions, Era};
use crate::report::{Load, Report, Tally};
use crate::request::HELLO_ID;
use crate::tool::call;

const LIST: &str = "bench";

pub(crate) async fn measure(options: &ClaimOptions) -> anyhow::Result<Report> {
    let Started { server, startup, sessions } =
        start_many(&options.command, Era::Legacy, options.parallel).await?;
    let count = sessions.len();
    let workers = sessions.into_iter().enumerate().map(|(number, session)| {
        let worker = Worker::new(number, session);
        // What does not divide evenly is one more for the first ones.
        let more = usize::from(number < options.tasks % count);
        worker.create(options.tasks / count + more)
    });
    let (workers, created) = together(workers).await?;
    let created: HashSet<String> = created.into_iter().collect();

    let mut syncs = disk::syncs(&options.disk)?;
    let before = server.usage()?;
    let begin = Instant::now();
    let (_still_open, claims) = together(workers.into_iter().map(Worker::claim_all)).await?;
    let elapsed = begin.elapsed();
    let after = server.usage()?;
    syncs.extend(disk::syncs(&options.disk)?);
    server.end().await;
    let (claimed, latencies) = claims.into_iter().unzip();
    check(&created, claimed)?;
    let tally = Tally { latencies, elapsed };
    Ok(Report::Load(Load::new(tally, before, after, startup).beside(syncs)))
}

/// Every task exactly once.
fn check(created: &HashSet<String>, claimed: Vec<String>) -> anyhow::Result<()> {
    let count = claimed.len();
    let different: HashSet<String> = claimed.into_iter().collect();
    ensure!(different.len() == count, "{} tasks were claimed twice", count - different.len());
    ensure!(different == *created, "{count} of {} tasks were claimed", created.len());
    Ok(())
}

struct Worker {
    name: String,
    session: Session,
    next_id: usize,
}

impl Worker {
    fn new(number: usize, session: Session) -> Self {
        Self { name: format!("worker-{number}"), session, next_id: HELLO_ID + 1 }
    }

    async fn create(mut self, count: usize) -> anyhow::Result<(Self, Vec<String>)> {
        let mut tasks = Vec::with_capacity(count);
        for number in 0..count {
            let description = format!("task {number} of {}", self.name);
            let arguments = json!({ "description": description, "list": LIST });
            tasks.push(id_of(&self.call("tasks_create", &arguments).await?)?);
        }
        Ok((self, tasks))
    }

    /// Claims until nothing is left: what it got, and how long each took.
    async fn claim_all(mut self) -> anyhow::Result<(Self, Vec<(String, Duration)>)> {
        let arguments = json!({ "list": LIST, "worker": self.name });
        let mut claims = Vec::new();
        loop {
            let begun = Instant::now();
            let answer = self.call("tasks_claim", &arguments).await?;
            if answer["claimed"] == false {
                return Ok((self, claims));
            }
            claims.push((id_of(&answer["task"])?, begun.elapsed()));
        }
    }

    async fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        self.next_id += 1;
        call(&mut self.session, self.next_id, tool, &arguments.to_string()).await
    }
}

fn id_of(task: &Value) -> anyhow::Result<String> {
    Ok(task["id"].as_str().context("a task without an id")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_claimed_exactly_once() {
        let judge = |claimed: &[&str]| {
            let created = HashSet::from(["a".to_owned(), "b".to_owned()]);
            check(&created, claimed.iter().map(|it| (*it).to_owned()).collect()).is_ok()
        };
        assert!(judge(&["b", "a"]));
        assert!(!judge(&["a"]));
        assert!(!judge(&["a", "b", "a"]));
        assert!(!judge(&["a", "c"]));
    }
}
