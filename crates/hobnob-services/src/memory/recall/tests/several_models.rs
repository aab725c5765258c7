//! A main model, a multilingual one beside it, and a former one: whose score counts for which
//! memory, and what happens when one of them fails.

use super::{FixedEmbedder, MODEL, TestStore};
use crate::memory::recall::{EmbeddingModels, RecallMode};
use hobnob_embed::Embedder;
use std::sync::Arc;

const MULTILINGUAL: &str = "multilingual";
const FORMER: &str = "former";
const QUESTION: &str = "Where is the key to the boiler room?";
const GERMAN: &str = "Der Heizungskeller ist nur mit dem roten Schlüssel zu öffnen.";
const ENGLISH: &str = "They keep their bicycles in the shed behind the house.";

const SAME: [f32; 2] = [1.0, 0.0];
const NEAR: [f32; 2] = [0.8, 0.6];
const FAR: [f32; 2] = [0.4, 0.916_515];
const UNRELATED: [f32; 2] = [0.0, 1.0];

fn knowing(model: &str) -> Option<Arc<dyn Embedder>> {
    Some(Arc::new(FixedEmbedder::named(model, &[(QUESTION, SAME)])))
}

fn failing(model: &str) -> Option<Arc<dyn Embedder>> {
    Some(Arc::new(FixedEmbedder::named(model, &[])))
}

/// The hits' contents and meaning scores in hundredths, and whether a model was missing.
async fn found(store: &TestStore, models: EmbeddingModels) -> (Vec<(String, i64)>, Option<String>) {
    let found = store.ask_models(models, QUESTION, RecallMode::Vector).await.unwrap();
    let score = |score: Option<f64>| (score.unwrap_or_default() * 100.0).round() as i64;
    let hits = found.hits.into_iter().map(|hit| (hit.memory.content, score(hit.vector_score)));
    (hits.collect(), found.degraded)
}

/// A German and an English memory; the main model finds the English one nearer.
async fn two_languages() -> TestStore {
    let store = TestStore::new();
    let (german, english) = (store.capture(GERMAN).await, store.capture(ENGLISH).await);
    store.place(&german, UNRELATED).await;
    store.place(&english, FAR).await;
    store.place_for(MULTILINGUAL, &german, SAME).await;
    store.place_for(MULTILINGUAL, &english, NEAR).await;
    store
}

#[tokio::test]
async fn the_multilingual_model_has_a_say_across_languages_only() {
    let store = two_languages().await;
    let main = || EmbeddingModels::from(knowing(MODEL));
    assert_eq!(found(&store, main()).await.0, [(ENGLISH.to_owned(), 40)]);
    let both = EmbeddingModels { multilingual: knowing(MULTILINGUAL), ..main() };
    let (hits, degraded) = found(&store, both).await;
    // The English memory keeps its score, although the multilingual model says more.
    assert_eq!((hits[0].0.as_str(), hits[1].clone()), (GERMAN, (ENGLISH.to_owned(), 40)));
    assert!(60 < hits[0].1, "{hits:?}");
    assert_eq!(degraded, None);
}

#[tokio::test]
async fn the_multilingual_model_works_alone() {
    let store = two_languages().await;
    let alone = EmbeddingModels { multilingual: knowing(MULTILINGUAL), ..Default::default() };
    let hits = found(&store, alone).await.0;
    assert_eq!(hits, [(GERMAN.to_owned(), 100), (ENGLISH.to_owned(), 100)]);
}

#[tokio::test]
async fn one_model_that_fails_leaves_the_other() {
    let store = two_languages().await;
    let models = EmbeddingModels { multilingual: failing(MULTILINGUAL), ..knowing(MODEL).into() };
    let (hits, degraded) = found(&store, models).await;
    assert_eq!(hits, [(ENGLISH.to_owned(), 40)]);
    assert!(degraded.is_some_and(|why| why.contains("an unknown text")));
    let models = EmbeddingModels { multilingual: knowing(MULTILINGUAL), ..failing(MODEL).into() };
    assert_eq!(found(&store, models).await.0.len(), 2);
    let models = EmbeddingModels { multilingual: failing(MULTILINGUAL), ..failing(MODEL).into() };
    let nothing = store.ask_models(models, QUESTION, RecallMode::Vector).await;
    assert!(nothing.is_err(), "without any model there is no search by meaning");
}

#[tokio::test]
async fn a_former_model_answers_until_all_vectors_are_made_again() {
    let store = TestStore::new();
    let (old, new) = (store.capture("They moved the archive.").await, store.capture(ENGLISH).await);
    for memory in [&old, &new] {
        store.place_for(FORMER, memory, NEAR).await;
    }
    store.place(&new, FAR).await;
    let former = knowing(FORMER).into_iter().collect();
    let models = EmbeddingModels { former, ..knowing(MODEL).into() };
    // The newer memory is judged by the main model only, the other by the one whose vector it has.
    // Unrelated texts are not known to this model, so its level cannot be measured.
    let (hits, degraded) = found(&store, models.clone()).await;
    assert_eq!(hits, [(ENGLISH.to_owned(), 40)]);
    assert!(degraded.is_some(), "the former model was asked");
    store.place(&old, FAR).await;
    let (hits, degraded) = found(&store, models).await;
    assert_eq!((hits.len(), degraded), (2, None), "the former model is not asked any more");
}
