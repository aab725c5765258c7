//! Making vectors on a real store, with models that refuse texts.

use super::{MAX_REFUSED, RETRY_REFUSED_AFTER, RefusedTexts, VectorFailure, make_all};
use crate::memory::recall::{EmbeddingModels, Recall};
use hobnob_embed::{EmbedError, EmbedFuture, Embedder, ModelId, Vector};
use hobnob_store::memory::{
    MemoryRepository as _, MemorySearch as _, NewMemory, NewVector, WantedWords,
};
use hobnob_store::suite::note_in;
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio_util::sync::CancellationToken;

const MODEL: &str = "picky";

/// Refuses calls that contain certain texts, with this HTTP status.
struct RefusingEmbedder {
    model: ModelId,
    status: u16,
    refuses: fn(&str) -> bool,
    is_mended: AtomicBool,
    asked: Mutex<Vec<usize>>,
}

impl RefusingEmbedder {
    fn new(status: u16, refuses: fn(&str) -> bool) -> Arc<Self> {
        Self::named(MODEL, status, refuses)
    }

    fn named(name: &str, status: u16, refuses: fn(&str) -> bool) -> Arc<Self> {
        let (model, is_mended, asked) =
            (ModelId::new(name), AtomicBool::new(false), Mutex::default());
        Arc::new(Self { model, status, refuses, is_mended, asked })
    }

    /// The number of texts in each call since the last time.
    fn asked(&self) -> Vec<usize> {
        std::mem::take(&mut self.asked.lock())
    }
}

impl Embedder for RefusingEmbedder {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    fn embed(&self, texts: Vec<String>) -> EmbedFuture<'_, Result<Vec<Vector>, EmbedError>> {
        self.asked.lock().push(texts.len());
        let refused = texts.iter().any(|text| (self.refuses)(text));
        let vector = || Vector::from_raw(vec![1.0, 0.0]).expect("a direction");
        let answer = if refused && !self.is_mended.load(Ordering::Relaxed) {
            Err(EmbedError::Refused { status: self.status, reason: "no".into() })
        } else {
            Ok(texts.iter().map(|_| vector()).collect())
        };
        Box::pin(std::future::ready(answer))
    }
}

struct TestStore {
    folder: std::path::PathBuf,
    store: Arc<SqliteStore>,
    recall: Recall,
    refused: RefusedTexts,
}

impl Drop for TestStore {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

impl TestStore {
    fn new(model: &Arc<RefusingEmbedder>) -> Self {
        Self::with_models(Some(Arc::clone(model) as Arc<dyn Embedder>).into())
    }

    fn with_models(models: EmbeddingModels) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("hobnob-vectors-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let store = Arc::new(SqliteStore::open(&folder.join("store.db")).unwrap());
        let recall = Recall::with_models(Arc::clone(&store) as _, models);
        Self { folder, store, recall, refused: RefusedTexts::default() }
    }

    async fn capture(&self, content: String) {
        let new = NewMemory {
            owner: Owner::default(),
            created: Time::from_millis(0),
            ..note_in("notes", &content).unwrap()
        };
        self.store.capture(new).await.unwrap();
    }

    async fn make_all(&mut self) -> Result<(), VectorFailure> {
        make_all(&self.recall, &mut self.refused, &CancellationToken::new()).await
    }

    async fn embedded(&self) -> (u64, u64) {
        self.store.embedded(MODEL.into()).await.unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_refused_holds_up_no_other() {
    let model = RefusingEmbedder::new(400, |text| text.contains("bad"));
    let mut test = TestStore::new(&model);
    for number in 0..40 {
        let word = if number == 20 || number == 39 { "bad" } else { "good" };
        test.capture(format!("{word} {number}")).await;
    }
    test.make_all().await.unwrap();
    assert_eq!(test.embedded().await, (38, 40));
    model.asked();
    test.make_all().await.unwrap();
    assert_eq!(model.asked(), [0; 0], "what was refused is not asked for at once");
    test.capture("good news".into()).await;
    test.make_all().await.unwrap();
    assert_eq!(test.embedded().await, (39, 41));
    assert_eq!(model.asked(), [1]);
    // The cause of a refusal may be fixed later.
    model.is_mended.store(true, Ordering::Relaxed);
    tokio::time::advance(RETRY_REFUSED_AFTER).await;
    test.make_all().await.unwrap();
    assert_eq!(test.embedded().await, (41, 41));
}

#[tokio::test]
async fn a_key_that_is_refused_is_not_the_fault_of_a_text() {
    let model = RefusingEmbedder::new(401, |_| true);
    let mut test = TestStore::new(&model);
    for number in 0..5 {
        test.capture(format!("note {number}")).await;
    }
    assert!(matches!(test.make_all().await, Err(VectorFailure::Embed(_))));
    assert_eq!(model.asked(), [5], "one question is enough");
    assert_eq!(test.refused.count(model.model()), 0);
}

#[tokio::test]
async fn a_model_that_refuses_everything_is_asked_only_so_often() {
    let model = RefusingEmbedder::new(422, |_| true);
    let mut test = TestStore::new(&model);
    for number in 0..MAX_REFUSED + 40 {
        test.capture(format!("note {number}")).await;
    }
    assert!(matches!(test.make_all().await, Err(VectorFailure::Embed(_))));
    model.asked();
    assert!(matches!(test.make_all().await, Err(VectorFailure::Embed(_))));
    assert_eq!(model.asked(), [16, 1]);
}

#[tokio::test]
async fn vectors_of_another_model_in_use_are_kept() {
    let model = RefusingEmbedder::new(400, |_| false);
    let mut test = TestStore::new(&model);
    test.capture("a note".into()).await;
    let missing =
        test.store.unembedded("other".into(), WantedWords::No, Time::now(), 5).await.unwrap();
    let made = missing.into_iter();
    let made = made.map(|it| NewVector::of_text(it.id, it.version, vec![0.0, 1.0])).collect();
    test.store.put_vectors("other".into(), made).await.unwrap();
    test.make_all().await.unwrap();
    assert_eq!(test.store.embedded("other".into()).await.unwrap(), (1, 1));
    assert_eq!(test.embedded().await, (1, 1));
}

/// A store with a main and a second model.
fn two_models(main: &Arc<RefusingEmbedder>, second: &Arc<RefusingEmbedder>) -> TestStore {
    let embedder = |it: &Arc<RefusingEmbedder>| Some(Arc::clone(it) as Arc<dyn Embedder>);
    let models = EmbeddingModels { multilingual: embedder(second), ..embedder(main).into() };
    TestStore::with_models(models)
}

#[tokio::test]
async fn every_model_in_use_gets_its_vectors() {
    let main = RefusingEmbedder::new(400, |_| false);
    let second = RefusingEmbedder::named("second", 400, |text| text.contains("bad"));
    let mut test = two_models(&main, &second);
    for word in ["good", "bad", "fine"] {
        test.capture(format!("a {word} note")).await;
    }
    test.make_all().await.unwrap();
    // The second model's refusal says nothing about the main model.
    assert_eq!(test.embedded().await, (3, 3));
    assert_eq!(test.store.embedded("second".into()).await.unwrap(), (2, 3));
}

#[tokio::test]
async fn a_model_that_fails_does_not_hold_up_the_other() {
    let main = RefusingEmbedder::new(401, |_| true);
    let second = RefusingEmbedder::named("second", 400, |_| false);
    let mut test = two_models(&main, &second);
    for number in 0..40 {
        test.capture(format!("note {number}")).await;
    }
    assert!(matches!(test.make_all().await, Err(VectorFailure::Embed(_))));
    assert_eq!(test.embedded().await, (0, 40));
    assert_eq!(test.store.embedded("second".into()).await.unwrap(), (40, 40));
    assert_eq!(main.asked(), [16], "a key that is refused is tried once");
}
