//! The numbered steps of a writer. Each step leaves a text that names the writer and the step, so
//! that a test can tell from the file which steps were made.

use hobnob_store::memory::{
    MemoryAccess, MemoryEdit, MemoryFilter, MemoryId, MemoryRepository, Namespace, NewMemory,
    OrgRole, PageRequest, Tag, WritableScope,
};
use hobnob_store::tasks::{
    ListName, NewTask, Priority, TaskAccess, TaskEdit, TaskFilter, TaskId, TaskRepository,
};
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use std::error::Error;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// One of several concurrent writers.
pub(crate) struct Writer {
    store: SqliteStore,
    number: u64,
    /// The last task that this process created.
    task: Option<TaskId>,
}

impl Writer {
    pub(crate) fn new(store: SqliteStore, number: u64) -> Self {
        Self { store, number, task: None }
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Makes a step; returns how many microseconds it took.
    pub(crate) async fn make(&mut self, step: u64) -> Outcome<u128> {
        let begin = Instant::now();
        match step % 5 {
            1 => self.capture(step).await?,
            2 => self.update(step).await?,
            3 => self.supersede(step).await?,
            4 => self.create(step).await?,
            _ => self.finish(step).await?,
        }
        Ok(begin.elapsed().as_micros())
    }

    /// Reads some memories and tasks.
    pub(crate) async fn read(&self) -> Outcome<()> {
        let page = PageRequest { after: None, limit: 10 };
        MemoryRepository::list(&self.store, access(), MemoryFilter::default(), page.clone())
            .await?;
        TaskRepository::list(&self.store, task_reach(), TaskFilter::default(), page).await?;
        Ok(())
    }

    async fn capture(&self, step: u64) -> Outcome<()> {
        self.store.capture(self.memory(step, "captured")?).await?;
        Ok(())
    }

    async fn update(&self, step: u64) -> Outcome<()> {
        let content = Some(self.content(step, "updated"));
        let edit = MemoryEdit { content, tags: Some(self.tags(step)?), ..MemoryEdit::default() };
        MemoryRepository::update(&self.store, access(), self.id(step - 1)?, edit).await?;
        Ok(())
    }

    async fn supersede(&self, step: u64) -> Outcome<()> {
        let (old, new) = (vec![self.id(step - 2)?], self.memory(step, "merged")?);
        self.store.supersede(access(), old, new).await?;
        Ok(())
    }

    async fn create(&mut self, step: u64) -> Outcome<()> {
        let before = self.task.take();
        let after = before.as_ref().map_or("nothing", TaskId::as_str);
        let new = NewTask {
            list: ListName::new(&format!("list-{}", self.number)),
            description: format!("{} after {after}", self.text(step, "todo")),
            priority: Priority::Normal,
            parent: None,
            blockers: before.into_iter().collect(),
        };
        self.task = Some(self.store.create(task_reach(), new).await?.id);
        Ok(())
    }

    async fn finish(&mut self, step: u64) -> Outcome<()> {
        let id = match self.task.clone() {
            Some(id) => id,
            None => self.find_task(&self.text(step - 1, "todo")).await?,
        };
        let edit = TaskEdit {
            result: Some(self.text(step, "result")),
            priority: Some(Priority::High),
            ..TaskEdit::default()
        };
        self.task = Some(TaskRepository::update(&self.store, task_reach(), id, edit).await?.id);
        Ok(())
    }

    /// The task that another process created in the step before.
    async fn find_task(&self, text: &str) -> Outcome<TaskId> {
        let filter = TaskFilter {
            list: Some(ListName::new(&format!("list-{}", self.number))),
            contains: Some(format!("{text} ")),
            ..TaskFilter::default()
        };
        let page = PageRequest { after: None, limit: 1 };
        let found = TaskRepository::list(&self.store, task_reach(), filter, page).await?;
        let task = found.items.into_iter().next().ok_or("the task of the step before is gone")?;
        Ok(task.id)
    }

    fn memory(&self, step: u64, what: &str) -> Outcome<NewMemory> {
        Ok(NewMemory {
            owner: Owner::named("worker"),
            scope: WritableScope::user(),
            namespace: Namespace::parse("drill")?,
            content: self.content(step, what),
            tags: self.tags(step)?,
            source: None,
            created: Time::now(),
            expires: None,
            id: Some(self.id(step)?),
            arrived_micros: None,
        })
    }

    fn text(&self, step: u64, what: &str) -> String {
        format!("writer {} step {step} {what}", self.number)
    }

    /// The content; every eighth step's is long enough to need more than one page.
    fn content(&self, step: u64, what: &str) -> String {
        let more = if step % 8 == 1 { 400 } else { 10 };
        format!("{} {}", self.text(step, what), "and so much more ".repeat(more))
    }

    /// The tags, always three.
    fn tags(&self, step: u64) -> Outcome<Vec<Tag>> {
        let words = ["drill".into(), format!("writer-{}", self.number), format!("step-{step}")];
        Ok(words.iter().map(|word| Tag::parse(word)).collect::<Result<_, _>>()?)
    }

    fn id(&self, step: u64) -> Outcome<MemoryId> {
        let id = MemoryId::parse(&format!("{:016x}{step:016x}", self.number));
        Ok(id.ok_or("not an id")?)
    }
}

fn access() -> MemoryAccess {
    MemoryAccess {
        owner: Owner::named("worker"),
        org: Some(OrgRole::Writer),
        project: None,
        now: Time::now(),
    }
}

fn task_reach() -> TaskAccess {
    TaskAccess { owner: Owner::named("worker"), now: Time::now() }
}
