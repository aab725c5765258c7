//! Test cases for agent sessions, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

use super::case::{Case, cases, run};
use super::case_result::{CaseResult, equal, hold};
use crate::agents::{
    AgentHead, AgentSession, AgentSessionError, AgentSessionRepository, MAX_AGENT_SESSIONS,
};
use crate::owner::Owner;
use crate::time::Time;
use std::sync::Arc;

type Port = dyn AgentSessionRepository;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn agents(make: impl AsyncFn() -> Arc<dyn AgentSessionRepository>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<Port>] = cases![
    what_is_added_is_there_until_it_is_removed,
    each_owner_has_names_of_its_own,
    sessions_come_page_by_page,
    a_head_and_a_count_change_nothing_else,
    a_fork_leaves_the_conversation_as_it_is,
    an_owner_has_so_many_sessions_and_no_more,
];

async fn what_is_added_is_there_until_it_is_removed(store: Arc<Port>) -> CaseResult {
    let plain = session("ann", "plain");
    let full = AgentSession {
        folder: "/home/größer 🦀".into(),
        model: Some("opus".into()),
        system_prompt: Some("be\0 brief".into()),
        head: AgentHead::Fork("id-1".into()),
        chats: 7,
        updated: Time::from_millis(9),
        ..session("ann", "full")
    };
    for session in [&plain, &full] {
        store.add_session(session.clone()).await?;
        let found = store.find_session(Owner::named("ann"), session.name.clone()).await?;
        equal(&found.as_ref(), &Some(session), "one by name")?;
    }
    let taken = store.add_session(AgentSession { chats: 9, ..plain.clone() }).await;
    hold(matches!(taken, Err(AgentSessionError::NameTaken)), "a name is there once")?;
    let all = store.list_sessions(Owner::named("ann"), None, 9).await?;
    equal(&all, &vec![full, plain], "all, by name")?;
    let remove = || store.remove_session(Owner::named("ann"), "full".into());
    equal(&remove().await?, &true, "that it was there")?;
    equal(&remove().await?, &false, "that it was not there")?;
    let gone = store.find_session(Owner::named("ann"), "full".into()).await?;
    equal(&gone, &None, "what was removed")
}

async fn each_owner_has_names_of_its_own(store: Arc<Port>) -> CaseResult {
    let owners = ["ann", "bob", "", "ann\0"];
    for owner in owners {
        store.add_session(session(owner, "name")).await?;
    }
    let eve = || Owner::named("eve");
    equal(&store.find_session(eve(), "name".into()).await?, &None, "nobody else's is found")?;
    hold(!store.remove_session(eve(), "name".into()).await?, "nobody else's is removed")?;
    let fresh = AgentHead::Resume("x".into());
    let set = store.set_head(eve(), "name".into(), fresh, Time::from_millis(9)).await?;
    hold(!set, "nobody else's is changed")?;
    hold(!store.count_chat(eve(), "name".into(), Time::from_millis(9)).await?, "or counted")?;
    let forked = store.fork_session(eve(), "name".into(), "new".into(), Time::now()).await;
    hold(matches!(forked, Err(AgentSessionError::NotFound)), "nobody else's is forked")?;
    for owner in owners {
        let all = store.list_sessions(Owner::named(owner), None, 9).await?;
        equal(&all, &vec![session(owner, "name")], "one's own")?;
    }
    Ok(())
}

async fn sessions_come_page_by_page(store: Arc<Port>) -> CaseResult {
    for name in ["b", "a", "d", "c"] {
        store.add_session(session("ann", name)).await?;
    }
    let cases: [(Option<&str>, usize, &[&str]); 5] = [
        (None, 2, &["a", "b"]),
        (Some("b"), 2, &["c", "d"]),
        (Some("bb"), 1, &["c"]),
        (Some("d"), 2, &[]),
        (None, usize::MAX, &["a", "b", "c", "d"]),
    ];
    for (after, limit, expected) in cases {
        let after = after.map(str::to_owned);
        let page = store.list_sessions(Owner::named("ann"), after, limit).await?;
        let names: Vec<&str> = page.iter().map(|it| it.name.as_str()).collect();
        equal(names.as_slice(), expected, "a page")?;
    }
    Ok(())
}

async fn a_head_and_a_count_change_nothing_else(store: Arc<Port>) -> CaseResult {
    let (owner, name) = (|| Owner::named("ann"), || "name".to_owned());
    store.add_session(session("ann", "name")).await?;
    for head in [AgentHead::Resume("one".into()), AgentHead::Fork("two".into()), AgentHead::Fresh] {
        let now = Time::from_millis(5);
        hold(store.set_head(owner(), name(), head.clone(), now).await?, "it is there")?;
        let expected = AgentSession { head, updated: now, ..session("ann", "name") };
        let found = store.find_session(owner(), name()).await?;
        equal(&found, &Some(expected), "with another head")?;
    }
    hold(store.count_chat(owner(), name(), Time::from_millis(6)).await?, "it is there")?;
    let expected =
        AgentSession { chats: 1, updated: Time::from_millis(6), ..session("ann", "name") };
    equal(&store.find_session(owner(), name()).await?, &Some(expected), "with one chat")
}

async fn a_fork_leaves_the_conversation_as_it_is(store: Arc<Port>) -> CaseResult {
    let owner = || Owner::named("ann");
    let fork = |from: &str, to: &str| {
        store.fork_session(owner(), from.into(), to.into(), Time::from_millis(8))
    };
    store.add_session(session("ann", "fresh")).await?;
    equal(&fork("fresh", "fresh-2").await?.head, &AgentHead::Fresh, "nothing to copy")?;
    let head = AgentHead::Resume("id".into());
    let old = AgentSession { chats: 3, model: Some("m".into()), head, ..session("ann", "old") };
    store.add_session(old.clone()).await?;
    let copied = AgentHead::Fork("id".into());
    let expected = AgentSession {
        name: "new".into(),
        head: copied.clone(),
        chats: 0,
        created: Time::from_millis(8),
        updated: Time::from_millis(8),
        ..old.clone()
    };
    equal(&fork("old", "new").await?, &expected, "the fork")?;
    equal(&store.find_session(owner(), "new".into()).await?, &Some(expected), "as stored")?;
    let left = AgentSession { head: copied.clone(), updated: Time::from_millis(8), ..old };
    equal(&store.find_session(owner(), "old".into()).await?, &Some(left.clone()), "the old one")?;
    equal(&fork("new", "newer").await?.head, &copied, "a fork of a fork")?;
    for (from, to, wanted) in [("old", "new", "taken"), ("nowhere", "x", "missing")] {
        let outcome = match fork(from, to).await {
            Err(AgentSessionError::NameTaken) => "taken",
            Err(AgentSessionError::NotFound) => "missing",
            _ => "something else",
        };
        equal(outcome, wanted, from)?;
    }
    equal(&store.find_session(owner(), "old".into()).await?, &Some(left), "unchanged since")
}

async fn an_owner_has_so_many_sessions_and_no_more(store: Arc<Port>) -> CaseResult {
    for number in 0..MAX_AGENT_SESSIONS {
        store.add_session(session("ann", &number.to_string())).await?;
    }
    let more = store.add_session(session("ann", "more")).await;
    hold(matches!(more, Err(AgentSessionError::TooMany)), "one more is refused")?;
    let forked = store.fork_session(Owner::named("ann"), "0".into(), "more".into(), Time::now());
    hold(matches!(forked.await, Err(AgentSessionError::TooMany)), "a fork is one more")?;
    store.add_session(session("bob", "his")).await?;
    Ok(())
}

fn session(owner: &str, name: &str) -> AgentSession {
    AgentSession {
        owner: Owner::named(owner),
        name: name.into(),
        agent: "claude".into(),
        folder: "/home/ann/shop".into(),
        model: None,
        system_prompt: None,
        head: AgentHead::Fresh,
        chats: 0,
        created: Time::from_millis(1),
        updated: Time::from_millis(1),
    }
}
