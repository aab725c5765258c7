//! Turns of a conversation that ask and that answer: which of them comes first, and with what
//! confidence.

use super::{FixedEmbedder, MODEL, TestStore, access};
use crate::memory::recall::{Recall, RecallMode, RecallRequest, TurnWeights};
use hobnob_embed::Embedder;
use hobnob_store::memory::{Memory, MemoryFilter};
use std::sync::Arc;

const QUESTION: &str = "Where is the vaccination certificate?";
const ASKS: &str = "Nora: Have you seen the yellow booklet of the cat?";
const ANSWERS: &str = "Pavel: In the tin on top of the fridge.";

/// Two turns of a talk: the first resembles the question, the second answers it.
async fn talk(source: Option<&str>) -> (TestStore, [Memory; 2]) {
    let store = TestStore::new();
    let asks = store.capture_from(source, ASKS).await;
    let answers = store.capture_from(source, ANSWERS).await;
    store.place(&asks, [0.6, 0.8]).await;
    store.place(&answers, [0.45, 0.893]).await;
    (store, [asks, answers])
}

async fn first(store: &TestStore, turns: TurnWeights, mode: RecallMode) -> Option<String> {
    let model: Arc<dyn Embedder> = Arc::new(FixedEmbedder::named(MODEL, &[(QUESTION, [1.0, 0.0])]));
    let mut recall = Recall::new(Arc::clone(&store.store) as _, Some(model));
    recall.turns = turns;
    let (query, filter) = (QUESTION.to_owned(), MemoryFilter::default());
    let request = RecallRequest { query, filter, mode, limit: 5, after: None };
    let found = recall.recall(access(), request).await.unwrap();
    found.hits.into_iter().next().map(|hit| hit.memory.content)
}

#[tokio::test]
async fn an_answer_comes_before_the_question_that_it_answers() {
    let (store, _) = talk(Some("chat/cat")).await;
    for mode in [RecallMode::Hybrid, RecallMode::Vector] {
        let plain = first(&store, TurnWeights::NONE, mode).await;
        assert_eq!(plain.as_deref(), Some(ASKS), "{mode:?}");
        let fitted = first(&store, TurnWeights::FITTED, mode).await;
        assert_eq!(fitted.as_deref(), Some(ANSWERS), "{mode:?}");
    }
}

#[tokio::test]
async fn only_turns_of_one_conversation_are_question_and_answer() {
    let (store, _) = talk(None).await;
    let fitted = first(&store, TurnWeights::FITTED, RecallMode::Hybrid).await;
    assert_eq!(fitted.as_deref(), Some(ASKS));
}
