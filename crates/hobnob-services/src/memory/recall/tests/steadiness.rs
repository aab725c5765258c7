//! What must not change a ranking, and what a model that cannot be used leaves of a search: another
//! start, other numbers of threads, damaged weights.

use super::{FixedEmbedder, MODEL, TestStore, access};
use crate::memory::recall::{Recall, RecallMode, RecallRequest};
use hobnob_embed::{Embedder, MiniLm};
use hobnob_store::memory::MemoryFilter;
use hobnob_store_sqlite::SqliteStore;
use std::fs::File;
use std::sync::Arc;

const QUESTIONS: [&str; 3] =
    ["which boat needs paint", "boat 7 in the harbour", "the harbour master"];

/// The hits of all questions with the bits of their scores.
async fn ranking(store: Arc<SqliteStore>) -> Vec<(String, u64)> {
    let known = QUESTIONS.map(|question| (question, [0.8, 0.6]));
    let model: Arc<dyn Embedder> = Arc::new(FixedEmbedder::named(MODEL, &known));
    let recall = Recall::new(store as _, Some(model));
    let mut hits = Vec::new();
    for query in QUESTIONS {
        for mode in [RecallMode::Text, RecallMode::Vector, RecallMode::Hybrid] {
            let (query, filter) = (query.to_owned(), MemoryFilter::default());
            let request = RecallRequest { query, filter, mode, limit: 100, after: None };
            let found = recall.recall(access(), request).await.unwrap();
            let hit = found.hits.into_iter().map(|it| (it.memory.content, it.score.to_bits()));
            hits.extend(hit);
        }
    }
    hits
}

#[test]
fn a_restart_and_more_threads_leave_every_score_as_it_was() {
    let one = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut four = tokio::runtime::Builder::new_multi_thread();
    let four = four.worker_threads(4).enable_all().build().unwrap();
    let mut store = TestStore::new();
    one.block_on(async {
        for number in 0..60_u8 {
            let content = format!("boat {number} in the harbour {}", number % 7);
            let memory = store.capture_from(Some("harbour"), &content).await;
            // Several memories have the same vector, so that ties occur.
            let angle = f32::from(number % 11) / 10.0;
            store.place(&memory, [angle.cos(), angle.sin()]).await;
        }
    });
    let before = one.block_on(ranking(Arc::clone(&store.store)));
    assert!(100 < before.len(), "{}", before.len());
    assert_eq!(four.block_on(ranking(Arc::clone(&store.store))), before, "four threads");
    store.reopen();
    assert_eq!(four.block_on(ranking(Arc::clone(&store.store))), before, "after a restart");
    assert_eq!(one.block_on(ranking(Arc::clone(&store.store))), before, "one thread again");
}

#[tokio::test]
async fn damaged_weights_leave_the_search_by_words_which_says_so() {
    let store = TestStore::new();
    let boat = store.capture("The boat needs paint below the waterline").await;
    let folder = store.folder.join("all-MiniLM-L6-v2");
    std::fs::create_dir_all(&folder).unwrap();
    // Files of the right sizes without the right content, as a broken disk leaves them.
    for (file, bytes) in [("model-int8.safetensors", 23_470_104), ("vocab.txt", 231_508)] {
        File::create(folder.join(file)).unwrap().set_len(bytes).unwrap();
    }
    let ask = async |mode| {
        let model: Arc<dyn Embedder> = Arc::new(MiniLm::open(&folder).unwrap());
        store.ask(Some(model), QUESTIONS[0], mode).await
    };
    let found = ask(RecallMode::Hybrid).await.unwrap();
    assert_eq!(found.hits.first().map(|hit| &hit.memory.id), Some(&boat.id));
    let note = found.degraded.unwrap();
    assert!(note.contains("is damaged") && note.ends_with("text only"), "{note}");
    assert!(ask(RecallMode::Vector).await.is_err());

    // A file whose download ended half-way is not opened at all.
    let half = File::options().write(true).open(folder.join("model-int8.safetensors")).unwrap();
    half.set_len(11_000_000).unwrap();
    let refused = MiniLm::open(&folder).err().map(|error| error.to_string());
    assert!(refused.is_some_and(|why| why.contains("model-int8.safetensors")));
}
