//! Test cases for the authorization server's records, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

use super::case::{Case, cases, run};
use super::case_result::{CaseResult, equal, hold};
use crate::authorizations::{
    AuthorizationEntry, AuthorizationRepository, EntryChange, EntryChangeError, VersionedEntry,
};
use crate::owner::Owner;
use crate::time::Time;
use std::sync::Arc;

type Port = dyn AuthorizationRepository;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn authorizations(
    make: impl AsyncFn() -> Arc<dyn AuthorizationRepository>,
) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<Port>] = cases![
    what_is_inserted_is_found_by_kind_and_key,
    a_change_needs_the_version_that_was_read,
    changes_are_made_together_or_not_at_all,
    a_grant_and_an_owner_go_with_all_that_is_theirs,
    entries_come_page_by_page,
    only_what_has_expired_is_purged,
    of_many_changes_at_once_one_is_made,
];

fn entry(kind: &'static str, key: &str) -> AuthorizationEntry {
    AuthorizationEntry {
        kind,
        key: key.into(),
        owner: Owner::default(),
        grant: String::new(),
        expires: None,
        body: r#"{"größer":"🦀"}"#.into(),
    }
}

async fn insert(store: &Port, entry: AuthorizationEntry) -> Result<(), EntryChangeError> {
    store.change_entries(vec![EntryChange::Insert(entry)]).await
}

fn is_conflict(result: &Result<(), EntryChangeError>) -> bool {
    matches!(result, Err(EntryChangeError::Conflict))
}

async fn what_is_inserted_is_found_by_kind_and_key(store: Arc<Port>) -> CaseResult {
    let full = AuthorizationEntry {
        owner: Owner::named("ann"),
        grant: "grant-1".into(),
        expires: Some(Time::from_millis(5)),
        ..entry("token", "key")
    };
    insert(&*store, full.clone()).await?;
    insert(&*store, entry("client", "key")).await?;
    let found = store.find_entry("token", "key".into()).await?;
    equal(&found, &Some(VersionedEntry { entry: full.clone(), version: 1 }), "one by its key")?;
    equal(&store.find_entry("user", "key".into()).await?, &None, "another kind")?;
    equal(&store.find_entry("token", "KEY".into()).await?, &None, "another key")?;
    hold(is_conflict(&insert(&*store, full).await), "a key is there once")?;
    equal(&store.count_entries("token").await?, &1, "the count of a kind")
}

async fn a_change_needs_the_version_that_was_read(store: Arc<Port>) -> CaseResult {
    insert(&*store, entry("grant", "g")).await?;
    let changed = |body: &str, version| {
        let entry = AuthorizationEntry { body: body.into(), ..entry("grant", "g") };
        EntryChange::Replace(VersionedEntry { entry, version })
    };
    store.change_entries(vec![changed("two", 1)]).await?;
    let late = store.change_entries(vec![changed("late", 1)]).await;
    hold(is_conflict(&late), "an old version")?;
    let found = store.find_entry("grant", "g".into()).await?;
    let found = found.map(|it| (it.entry.body, it.version));
    equal(&found, &Some(("two".into(), 2)), "what was changed")?;
    let remove = |version| EntryChange::Remove { kind: "grant", key: "g".into(), version };
    hold(is_conflict(&store.change_entries(vec![remove(1)]).await), "an old version")?;
    store.change_entries(vec![remove(2)]).await?;
    hold(is_conflict(&store.change_entries(vec![remove(2)]).await), "it is gone")?;
    let gone = store.change_entries(vec![changed("three", 3)]).await;
    hold(is_conflict(&gone), "what is gone is not changed")
}

async fn changes_are_made_together_or_not_at_all(store: Arc<Port>) -> CaseResult {
    insert(&*store, entry("code", "c")).await?;
    let spend = || EntryChange::Remove { kind: "code", key: "c".into(), version: 1 };
    let token = |key: &str| EntryChange::Insert(entry("token", key));
    store.change_entries(vec![token("first"), spend()]).await?;
    let again = store.change_entries(vec![token("second"), spend(), token("third")]).await;
    hold(is_conflict(&again), "it was spent")?;
    equal(&store.count_entries("token").await?, &1, "nothing is left of it")?;
    store.change_entries(vec![]).await?;
    Ok(())
}

async fn a_grant_and_an_owner_go_with_all_that_is_theirs(store: Arc<Port>) -> CaseResult {
    for (key, owner, grant) in
        [("1", "ann", "g"), ("2", "ann", "h"), ("3", "bob", "i"), ("4", "", ""), ("5", "ann", "")]
    {
        let owner = Owner::named(owner);
        insert(&*store, AuthorizationEntry { owner, grant: grant.into(), ..entry("token", key) })
            .await?;
    }
    let keys = async || -> Result<String, crate::StoreError> {
        let all = store.list_entries("token", None, 9).await?;
        Ok(all.into_iter().map(|it| it.entry.key).collect())
    };
    store.change_entries(vec![EntryChange::RemoveGrant("g".into())]).await?;
    equal(keys().await?.as_str(), "2345", "without one grant")?;
    store.change_entries(vec![EntryChange::RemoveGrant(String::new())]).await?;
    store.change_entries(vec![EntryChange::RemoveOwner(Owner::default())]).await?;
    let except =
        |name: &str| EntryChange::RemoveOwnerExcept { owner: Owner::named(name), kind: "token" };
    store.change_entries(vec![except(""), except("ann")]).await?;
    equal(keys().await?.as_str(), "2345", "what belongs to nobody stays")?;
    let except = EntryChange::RemoveOwnerExcept { owner: Owner::named("bob"), kind: "user" };
    store.change_entries(vec![except]).await?;
    equal(keys().await?.as_str(), "245", "without what is of another kind")?;
    store.change_entries(vec![EntryChange::RemoveOwner(Owner::named("ann"))]).await?;
    equal(keys().await?.as_str(), "4", "without one owner")
}

async fn entries_come_page_by_page(store: Arc<Port>) -> CaseResult {
    for key in ["b", "a", "d", "c"] {
        insert(&*store, entry("user", key)).await?;
    }
    insert(&*store, entry("zzz", "a")).await?;
    let cases: [(Option<&str>, usize, &str); 5] = [
        (None, 2, "ab"),
        (Some("b"), 2, "cd"),
        (Some("bb"), 1, "c"),
        (Some("d"), 2, ""),
        (None, usize::MAX, "abcd"),
    ];
    for (after, limit, expected) in cases {
        let page = store.list_entries("user", after.map(str::to_owned), limit).await?;
        let keys: String = page.into_iter().map(|it| it.entry.key).collect();
        equal(keys.as_str(), expected, "a page")?;
    }
    Ok(())
}

async fn only_what_has_expired_is_purged(store: Arc<Port>) -> CaseResult {
    for (key, expires) in [("1", Some(5)), ("2", Some(6)), ("3", Some(7)), ("4", None)] {
        let expires = expires.map(Time::from_millis);
        insert(&*store, AuthorizationEntry { expires, ..entry("code", key) }).await?;
    }
    equal(&store.purge_entries(Time::from_millis(6)).await?, &2, "how many had expired")?;
    equal(&store.count_entries("code").await?, &2, "what is left")?;
    equal(&store.purge_entries(Time::from_millis(6)).await?, &0, "nothing more")
}

async fn of_many_changes_at_once_one_is_made(store: Arc<Port>) -> CaseResult {
    insert(&*store, entry("code", "c")).await?;
    let spend = || {
        let key = "c".to_owned();
        store.change_entries(vec![EntryChange::Remove { kind: "code", key, version: 1 }])
    };
    let (one, two, three) = tokio::join!(spend(), spend(), spend());
    let made = [one, two, three].iter().filter(|it| it.is_ok()).count();
    equal(&made, &1, "how many spent it")
}
