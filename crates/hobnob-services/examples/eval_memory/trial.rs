//! Loads one data set into a store of its own, and asks its questions with every method.

use crate::bm25::Bm25;
use crate::data::{DataSet, QuestionLine};
use hobnob_services::memory::grammar::parse_filter;
use hobnob_services::memory::make_vectors;
use hobnob_services::memory::recall::{EmbeddingModels, Recall, RecallMode, RecallRequest};
use hobnob_store::Owner;
use hobnob_store::memory::{Captured, MemoryAccess, MemoryId, MemoryRepository, OrgRole};
use hobnob_store_sqlite::SqliteStore;
use serde::Serialize;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// How many hits a question requests.
const LIMIT: usize = 10;

/// How a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Method {
    /// The baseline, which applies no filter.
    Bm25,
    Text,
    Vector,
    Hybrid,
}

/// What a question found with one method.
pub(crate) struct Answer {
    pub(crate) method: Method,
    pub(crate) kind: String,
    pub(crate) language: String,
    /// Whether anything should be found.
    pub(crate) answerable: bool,
    /// The rank of the first correct hit, from 0.
    pub(crate) rank: Option<usize>,
    /// The score of the best hit.
    pub(crate) best: Option<f64>,
    /// Whether the answer says that even the best hit is a weak match.
    pub(crate) weak: bool,
}

/// A data set in a store of its own, with all vectors.
pub(crate) struct LoadedSet {
    pub(crate) recall: Recall,
    access: MemoryAccess,
    /// The keys of the memories in the data set.
    keys: HashMap<MemoryId, String>,
}

/// Loads a data set into a fresh store in this folder, and computes the vectors.
pub(crate) async fn load(
    folder: &Path,
    set: &DataSet,
    models: EmbeddingModels,
) -> Result<LoadedSet, Box<dyn Error>> {
    let store = Arc::new(SqliteStore::open(&folder.join("store.db"))?);
    let owner = Owner::default();
    let keys = fill(&store, set, &owner).await?;
    let recall = Recall::with_models(store, models);
    make_vectors(&recall).await?;
    let access = MemoryAccess { owner, org: Some(OrgRole::Admin), project: None, now: set.now() };
    Ok(LoadedSet { recall, access, keys })
}

/// Asks all questions with all methods.
pub(crate) async fn ask(
    folder: &Path,
    set: &DataSet,
    models: EmbeddingModels,
) -> Result<Vec<Answer>, Box<dyn Error>> {
    let methods = match &models.main {
        Some(_) => &[Method::Bm25, Method::Text, Method::Vector, Method::Hybrid][..],
        None => &[Method::Bm25, Method::Text],
    };
    let bm25 = Bm25::new(&set.memories);
    let loaded = load(folder, set, models).await?;
    let mut answers = Vec::new();
    for question in &set.questions {
        for method in methods {
            let best = match method {
                Method::Bm25 => by_bm25(&bm25, set, question),
                Method::Text => loaded.ask(question, RecallMode::Text).await?,
                Method::Vector => loaded.ask(question, RecallMode::Vector).await?,
                Method::Hybrid => loaded.ask(question, RecallMode::Hybrid).await?,
            };
            answers.push(Answer {
                method: *method,
                kind: question.kind.clone(),
                language: question.language.clone(),
                answerable: !question.relevant.is_empty(),
                rank: best.rank,
                best: best.score,
                weak: best.weak,
            });
        }
    }
    Ok(answers)
}

async fn fill(
    store: &SqliteStore,
    set: &DataSet,
    owner: &Owner,
) -> Result<HashMap<MemoryId, String>, Box<dyn Error>> {
    let new = set.memories.iter().map(|line| line.new_memory(owner));
    let captured = store.capture_all(new.collect::<Result<_, _>>()?).await?;
    let keys =
        set.memories.iter().zip(captured).filter_map(|(line, outcome)| match outcome.captured {
            Captured::New(memory) => Some((memory.id, line.key.clone())),
            Captured::Same(_) => None,
        });
    Ok(keys.collect())
}

/// The rank of the first correct hit, the score of the best hit, and whether that hit is weak.
pub(crate) struct Ranked {
    pub(crate) rank: Option<usize>,
    score: Option<f64>,
    weak: bool,
}

fn by_bm25(bm25: &Bm25, set: &DataSet, question: &QuestionLine) -> Ranked {
    let right = |place: &usize| {
        set.memories.get(*place).is_some_and(|memory| question.relevant.contains(&memory.key))
    };
    let found = bm25.best(&question.query, LIMIT);
    let score = (!found.is_empty()).then_some(1.0);
    Ranked { rank: found.iter().position(right), score, weak: false }
}

impl LoadedSet {
    pub(crate) async fn ask(
        &self,
        question: &QuestionLine,
        mode: RecallMode,
    ) -> Result<Ranked, Box<dyn Error>> {
        let Self { recall, access, keys } = self;
        let filter = parse_filter(question.filter.as_deref().unwrap_or_default(), access.now)?;
        let query = question.query.clone();
        let request = RecallRequest { query, filter, mode, limit: LIMIT, after: None };
        let recalled = recall.recall(access.clone(), request).await?;
        let hits = recalled.hits;
        let right = |id: &MemoryId| keys.get(id).is_some_and(|key| question.relevant.contains(key));
        let rank = hits.iter().position(|hit| right(&hit.memory.id));
        Ok(Ranked { rank, score: hits.first().map(|hit| hit.score), weak: recalled.weak })
    }
}
