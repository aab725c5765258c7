//! Test cases for change feeds, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

use super::case::{Case, cases, run};
use super::case_result::{CaseResult, Failed, equal, hold};
use crate::calls::{CallId, CallRepository, PersistedCall};
use crate::changes::{ChangeFeed, ChangedRecord, FeedEvent, RecordChange};
use crate::keys::KeyRepository;
use crate::memory::{PromptRepository, StoredPrompt};
use crate::owner::Owner;
use crate::store::Store;
use crate::time::Time;
use std::sync::Arc;
use std::time::Duration;

/// How long a feed may take to report what was committed before the call.
const LIMIT: Duration = Duration::from_secs(60);
/// More changes than any feed must report one by one.
const TOO_MANY: usize = 1_200;

/// Runs all cases of [`ChangeSource`](crate::changes::ChangeSource), each against an empty store
/// that `make` creates.
pub async fn changes(make: impl AsyncFn() -> Arc<dyn Store>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<dyn Store>] = cases![
    every_feed_reports_each_change_in_order,
    a_feed_reports_nothing_from_before_it_was_opened,
    a_dropped_wait_loses_nothing,
    of_too_many_changes_one_of_each_kind_is_reported,
    calls_and_keys_are_nobody_elses_business,
];

async fn every_feed_reports_each_change_in_order(store: Arc<dyn Store>) -> CaseResult {
    let mut feeds = [store.feed().await?, store.feed().await?];
    let names = ["b", "a", "b"];
    for name in names {
        save(&*store, name).await?;
    }
    PromptRepository::remove(&*store, Owner::named("ann"), "a".into()).await?;
    for feed in &mut feeds {
        let mut found = Vec::new();
        while found.len() < 4 {
            found.extend(next(&mut **feed).await?);
        }
        equal(&found, &["b", "a", "b", "a"].map(prompt_change).to_vec(), "changes in order")?;
    }
    Ok(())
}

async fn a_feed_reports_nothing_from_before_it_was_opened(store: Arc<dyn Store>) -> CaseResult {
    save(&*store, "before").await?;
    let mut feed = store.feed().await?;
    save(&*store, "after").await?;
    equal(&next(&mut *feed).await?, &vec![prompt_change("after")], "the first change")
}

async fn a_dropped_wait_loses_nothing(store: Arc<dyn Store>) -> CaseResult {
    let mut feed = store.feed().await?;
    let waited = tokio::time::timeout(Duration::from_millis(1), feed.next()).await;
    hold(waited.is_err(), "nothing has changed yet")?;
    save(&*store, "name").await?;
    equal(&next(&mut *feed).await?, &vec![prompt_change("name")], "the change after it")
}

async fn of_too_many_changes_one_of_each_kind_is_reported(store: Arc<dyn Store>) -> CaseResult {
    let mut feed = store.feed().await?;
    for _ in 0..TOO_MANY {
        save(&*store, "name").await?;
    }
    let kinds = FeedEvent::Many(vec![prompt_change("name")]);
    equal(&feed.next().await?, &kinds, "after too many changes of one kind")?;
    save(&*store, "last").await?;
    equal(&next(&mut *feed).await?, &vec![prompt_change("last")], "the change after that")
}

async fn calls_and_keys_are_nobody_elses_business(store: Arc<dyn Store>) -> CaseResult {
    let mut feed = store.feed().await?;
    let call = PersistedCall {
        id: CallId::new("call"),
        owner: Owner::named("ann"),
        updated: Time::from_millis(1),
        expires: None,
        record: "{}".into(),
    };
    CallRepository::save(&*store, call).await?;
    KeyRepository::get_or_create(&*store, "key", vec![1]).await?;
    save(&*store, "name").await?;
    equal(&next(&mut *feed).await?, &vec![prompt_change("name")], "the only change")
}

async fn save(store: &dyn Store, name: &str) -> CaseResult {
    let prompt = StoredPrompt {
        owner: Owner::named("ann"),
        name: name.into(),
        description: None,
        template: "text".into(),
        updated: Time::from_millis(7),
    };
    Ok(PromptRepository::save(store, prompt).await?)
}

async fn next(feed: &mut dyn ChangeFeed) -> Result<Vec<RecordChange>, Failed> {
    match tokio::time::timeout(LIMIT, feed.next()).await?? {
        FeedEvent::Changes(changes) => Ok(changes),
        FeedEvent::Many(_) | FeedEvent::Everything => {
            Err(Failed::because("so few changes are reported one by one"))
        }
    }
}

fn prompt_change(name: &str) -> RecordChange {
    RecordChange { owner: Owner::named("ann"), what: ChangedRecord::Prompt { name: name.into() } }
}
