//! Test cases for several handles on one store, as several processes or replicas have it, run
//! against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it, and nothing depends
//! on how the handles take turns.

use super::case::{Case, cases, run};
use super::case_result::{CaseResult, Failed, equal, hold};
use super::sample::note_in;
use super::tasks::new_task;
use crate::authorizations::{AuthorizationEntry, EntryChange, EntryChangeError, VersionedEntry};
use crate::changes::{ChangeFeed, ChangedRecord, FeedEvent};
use crate::memory::{Captured, PromptRepository, StoredPrompt};
use crate::owner::Owner;
use crate::store::Store;
use crate::tasks::{NewTask, TaskAccess, TaskError, TaskFilter, TaskId, TaskRepository, Worker};
use crate::time::Time;
use crate::trees::{Claimant, NewNode, NewTree, NodeContent, NodeRef, TreeAccess, TreeRef};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Two handles on one store.
pub type StoreHandles = [Arc<dyn Store>; 2];

/// How long a feed may take to report what was committed before the call.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs all cases, each against an empty store on which `make` opens two handles.
pub async fn replicas(make: impl AsyncFn() -> Arc<StoreHandles>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<StoreHandles>] = cases![
    claims_of_all_handles_never_meet,
    an_ended_lease_is_given_to_one,
    no_two_blockers_close_a_cycle,
    no_two_parents_close_a_cycle,
    the_very_same_is_stored_once,
    of_two_changes_of_a_version_one_is_made,
    all_handles_get_the_same_key,
    every_node_is_counted,
    every_feed_reports_the_changes_of_all_handles,
];

fn ann() -> Owner {
    Owner::named("ann")
}

fn tasks_at(seconds: i64) -> TaskAccess {
    TaskAccess { owner: ann(), now: Time::from_millis(seconds * 1_000) }
}

/// Runs work `count` times on each handle, all at once; returns all results.
async fn all_at_once<T, F>(
    handles: &StoreHandles,
    count: usize,
    work: impl Fn(Arc<dyn Store>, usize) -> F,
) -> Result<Vec<T>, Failed>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut running = JoinSet::new();
    for number in 0..count {
        for handle in handles {
            running.spawn(work(Arc::clone(handle), number));
        }
    }
    let mut results = Vec::new();
    while let Some(ended) = running.join_next().await {
        results.push(ended?);
    }
    Ok(results)
}

async fn claims_of_all_handles_never_meet(handles: Arc<StoreHandles>) -> CaseResult {
    const TASKS: usize = 24;
    for number in 0..TASKS {
        TaskRepository::create(&*handles[0], tasks_at(1), new_task(&number.to_string())).await?;
    }
    let claimed = all_at_once(&handles, 3, |store, worker| async move {
        let mut mine = Vec::new();
        let (filter, lease) = (TaskFilter::default(), Duration::from_secs(60));
        loop {
            // Workers of one name may be two, so the name alone does not keep them apart.
            let worker = Worker::new(&format!("worker {worker}"));
            let claim = store.claim(tasks_at(2), None, filter.clone(), worker, lease).await?;
            match claim {
                Some(task) => mine.push(task.id),
                None => return Ok::<Vec<TaskId>, TaskError>(mine),
            }
        }
    });
    let mut ids = Vec::new();
    for mine in claimed.await? {
        ids.extend(mine?);
    }
    let distinct: BTreeSet<&TaskId> = ids.iter().collect();
    equal(&(ids.len(), distinct.len()), &(TASKS, TASKS), "each task claimed once")
}

async fn an_ended_lease_is_given_to_one(handles: Arc<StoreHandles>) -> CaseResult {
    let task = TaskRepository::create(&*handles[0], tasks_at(1), new_task("slow")).await?;
    let lease = Duration::from_secs(10);
    let (worker, filter) = (Worker::new("gone"), TaskFilter::default());
    handles[0].claim(tasks_at(2), None, filter, worker, lease).await?;
    let claimed = all_at_once(&handles, 3, move |store, worker| async move {
        let worker = Worker::new(&format!("worker {worker}"));
        store.claim(tasks_at(20), None, TaskFilter::default(), worker, lease).await
    });
    let mut winners = 0;
    for claim in claimed.await? {
        winners += usize::from(claim?.is_some());
    }
    equal(&winners, &1, "who got the task")?;
    let history = TaskRepository::history(&*handles[1], tasks_at(20), task.id).await?;
    let actions: Vec<&str> = history.iter().map(|event| event.action.as_str()).collect();
    equal(&actions, &vec!["created", "claimed", "released", "claimed"], "its history")
}

async fn no_two_blockers_close_a_cycle(handles: Arc<StoreHandles>) -> CaseResult {
    for round in 0..8 {
        let one = TaskRepository::create(&*handles[0], tasks_at(round), new_task("one")).await?;
        let two = TaskRepository::create(&*handles[1], tasks_at(round), new_task("two")).await?;
        let (first, second) = tokio::join!(
            handles[0].add_blocker(tasks_at(round), one.id.clone(), two.id.clone()),
            handles[1].add_blocker(tasks_at(round), two.id.clone(), one.id.clone()),
        );
        let cycles = [first.err(), second.err()].into_iter().flatten();
        let cycles: Vec<TaskError> = cycles.collect();
        hold(matches!(&cycles[..], [TaskError::Cycle(_)]), &format!("one is refused: {cycles:?}"))?;
    }
    Ok(())
}

async fn no_two_parents_close_a_cycle(handles: Arc<StoreHandles>) -> CaseResult {
    use crate::tasks::TaskEdit;
    let parts_of = |id: &TaskId| TaskEdit { parent: Some(Some(id.clone())), ..TaskEdit::default() };
    for round in 0..8 {
        let one = TaskRepository::create(&*handles[0], tasks_at(round), new_task("one")).await?;
        let part = NewTask { parent: Some(one.id.clone()), ..new_task("part") };
        let part = TaskRepository::create(&*handles[0], tasks_at(round), part).await?;
        let two = TaskRepository::create(&*handles[1], tasks_at(round), new_task("two")).await?;
        let (first, second) = tokio::join!(
            TaskRepository::update(&*handles[0], tasks_at(round), one.id, parts_of(&two.id)),
            TaskRepository::update(&*handles[1], tasks_at(round), two.id, parts_of(&part.id)),
        );
        let cycles: Vec<TaskError> = [first.err(), second.err()].into_iter().flatten().collect();
        hold(matches!(&cycles[..], [TaskError::Cycle(_)]), &format!("one is refused: {cycles:?}"))?;
    }
    Ok(())
}

async fn the_very_same_is_stored_once(handles: Arc<StoreHandles>) -> CaseResult {
    for round in 0..6 {
        let content = format!("said in round {round}");
        let captured = all_at_once(&handles, 2, |store, _| {
            let new = note_in("notes", &content);
            async move { Ok::<Captured, Failed>(store.capture(new?).await?) }
        });
        let mut new = 0;
        for captured in captured.await? {
            new += usize::from(matches!(captured?, Captured::New(_)));
        }
        equal(&new, &1, "how often it was stored")?;
    }
    Ok(())
}

async fn of_two_changes_of_a_version_one_is_made(handles: Arc<StoreHandles>) -> CaseResult {
    let entry = |body: &str| AuthorizationEntry {
        kind: "grant",
        key: "key".into(),
        owner: ann(),
        grant: String::new(),
        expires: None,
        body: body.into(),
    };
    handles[0].change_entries(vec![EntryChange::Insert(entry("{}"))]).await?;
    let version = handles[1].find_entry("grant", "key".into()).await?.map(|found| found.version);
    let version = version.ok_or_else(|| Failed::because("what one inserts, the other finds"))?;
    let changed = all_at_once(&handles, 3, |store, number| {
        let entry = entry(&number.to_string());
        async move {
            let change = EntryChange::Replace(VersionedEntry { entry, version });
            store.change_entries(vec![change]).await
        }
    });
    let results = changed.await?;
    let made = results.iter().filter(|result| result.is_ok()).count();
    let conflict =
        |result: &Result<(), EntryChangeError>| matches!(result, Err(EntryChangeError::Conflict));
    let refused = results.iter().filter(|result| conflict(result)).count();
    equal(&(made, refused), &(1, 5), "made and refused")
}

async fn all_handles_get_the_same_key(handles: Arc<StoreHandles>) -> CaseResult {
    let keys = all_at_once(&handles, 4, |store, number| async move {
        store.get_or_create("key", number.to_le_bytes().to_vec()).await
    });
    let keys: BTreeSet<Vec<u8>> = keys.await?.into_iter().collect::<Result<_, _>>()?;
    equal(&keys.len(), &1, "how many keys there are")
}

async fn every_node_is_counted(handles: Arc<StoreHandles>) -> CaseResult {
    let access = TreeAccess { owner: ann(), now: Time::from_millis(1) };
    let said = |text: &str| NodeContent::Text { role: "user".into(), text: text.into() };
    let new =
        NewTree { name: None, metadata: None, root: said("root"), claimant: Claimant::new("test") };
    let tree = handles[0].create_tree(access.clone(), new).await?;
    let named = TreeRef::Id(tree.id);
    let appended = all_at_once(&handles, 5, |store, number| {
        let (access, tree) = (access.clone(), named.clone());
        let new = NewNode { content: said(&number.to_string()), metadata: None };
        async move { store.append_nodes(access, tree, NodeRef::Root, vec![new]).await }
    });
    for node in appended.await? {
        node?;
    }
    let tree = handles[1].tree(access.clone(), named.clone()).await?;
    let root = handles[1].node(access, named, NodeRef::Root).await?;
    equal(&(tree.nodes, root.shape.children), &(11, 10), "nodes, and children of the root")
}

async fn every_feed_reports_the_changes_of_all_handles(handles: Arc<StoreHandles>) -> CaseResult {
    const PROMPTS: usize = 30;
    let mut feeds = [handles[0].feed().await?, handles[1].feed().await?];
    let saved = all_at_once(&handles, PROMPTS, |store, number| async move {
        let name = format!("prompt-{number}");
        // The same name from both handles, so that each is reported twice.
        let (description, updated) = (None, Time::from_millis(1));
        let prompt =
            StoredPrompt { owner: ann(), name, description, template: String::new(), updated };
        PromptRepository::save(&*store, prompt).await
    });
    for saved in saved.await? {
        saved?;
    }
    for feed in &mut feeds {
        let mut found = Vec::new();
        while found.len() < 2 * PROMPTS {
            found.extend(prompts_of(&mut **feed).await?);
        }
        found.sort_unstable();
        let mut expected: Vec<String> =
            (0..2 * PROMPTS).map(|number| format!("prompt-{}", number / 2)).collect();
        expected.sort_unstable();
        equal(&found, &expected, "each change once")?;
    }
    Ok(())
}

async fn prompts_of(feed: &mut dyn ChangeFeed) -> Result<Vec<String>, Failed> {
    let FeedEvent::Changes(changes) = tokio::time::timeout(LIMIT, feed.next()).await?? else {
        return Err(Failed::because("so few changes are reported one by one"));
    };
    let name = |changed: ChangedRecord| match changed {
        ChangedRecord::Prompt { name } => Ok(name),
        other => Err(Failed::because(format!("no prompt: {other:?}"))),
    };
    changes.into_iter().map(|change| name(change.what)).collect()
}
