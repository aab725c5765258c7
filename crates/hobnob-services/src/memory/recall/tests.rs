//! Recall on a real store: expected scores, pages, and fallbacks without a model.

mod several_models;
mod steadiness;
mod turns;

use super::fuse::{Listed, Priors, by_both};
use super::snippet::snippet;
use super::turn_weights::TurnWeights;
use super::{EmbeddingModels, Recall, RecallError, RecallMode, RecallRequest, Recalled};
use hobnob_embed::{EmbedError, Embedder, ModelId, Vector};
use hobnob_store::memory::{
    Captured, Memory, MemoryAccess, MemoryFilter, MemoryId, MemoryRepository as _, MemoryScope,
    MemorySearch as _, MemoryStatus, Namespace, NewMemory, NewVector, OrgRole,
};
use hobnob_store::suite::note_in;
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const NOTES: [&str; 12] = [
    "Vector tiles stay in the shared cache for 36 hours; raster tiles only for 6.",
    "The tile cache evicts least-frequently-used entries, not least-recently-used ones.",
    "Webhook receivers have ten seconds to answer, then the delivery is tried again.",
    "Sessions of the dashboard end after 12 hours without activity.",
    "`parse_geo_header` refuses latitudes beyond 85 degrees.",
    "Deploys are frozen from December 18 to January 4.",
    "Descale the espresso machine every two months with citric acid.",
    "The chain of the touring bike has 116 links.",
    "Ola's cheesecake: 750 g quark, four eggs, lemon, an hour at 160 degrees.",
    "Marlene plays the Caro-Kann against everything.",
    "The boiler shows F28 when the gas valve is closed.",
    "Screenshots are compared with a tolerance of two pixels.",
];

#[tokio::test]
async fn scores_say_how_well_a_hit_fits() {
    let store = TestStore::new();
    for note in NOTES {
        store.capture(note).await;
    }
    // The query, the beginning of its best hit, and the bounds of its score.
    let cases: [(&str, Option<&str>, f64, f64); 11] = [
        (NOTES[6], Some("Descale"), 0.95, 1.0),
        ("tile cache eviction least frequently used", Some("The tile cache"), 0.9, 1.0),
        ("parseGeoHeader", Some("`parse_geo"), 0.9, 1.0),
        ("How long do dashboard sessions last?", Some("Sessions"), 0.35, 0.8),
        ("boiler F28", Some("The boiler"), 0.9, 1.0),
        ("When may we not deploy?", Some("Deploys"), 0.35, 0.8),
        ("tolerances of screenshot comparison", Some("Screenshots"), 0.6, 1.0),
        ("How do I reset the router of the holiday flat?", None, 0.0, 0.0),
        ("quarterly revenue forecast for the northern region", None, 0.0, 0.0),
        ("what about it?", None, 0.0, 0.0),
        // One word of four: the hit may be about something else, and is reported as weak.
        ("eggs benedict with spinach and hollandaise", Some("Ola's"), 0.28, 0.35),
    ];
    for (query, expected, min, max) in cases {
        let found = store.ask(None, query, RecallMode::Text).await.unwrap();
        let best = found.hits.first();
        match (best, expected) {
            (None, None) => {}
            (Some(hit), Some(begins)) => {
                assert!(hit.memory.content.starts_with(begins), "{query}: {hit:?}");
                assert!((min..=max).contains(&hit.score), "{query}: {}", hit.score);
                assert_eq!(hit.text_score.map(|score| score <= 1.0), Some(true));
            }
            (best, expected) => panic!("{query}: found {best:?}, expected {expected:?}"),
        }
        assert_eq!(found.weak, best.is_some_and(|hit| hit.score < 0.35), "{query}");
        let falling = found.hits.is_sorted_by(|one, other| other.score <= one.score);
        assert!(falling, "{query}: the best comes first");
    }
}

#[tokio::test]
async fn words_that_nobody_wrote_down_do_not_empty_an_answer() {
    let store = TestStore::new();
    for note in NOTES {
        store.capture(note).await;
    }
    // All but one word are in no note; the best match for that word is found, as a weak hit.
    let query = "bike suspension fork seal replacement interval manufacturer guidance";
    let found = store.ask(None, query, RecallMode::Text).await.unwrap();
    let best = found.hits.first().map(|hit| (hit.memory.content.as_str(), hit.score));
    assert!(matches!(best, Some((it, score)) if it == NOTES[7] && score < 0.28), "{best:?}");
    assert!(found.weak);
}

#[test]
fn most_of_what_is_known_is_enough() {
    // The word score, the share of the query that is known, and whether that is a hit.
    let cases = [
        (0.30, 1.0, true),
        (0.20, 1.0, false),
        (0.20, 0.2, true),
        (0.20, 0.5, false),
        (0.10, 0.1, true),
        (0.05, 0.05, false),
    ];
    for (words, known, is_answer) in cases {
        let priors = Priors { now: Time::from_millis(0), asked: &[], turns: TurnWeights::FITTED };
        let listed = Listed { known, ..Listed::of(vec![(memory("a", "notes"), words)]) };
        let found = super::fuse::by_words(listed, &priors);
        assert_eq!(!found.is_empty(), is_answer, "{words} of {known}");
    }
}

#[test]
fn one_common_word_does_not_outweigh_meaning() {
    let named = |name: &str| memory(name, "notes");
    let priors = Priors { now: Time::from_millis(0), asked: &[], turns: TurnWeights::FITTED };
    // The wrong memory has one word of three; the right one is nearer but has none of them.
    let words = Listed::of(vec![(named("wrong"), 0.38)]);
    let near = Listed::of(vec![(named("right"), 0.39), (named("wrong"), 0.35)]);
    let near = Listed { hits: same_ids(near.hits, &words.hits), ..near };
    let found = by_both(words, near, &priors);
    assert_eq!(found[0].memory.content, "right", "{found:?}");
}

/// The same hits, in which equal contents have the ids of `others`.
fn same_ids(hits: Vec<(Memory, f64)>, others: &[(Memory, f64)]) -> Vec<(Memory, f64)> {
    let same = |(memory, measure): (Memory, f64)| {
        let other = others.iter().find(|(other, _)| other.content == memory.content);
        (other.map_or(memory, |(other, _)| other.clone()), measure)
    };
    hits.into_iter().map(same).collect()
}

#[tokio::test]
async fn among_a_few_a_question_in_other_words_is_answered_too() {
    let store = TestStore::new();
    let few = [
        "We release on Thursdays, never before a holiday.",
        "The staging database is copied every night.",
        "Ada reviews everything that touches billing.",
        "Use tabs in Makefiles.",
    ];
    for note in few {
        store.capture(note).await;
    }
    let found = store.ask(None, "on which day are releases made?", RecallMode::Text).await.unwrap();
    let found: Vec<&str> = found.hits.iter().map(|hit| hit.memory.content.as_str()).collect();
    assert_eq!(found, few[..1]);
    let found = store.ask(None, "who repairs the coffee machine?", RecallMode::Text).await.unwrap();
    assert_eq!(found.hits.len(), 0);
}

#[tokio::test]
async fn pages_are_parts_of_one_order() {
    let store = TestStore::new();
    for number in 0..45 {
        store.capture(&format!("lantern number {number} {}", "and more ".repeat(number))).await;
    }
    let recall = Recall::new(Arc::clone(&store.store) as _, None);
    let request = |limit, after| RecallRequest {
        query: "lantern".into(),
        filter: MemoryFilter { since: Some(Time::from_millis(-50)), ..MemoryFilter::default() },
        mode: RecallMode::Hybrid,
        limit,
        after,
    };
    let whole = recall.recall(access(), request(45, None)).await.unwrap();
    assert_eq!((whole.hits.len(), &whole.next), (45, &None));
    let (mut pieces, mut after) = (Vec::new(), None);
    for page in 0..9 {
        let mut request = request(5, after);
        // Each page is requested a little later than the one before it.
        request.filter.since = Some(Time::from_millis(-50 + page));
        let found = recall.recall(access(), request).await.unwrap();
        assert_eq!(found.hits.len(), 5);
        pieces.extend(found.hits.into_iter().map(|hit| hit.memory.id));
        after = found.next;
        assert_eq!(after.is_none(), page == 8);
    }
    let ids: Vec<MemoryId> = whole.hits.into_iter().map(|hit| hit.memory.id).collect();
    assert_eq!(pieces, ids);

    let next = recall.recall(access(), request(5, None)).await.unwrap().next;
    let other = RecallRequest { query: "number".into(), ..request(5, next.clone()) };
    let other_mode = RecallRequest { mode: RecallMode::Text, ..request(5, next) };
    let strange = ["", ".", "5", "5.x", "-1.0", "5.0123", "99999999999999999999999.1", "\0"];
    let strange = strange.map(|cursor| request(5, Some(cursor.to_owned())));
    for request in strange.into_iter().chain([other, other_mode]) {
        let refused = recall.recall(access(), request).await;
        assert!(matches!(refused, Err(RecallError::Cursor)), "{refused:?}");
    }
}

#[tokio::test]
async fn without_a_model_there_is_text() {
    let store = TestStore::new();
    store.capture(NOTES[7]).await;
    let found = store.ask(None, "bike chain", RecallMode::Hybrid).await.unwrap();
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.hits[0].vector_score, None);
    let error = store.ask(None, "bike chain", RecallMode::Vector).await.unwrap_err();
    assert!(error.to_string().contains("hobnob embeddings install"), "{error}");
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_text_and_says_so() {
    let store = TestStore::new();
    store.capture(NOTES[7]).await;
    let broken = || Some(Arc::new(FixedEmbedder::new(&[])) as Arc<dyn Embedder>);
    let found = store.ask(broken(), "bike chain", RecallMode::Hybrid).await.unwrap();
    assert_eq!(found.hits.len(), 1);
    assert!(found.degraded.is_some_and(|why| why.ends_with("text only")));
    let error = store.ask(broken(), "bike chain", RecallMode::Vector).await.unwrap_err();
    assert!(matches!(error, RecallError::Embed(_)), "{error}");
}

#[tokio::test]
async fn words_and_meaning_find_together_what_each_misses() {
    let store = TestStore::new();
    let words = store.capture("the holiday house in Brittany has a green door").await;
    let meaning = store.capture("our cottage by the sea").await;
    let far = store.capture("quarterly report").await;
    let query = "holiday house";
    let model = FixedEmbedder::new(&[(query, [1.0, 0.0])]);
    store.place(&words, [0.9, 0.44]).await;
    store.place(&meaning, [0.7, 0.71]).await;
    store.place(&far, [0.0, 1.0]).await;
    let model: Arc<dyn Embedder> = Arc::new(model);
    let ids = |found: &Recalled| -> Vec<MemoryId> {
        found.hits.iter().map(|hit| hit.memory.id.clone()).collect()
    };
    let found = store.ask(Some(Arc::clone(&model)), query, RecallMode::Hybrid).await.unwrap();
    assert_eq!(ids(&found), [words.id.clone(), meaning.id.clone()]);
    assert!(0.9 < found.hits[0].score && found.hits[1].score < 0.5, "{found:?}");
    assert_eq!(found.hits[1].text_score, None);
    assert!(found.hits[1].vector_score.is_some_and(|score| (score - 0.7).abs() < 0.02));
    let found = store.ask(Some(Arc::clone(&model)), query, RecallMode::Vector).await.unwrap();
    assert_eq!(ids(&found), [words.id.clone(), meaning.id.clone()]);
    let found = store.ask(Some(model), query, RecallMode::Text).await.unwrap();
    assert_eq!(ids(&found), [words.id]);
}

#[test]
fn words_count_more_where_they_are_there() {
    let named = |name: &str| memory(name, "notes");
    // The word score, the meaning score, and the best hit: `a` has the words, `b` the meaning.
    let cases = [
        (1.0, 0.6, "a"),
        (0.6, 0.6, "a"),
        (0.3, 0.6, "b"),
        (0.1, 0.4, "b"),
        (0.0, 0.3, "b"),
        (0.2, 0.2, ""),
        (0.3, 0.1, ""),
    ];
    for (words, meaning, first) in cases {
        let priors = Priors { now: Time::from_millis(0), asked: &[], turns: TurnWeights::FITTED };
        let by_words = Listed::of(vec![(named("a"), words)]);
        let near = vec![(named("b"), meaning), (named("c"), 0.1)];
        let found = by_both(by_words, Listed::of(near), &priors);
        let best = found.first().map_or("", |it| it.memory.content.as_str());
        assert_eq!(best, first, "{words} by words, {meaning} by meaning: {found:?}");
    }
}

#[test]
fn a_source_that_is_about_it_lifts_its_turns() {
    let of = |name: &str, source: &str| Memory {
        source: Some(source.to_owned()),
        ..memory(name, "notes")
    };
    let near = vec![
        (of("right turn", "chat"), 0.40),
        (of("before it", "chat"), 0.55),
        (of("after it", "chat"), 0.50),
        (of("alone", "elsewhere"), 0.405),
    ];
    let priors = Priors { now: Time::from_millis(0), asked: &[], turns: TurnWeights::FITTED };
    let found = by_both(Listed::of(Vec::new()), Listed::of(near), &priors);
    let order: Vec<&str> = found.iter().map(|it| it.memory.content.as_str()).collect();
    assert_eq!(order, ["before it", "after it", "right turn", "alone"]);
}

#[test]
fn what_fits_poorly_is_called_weak() {
    let priors = Priors { now: Time::from_millis(0), asked: &[], turns: TurnWeights::FITTED };
    for (meaning, weak) in [(0.3, true), (0.9, false)] {
        let near = Listed::of(vec![(memory("a", "notes"), meaning)]);
        let found = by_both(Listed::of(Vec::new()), near, &priors);
        assert_eq!((found.len(), super::fuse::are_weak(&found)), (1, weak), "{meaning}");
    }
    assert!(!super::fuse::are_weak(&[]));
}

#[test]
fn the_newer_and_the_named_come_first_among_equals() {
    let day = |number: i64| Time::from_millis(number * 86_400_000);
    let old = Memory { created: day(0), ..memory("old", "notes") };
    let new = Memory { created: day(100), ..memory("new", "notes") };
    let named = Memory { created: day(0), ..memory("named", "tech-debt") };
    let hits = [&old, &new, &named].map(|memory| (memory.clone(), 0.5)).to_vec();
    let asked = ["debt".to_owned()];
    let priors = Priors { now: day(100), asked: &asked, turns: TurnWeights::FITTED };
    let found = super::fuse::by_words(Listed::of(hits), &priors);
    let order: Vec<&str> = found.iter().map(|it| it.memory.content.as_str()).collect();
    assert_eq!(order, ["named", "new", "old"]);
    // The boosts are small: a hit that is better by a twentieth stays first.
    assert!(found.iter().all(|it| it.score < 0.525), "{found:?}");
}

#[test]
fn a_snippet_shows_the_words_that_were_asked_for() {
    let long =
        format!("{}the needle is here{}", "straw and hay ".repeat(60), " or there".repeat(60));
    let far = format!("needle {}needle and thread {}", "x ".repeat(400), "y ".repeat(400));
    let needle = ["needl".to_owned()];
    let both = ["needl".to_owned(), "thread".to_owned()];
    let shown = snippet(&long, &needle);
    assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
    assert!(shown.contains("the needle is here or there"), "{shown}");
    assert!(snippet(&far, &both).contains("needle and thread"), "{}", snippet(&far, &both));
    let cases = [
        ("", ""),
        ("  a\n\tshort   one ", "a short one"),
        ("needle", "needle"),
        ("no such word", "no such word"),
    ];
    for (text, expected) in cases {
        assert_eq!(snippet(text, &needle), expected, "{text:?}");
    }
    for strange in ["é🧵".repeat(5_000), "x".repeat(100_000), format!("{}needle", "針".repeat(900))]
    {
        let shown = snippet(&strange, &needle);
        assert!(shown.chars().count() <= 202, "{} characters", shown.chars().count());
    }
}

/// A store of its own, removed after the test.
struct TestStore {
    folder: PathBuf,
    store: Arc<SqliteStore>,
}

impl Drop for TestStore {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

impl TestStore {
    fn new() -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("hobnob-recall-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let store = Arc::new(SqliteStore::open(&folder.join("store.db")).unwrap());
        Self { folder, store }
    }

    /// Closes the store and opens it again, as another start of the program does.
    fn reopen(&mut self) {
        let empty = Arc::new(SqliteStore::open(&self.folder.join("other.db")).unwrap());
        drop(std::mem::replace(&mut self.store, empty));
        self.store = Arc::new(SqliteStore::open(&self.folder.join("store.db")).unwrap());
    }

    async fn capture(&self, content: &str) -> Memory {
        self.capture_from(None, content).await
    }

    async fn capture_from(&self, source: Option<&str>, content: &str) -> Memory {
        let new = NewMemory {
            source: source.map(str::to_owned),
            owner: Owner::default(),
            created: Time::from_millis(0),
            ..note_in("notes", content).unwrap()
        };
        let (Captured::New(memory) | Captured::Same(memory)) =
            self.store.capture(new).await.unwrap();
        memory
    }

    async fn place(&self, memory: &Memory, vector: [f32; 2]) {
        self.place_for(MODEL, memory, vector).await;
    }

    async fn place_for(&self, model: &str, memory: &Memory, vector: [f32; 2]) {
        let vectors = vec![NewVector::of_text(memory.id.clone(), memory.version, vector.to_vec())];
        self.store.put_vectors(model.into(), vectors).await.unwrap();
    }

    async fn ask(
        &self,
        embedder: Option<Arc<dyn Embedder>>,
        query: &str,
        mode: RecallMode,
    ) -> Result<Recalled, RecallError> {
        self.ask_models(embedder.into(), query, mode).await
    }

    async fn ask_models(
        &self,
        models: EmbeddingModels,
        query: &str,
        mode: RecallMode,
    ) -> Result<Recalled, RecallError> {
        let recall = Recall::with_models(Arc::clone(&self.store) as _, models);
        let filter = MemoryFilter::default();
        let request = RecallRequest { query: query.into(), filter, mode, limit: 5, after: None };
        recall.recall(access(), request).await
    }
}

/// The model whose unrelated texts have a cosine of 0, as in these tests.
const MODEL: &str = "all-MiniLM-L6-v2";

/// Returns known vectors for known texts, and fails for all others.
struct FixedEmbedder {
    model: ModelId,
    known: Vec<(String, [f32; 2])>,
}

impl FixedEmbedder {
    fn new(known: &[(&str, [f32; 2])]) -> Self {
        Self::named(MODEL, known)
    }

    fn named(model: &str, known: &[(&str, [f32; 2])]) -> Self {
        let known = known.iter().map(|(text, vector)| ((*text).to_owned(), *vector)).collect();
        Self { model: ModelId::new(model), known }
    }
}

impl Embedder for FixedEmbedder {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    fn embed(
        &self,
        texts: Vec<String>,
    ) -> hobnob_embed::EmbedFuture<'_, Result<Vec<Vector>, EmbedError>> {
        Box::pin(async move {
            let known = |text: &String| {
                let found = self.known.iter().find(|(known, _)| known == text);
                let vector = found.and_then(|(_, vector)| Vector::from_raw(vector.to_vec()).ok());
                vector.ok_or_else(|| EmbedError::Unusable("an unknown text".into()))
            };
            texts.iter().map(known).collect()
        })
    }
}

fn access() -> MemoryAccess {
    MemoryAccess {
        owner: Owner::default(),
        org: Some(OrgRole::Admin),
        project: None,
        now: Time::from_millis(1),
    }
}

fn memory(content: &str, namespace: &str) -> Memory {
    Memory {
        id: MemoryId::random().unwrap(),
        owner: Owner::default(),
        scope: MemoryScope::User,
        namespace: Namespace::parse(namespace).unwrap(),
        content: content.into(),
        tags: Vec::new(),
        source: None,
        status: MemoryStatus::Active,
        superseded_by: None,
        version: 1,
        created: Time::from_millis(0),
        updated: Time::from_millis(0),
        expires: None,
    }
}
