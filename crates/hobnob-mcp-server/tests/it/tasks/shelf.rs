//! A keeper of task records for tests: a shelf that several processes share, in its written form.

use hobnob_mcp_engine::{BoxFuture, TaskOwner};
use hobnob_mcp_server::{KeeperError, KeptTask, TaskKeeper};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;
use tokio::sync::watch;

/// What outlives every process: each record as JSON text, and who has died.
pub(crate) struct Shelf {
    records: Mutex<BTreeMap<Box<str>, String>>,
    dead: Mutex<BTreeSet<Box<str>>>,
    last_words: Mutex<Vec<KeptTask>>,
    mood: watch::Sender<Mood>,
}

/// How the shelf takes what it is asked to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Works,
    Fails,
    /// Neither takes it nor refuses it until the mood changes.
    Waits,
}

impl Shelf {
    pub(crate) fn new() -> Arc<Self> {
        let mood = watch::Sender::new(Mood::Works);
        let (records, dead, last_words) = Default::default();
        Arc::new(Self { records, dead, last_words, mood })
    }

    /// The shelf as the process of this name reaches it.
    pub(crate) fn handle(self: &Arc<Self>, instance: &'static str) -> Arc<dyn TaskKeeper> {
        Arc::new(Handle { shelf: Arc::clone(self), instance })
    }

    pub(crate) fn set(&self, mood: Mood) {
        self.mood.send_replace(mood);
    }

    /// The process of this name has died.
    pub(crate) fn bury(&self, instance: &str) {
        self.dead.lock().expect("unpoisoned").insert(instance.into());
    }

    /// Writes this at the very moment when somebody asks whether its process still lives.
    pub(crate) fn write_last(&self, task: KeptTask) {
        self.last_words.lock().expect("unpoisoned").push(task);
    }

    /// Everything that is kept, by id.
    pub(crate) fn all(&self) -> Vec<KeptTask> {
        self.records.lock().expect("unpoisoned").values().map(|text| read(text)).collect()
    }

    /// The statuses of all that is kept, by tool.
    pub(crate) fn statuses(&self) -> String {
        let mut all = self.all();
        all.sort_by(|one, other| one.tool.cmp(&other.tool));
        let words = all.iter().map(|kept| format!("{} {}", kept.tool, kept.status.as_str()));
        words.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn put(&self, task: &KeptTask) {
        let text = serde_json::to_string(task).expect("JSON");
        self.records.lock().expect("unpoisoned").insert(task.id.clone(), text);
    }

    async fn agrees(&self) -> Result<(), KeeperError> {
        let mut mood = self.mood.subscribe();
        let settled = *mood.wait_for(|mood| *mood != Mood::Waits).await.expect("a shelf");
        if settled == Mood::Fails { Err(KeeperError::new("the shelf broke")) } else { Ok(()) }
    }
}

fn read(text: &str) -> KeptTask {
    serde_json::from_str(text).expect("a record")
}

struct Handle {
    shelf: Arc<Shelf>,
    instance: &'static str,
}

impl TaskKeeper for Handle {
    fn instance(&self) -> &str {
        self.instance
    }

    fn is_alive<'a>(&'a self, instance: &'a str) -> BoxFuture<'a, Result<bool, KeeperError>> {
        assert_ne!(instance, self.instance, "who asks is alive");
        let last_words = std::mem::take(&mut *self.shelf.last_words.lock().expect("unpoisoned"));
        last_words.iter().for_each(|task| self.shelf.put(task));
        let is_dead = self.shelf.dead.lock().expect("unpoisoned").contains(instance);
        Box::pin(async move { Ok(!is_dead) })
    }

    fn keep(&self, task: KeptTask) -> BoxFuture<'_, Result<(), KeeperError>> {
        Box::pin(async move {
            self.shelf.agrees().await?;
            self.shelf.put(&task);
            Ok(())
        })
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<KeptTask>, KeeperError>> {
        Box::pin(async move {
            self.shelf.agrees().await?;
            Ok(self.shelf.records.lock().expect("unpoisoned").get(id).map(|text| read(text)))
        })
    }

    fn list<'a>(
        &'a self,
        owner: &'a TaskOwner,
        after: Option<&'a str>,
        most: usize,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<KeptTask>, KeeperError>> {
        Box::pin(async move {
            let all = self.shelf.all().into_iter();
            let all = all.filter(|kept| kept.owner == *owner && !kept.is_over(now));
            let past = all.filter(|kept| after.is_none_or(|after| *kept.id > *after));
            // A list needs no details, and a keeper may save itself the reading.
            Ok(past.take(most).map(|kept| KeptTask { detail: None, ..kept }).collect())
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), KeeperError>> {
        self.shelf.records.lock().expect("unpoisoned").remove(id);
        Box::pin(async { Ok(()) })
    }

    fn sweep(&self, now: SystemTime) -> BoxFuture<'_, Result<(), KeeperError>> {
        let is_left = |text: &mut String| !read(text).is_over(now);
        self.shelf.records.lock().expect("unpoisoned").retain(|_, text| is_left(text));
        Box::pin(async { Ok(()) })
    }
}
