//! Test cases for persisted calls, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

use super::case::{Case, cases, run};
use super::case_result::{CaseResult, equal, hold};
use crate::calls::{CallId, CallRepository, PersistedCall};
use crate::owner::Owner;
use crate::time::Time;
use std::sync::Arc;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn calls(make: impl AsyncFn() -> Arc<dyn CallRepository>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<dyn CallRepository>] = cases![
    a_saved_call_is_there_until_it_is_forgotten,
    a_call_replaces_the_one_with_its_id,
    calls_come_page_by_page_and_only_to_their_owner,
    expired_calls_are_forgotten,
];

async fn a_saved_call_is_there_until_it_is_forgotten(store: Arc<dyn CallRepository>) -> CaseResult {
    let id = || CallId::new("one");
    equal(&store.load(id()).await?, &None, "a call nobody saved")?;
    let saved = call("one", "ann", Some(9));
    store.save(saved.clone()).await?;
    equal(&store.load(id()).await?, &Some(saved), "the saved call")?;
    hold(store.forget(id()).await?, "it was there")?;
    hold(!store.forget(id()).await?, "it is gone")?;
    equal(&store.load(id()).await?, &None, "the forgotten call")
}

async fn a_call_replaces_the_one_with_its_id(store: Arc<dyn CallRepository>) -> CaseResult {
    store.save(call("one", "ann", None)).await?;
    let record = r#"{"status":"größer 🦀\u0000"}"#.to_owned();
    let changed =
        PersistedCall { record, updated: Time::from_millis(5), ..call("one", "bob", Some(9)) };
    store.save(changed.clone()).await?;
    equal(&store.load(CallId::new("one")).await?, &Some(changed.clone()), "the newer one")?;
    let none = store.calls_of(Owner::named("ann"), None, 9).await?;
    equal(&none, &vec![], "what the first owner has")?;
    let all = store.calls_of(Owner::named("bob"), None, 9).await?;
    equal(&all, &vec![changed], "what the second owner has")
}

async fn calls_come_page_by_page_and_only_to_their_owner(
    store: Arc<dyn CallRepository>,
) -> CaseResult {
    for (id, owner) in [("b", "ann"), ("a", "ann"), ("d", "bob"), ("c", "ann"), ("e", "ann\0")] {
        store.save(call(id, owner, None)).await?;
    }
    let cases: [(&str, Option<&str>, usize, &[&str]); 6] = [
        ("ann", None, 2, &["a", "b"]),
        ("ann", Some("b"), 2, &["c"]),
        ("ann", Some("bb"), 2, &["c"]),
        ("ann", Some("c"), 2, &[]),
        ("bob", None, usize::MAX, &["d"]),
        ("eve", None, 9, &[]),
    ];
    for (owner, after, limit, expected) in cases {
        let after = after.map(CallId::new);
        let calls = store.calls_of(Owner::named(owner), after, limit).await?;
        let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        equal(ids.as_slice(), expected, owner)?;
    }
    Ok(())
}

async fn expired_calls_are_forgotten(store: Arc<dyn CallRepository>) -> CaseResult {
    store.save(call("endless", "ann", None)).await?;
    for number in 1..=1_010 {
        store.save(call(&number.to_string(), "ann", Some(number))).await?;
    }
    let now = Time::from_millis(1_005);
    equal(&store.forget_expired(now).await?, &1_005, "how many had expired")?;
    equal(&store.forget_expired(now).await?, &0, "how many are left to forget")?;
    let left = store.calls_of(Owner::named("ann"), None, 100).await?;
    equal(&left.len(), &6, "how many stay")?;
    for id in ["endless", "1006"] {
        hold(store.load(CallId::new(id)).await?.is_some(), id)?;
    }
    Ok(())
}

fn call(id: &str, owner: &str, expires: Option<i64>) -> PersistedCall {
    PersistedCall {
        id: CallId::new(id),
        owner: Owner::named(owner),
        updated: Time::from_millis(1),
        expires: expires.map(Time::from_millis),
        record: "{}".into(),
    }
}
