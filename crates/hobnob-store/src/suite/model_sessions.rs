//! Test cases for sessions with models, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

use super::case::{Case, cases, run};
use super::case_result::{CaseResult, Failed, equal, hold};
use crate::memory::PageRequest;
use crate::model_sessions::{
    AnswerPlace, MAX_MODEL_SESSIONS, ModelSession, ModelSessionError, ModelSessionName,
    NewModelSession,
};
use crate::owner::Owner;
use crate::store::Store;
use crate::time::Time;
use crate::trees::{
    Claimant, NewNode, NodeContent, NodeId, NodeRef, TreeAccess, TreeRef, TreeStateKind,
};
use std::num::NonZeroU32;
use std::sync::Arc;

type Port = dyn Store;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn model_sessions(make: impl AsyncFn() -> Arc<dyn Store>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<Port>] = cases![
    a_new_session_begins_at_the_root_of_its_tree,
    each_owner_has_names_of_its_own,
    sessions_come_page_by_page,
    the_head_moves_with_an_answer,
    a_head_that_somebody_moved_stays,
    the_head_can_be_any_node_of_the_tree,
    what_is_deleted_releases_its_tree,
    an_old_answer_does_not_reach_a_new_session,
    a_tree_that_is_gone_takes_its_session_along,
    an_owner_has_so_many_sessions_and_no_more,
];

async fn a_new_session_begins_at_the_root_of_its_tree(store: Arc<Port>) -> CaseResult {
    let new = NewModelSession {
        model: Some("work/größer".into()),
        system_prompt: Some("be\0 brief 🦀".into()),
        settings: Some(r#"{"max_tokens":5}"#.into()),
        metadata: Some(r#"{"for":"誰か"}"#.into()),
        ..new("a-Name_1")
    };
    let made = store.create_model_session(at("ann", 1), new.clone()).await?;
    let found = store.model_session(at("ann", 2), new.name.clone()).await?;
    equal(&found, &made, "one by name")?;
    equal(&made.model, &new.model, "its model")?;
    equal(&made.system_prompt, &new.system_prompt, "its system prompt")?;
    equal(&made.settings, &new.settings, "its settings")?;
    equal(&made.metadata, &new.metadata, "its metadata")?;
    equal(&(made.created, made.updated), &(day(1), day(1)), "its times")?;
    let tree = store.tree(at("ann", 2), tree_of(&made)).await?;
    equal(&tree.root, &made.head, "its head is the root")?;
    equal(&tree.claims.len(), &1, "its claim")?;
    let root = store.node(at("ann", 2), tree_of(&made), NodeRef::Root).await?;
    let said = NodeContent::Text { role: "system".into(), text: "be\0 brief 🦀".into() };
    equal(&root.content, &said, "what the root says")?;
    let taken = store.create_model_session(at("ann", 1), new).await;
    hold(matches!(taken, Err(ModelSessionError::NameTaken(_))), "a name is there once")
}

async fn each_owner_has_names_of_its_own(store: Arc<Port>) -> CaseResult {
    for owner in ["ann", "bob", ""] {
        let new = NewModelSession { model: Some(owner.into()), ..new("name") };
        store.create_model_session(at(owner, 0), new).await?;
    }
    for owner in ["ann", "bob", ""] {
        let found = store.model_session(at(owner, 0), name("name")).await?;
        equal(&found.model.as_deref(), &Some(owner), "one's own")?;
    }
    let missing = store.model_session(at("eve", 0), name("name")).await;
    hold(matches!(missing, Err(ModelSessionError::NotFound(_))), "nobody else's")?;
    let ann = store.model_session(at("ann", 0), name("name")).await?;
    let stolen = store.move_session_head(at("bob", 0), name("name"), node(&ann.head)).await;
    hold(stolen.is_err(), "a node of somebody else's tree is no head")?;
    let kept = store.delete_model_session(at("eve", 0), name("name")).await;
    hold(kept.is_err(), "nobody else deletes it")
}

async fn sessions_come_page_by_page(store: Arc<Port>) -> CaseResult {
    for name in ["b", "c", "A", "a"] {
        store.create_model_session(at("ann", 0), new(name)).await?;
    }
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = PageRequest { after: after.take(), limit: 3 };
        let page = store.model_sessions(at("ann", 0), page).await?;
        hold(page.items.len() <= 3, "a page is as long as it may be")?;
        found.extend(page.items.into_iter().map(|session| session.name.to_string()));
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    equal(&found, &["A", "a", "b", "c"].map(String::from).to_vec(), "all, by name")?;
    let foreign = PageRequest { after: Some("no cursor".into()), limit: 1 };
    let foreign = store.model_sessions(at("ann", 0), foreign).await;
    hold(matches!(foreign, Err(ModelSessionError::BadCursor)), "a cursor of another list")
}

async fn the_head_moves_with_an_answer(store: Arc<Port>) -> CaseResult {
    let session = store.create_model_session(at("ann", 0), new("name")).await?;
    let place = ask(&*store, &session, "question").await?;
    let before = store.model_session(at("ann", 0), name("name")).await?;
    equal(&before.head, &session.head, "the head before the answer")?;
    let stored = store.add_answer(at("ann", 3), place.clone(), said("assistant", "a")).await?;
    let after = store.model_session(at("ann", 3), name("name")).await?;
    equal(&after.head, &stored.node.shape.id, "the head after it")?;
    equal(&stored.head, &after.head, "what the answer tells of it")?;
    equal(&stored.node.shape.parent, &Some(place.below), "what the answer follows")?;
    equal(&(after.created, after.updated), &(day(0), day(3)), "its times")
}

async fn a_head_that_somebody_moved_stays(store: Arc<Port>) -> CaseResult {
    let session = store.create_model_session(at("ann", 0), new("name")).await?;
    let first = ask(&*store, &session, "first").await?;
    let first = store.add_answer(at("ann", 0), first, said("assistant", "1")).await?;
    let session = store.model_session(at("ann", 0), name("name")).await?;
    let second = ask(&*store, &session, "second").await?;
    store.move_session_head(at("ann", 0), name("name"), NodeRef::Root).await?;
    let second = store.add_answer(at("ann", 0), second, said("assistant", "2")).await?;
    let after = store.model_session(at("ann", 0), name("name")).await?;
    let tree = store.tree(at("ann", 0), tree_of(&session)).await?;
    equal(&after.head, &tree.root, "the head that was chosen")?;
    equal(&second.head, &tree.root, "what the answer tells of it")?;
    hold(second.node.shape.depth == first.node.shape.depth + 2, "the answer is a branch")
}

async fn the_head_can_be_any_node_of_the_tree(store: Arc<Port>) -> CaseResult {
    let session = store.create_model_session(at("ann", 0), new("name")).await?;
    let place = ask(&*store, &session, "question").await?;
    for head in [node(&place.below), NodeRef::Root] {
        let moved = store.move_session_head(at("ann", 5), name("name"), head.clone()).await?;
        let expected = store.node(at("ann", 5), tree_of(&session), head).await?.shape.id;
        equal(&moved.head, &expected, "the head")?;
        equal(&moved.updated, &day(5), "when it was moved")?;
    }
    let missing = NodeRef::Id(NodeId::given("node_0000000000000000"));
    let missing = store.move_session_head(at("ann", 5), name("name"), missing).await;
    hold(matches!(missing, Err(ModelSessionError::Tree(_))), "a node that is not there")
}

async fn what_is_deleted_releases_its_tree(store: Arc<Port>) -> CaseResult {
    let session = store.create_model_session(at("ann", 0), new("name")).await?;
    let deleted = store.delete_model_session(at("ann", 0), name("name")).await?;
    equal(&deleted, &session, "what it was")?;
    let again = store.delete_model_session(at("ann", 0), name("name")).await;
    hold(matches!(again, Err(ModelSessionError::NotFound(_))), "it is gone")?;
    let tree = store.tree(at("ann", 0), tree_of(&session)).await?;
    equal(&tree.state.kind(), &TreeStateKind::Scheduled, "its tree can be brought back")?;
    // A tree with another claim stays active.
    let other = store.create_model_session(at("ann", 0), new("name")).await?;
    let (ada, once) = (Claimant::new("ada"), NonZeroU32::MIN);
    store.claim_tree(at("ann", 0), tree_of(&other), ada, once).await?;
    store.delete_model_session(at("ann", 0), name("name")).await?;
    let tree = store.tree(at("ann", 0), tree_of(&other)).await?;
    equal(&tree.state.kind(), &TreeStateKind::Active, "a tree that others claim")
}

async fn an_old_answer_does_not_reach_a_new_session(store: Arc<Port>) -> CaseResult {
    let old = store.create_model_session(at("ann", 0), new("name")).await?;
    let place = ask(&*store, &old, "question").await?;
    store.delete_model_session(at("ann", 0), name("name")).await?;
    let new = store.create_model_session(at("ann", 0), new("name")).await?;
    let late = store.add_answer(at("ann", 0), place, said("assistant", "late")).await;
    hold(matches!(late, Err(ModelSessionError::NotFound(_))), "a late answer is refused")?;
    let found = store.model_session(at("ann", 0), name("name")).await?;
    equal(&found, &new, "the new session")
}

async fn a_tree_that_is_gone_takes_its_session_along(store: Arc<Port>) -> CaseResult {
    let session = store.create_model_session(at("ann", 0), new("name")).await?;
    store.set_state(at("ann", 0), tree_of(&session), TreeStateKind::Scheduled).await?;
    let page = PageRequest { after: None, limit: 9 };
    let listed = store.model_sessions(at("ann", 30), page.clone()).await?;
    equal(&listed.items.len(), &1, "while the tree can be brought back")?;
    let gone = store.model_session(at("ann", 40), name("name")).await;
    hold(matches!(gone, Err(ModelSessionError::NotFound(_))), "it is gone with the tree")?;
    let listed = store.model_sessions(at("ann", 40), page).await?;
    equal(&listed.items.len(), &0, "nor is it listed")?;
    store.create_model_session(at("ann", 40), new("name")).await?;
    Ok(())
}

async fn an_owner_has_so_many_sessions_and_no_more(store: Arc<Port>) -> CaseResult {
    for number in 0..MAX_MODEL_SESSIONS {
        store.create_model_session(at("ann", 0), new(&format!("s{number}"))).await?;
    }
    let more = store.create_model_session(at("ann", 0), new("more")).await;
    hold(matches!(more, Err(ModelSessionError::TooMany)), "one too many is refused")?;
    store.create_model_session(at("bob", 0), new("more")).await?;
    Ok(())
}

/// Adds a question below the session's head.
async fn ask(store: &dyn Store, session: &ModelSession, text: &str) -> Result<AnswerPlace, Failed> {
    let head = node(&session.head);
    let nodes = vec![said("user", text)];
    let made = store.append_nodes(at("ann", 0), tree_of(session), head, nodes).await?;
    let below = made.into_iter().next().ok_or_else(|| Failed::because("no node was made"))?;
    Ok(AnswerPlace {
        session: session.name.clone(),
        tree: session.tree.clone(),
        head: session.head.clone(),
        below: below.shape.id,
    })
}

fn new(name: &str) -> NewModelSession {
    let name = self::name(name);
    NewModelSession { name, model: None, system_prompt: None, settings: None, metadata: None }
}

fn name(raw: &str) -> ModelSessionName {
    // An invalid name is replaced, so the case that uses it fails.
    ModelSessionName::parse(raw).unwrap_or_else(|| name("not-a-name"))
}

fn said(role: &str, text: &str) -> NewNode {
    NewNode { content: NodeContent::Text { role: role.into(), text: text.into() }, metadata: None }
}

fn node(id: &NodeId) -> NodeRef {
    NodeRef::Id(id.clone())
}

fn tree_of(session: &ModelSession) -> TreeRef {
    TreeRef::Id(session.tree.clone())
}

fn at(owner: &str, days: i64) -> TreeAccess {
    TreeAccess { owner: Owner::named(owner), now: day(days) }
}

/// Midnight at the start of this day.
fn day(days: i64) -> Time {
    Time::from_millis(days * 24 * 60 * 60 * 1_000)
}
