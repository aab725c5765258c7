//! Conversations on a real store.

use super::{Conversation, ConversationError};
use crate::history::{PastCalls, SUMMARY_ROLE};
use hobnob_store::model_sessions::{ModelSessionName, NewModelSession};
use hobnob_store::trees::{NewNode, NodeContent};
use hobnob_store::{Owner, Store};
use hobnob_store_sqlite::SqliteStore;
use std::sync::Arc;

fn said(role: &str, text: &str) -> NewNode {
    let content = NodeContent::Text { role: role.into(), text: text.into() };
    NewNode { content, metadata: None }
}

fn texts(conversation: &Conversation) -> Vec<String> {
    let turns = conversation.history(PastCalls::Calls).turns;
    turns.iter().map(hobnob_llm::ModelMessage::text).collect()
}

#[tokio::test]
async fn it_goes_on_where_it_stopped_and_back_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("s.db")).unwrap());
    let name = ModelSessionName::parse("s").unwrap();
    let new = NewModelSession {
        name: name.clone(),
        model: None,
        system_prompt: Some("be kind".into()),
        settings: None,
        metadata: None,
    };
    let owner = Owner::default();
    let mut it = Conversation::begin(Arc::clone(&store), owner.clone(), new).await.unwrap();
    it.ask("one".into()).await.unwrap();
    let first = it.add(said("assistant", "1")).await.unwrap();

    // A question without an answer is not in the history, nor in a reopened session.
    it.ask("never answered".into()).await.unwrap();
    let reopened =
        async || Conversation::open(Arc::clone(&store), owner.clone(), name.clone()).await.unwrap();
    assert_eq!(texts(&reopened().await), ["one", "1"]);
    it.drop_question();
    assert_eq!(texts(&it), ["one", "1"]);

    it.ask("two".into()).await.unwrap();
    it.add(said("assistant", "2")).await.unwrap();
    assert_eq!(texts(&reopened().await), ["one", "1", "two", "2"]);
    it.move_to(first).await.unwrap();
    assert_eq!(texts(&it), ["one", "1"]);
    assert_eq!(texts(&reopened().await), ["one", "1"]);

    // A summary replaces what was said for the model; the session reopens in the same way.
    it.add(said(SUMMARY_ROLE, "short")).await.unwrap();
    it.ask("three".into()).await.unwrap();
    it.add(said("assistant", "3")).await.unwrap();
    let again = reopened().await;
    assert_eq!(texts(&again), texts(&it));
    assert!(texts(&again)[0].ends_with("short\n\nthree"), "{:?}", texts(&again));
    assert_eq!(again.history(PastCalls::Calls).system.as_deref(), Some("be kind"));

    // A branch sees nothing of its parent, and the parent sees nothing of the branch.
    let from = it.branch_point();
    let mut branch = Conversation::branch(&from, "task".into(), "{}".into()).await.unwrap();
    branch.ask("do it".into()).await.unwrap();
    branch.add(said("assistant", "done")).await.unwrap();
    assert_eq!(texts(&branch), ["do it", "done"]);
    assert_eq!(texts(&reopened().await), texts(&it));

    let unknown = ModelSessionName::parse("other").unwrap();
    let missing = Conversation::open(store, owner, unknown).await;
    assert!(matches!(missing, Err(ConversationError::Session(_))));
}
