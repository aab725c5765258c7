//! Loads one data set into a store of its own, and asks its questions in every mode.

use crate::data::{DataSet, QuestionLine};
use hobnob_embed::Embedder;
use hobnob_services::memory::grammar::parse_filter;
use hobnob_services::memory::make_vectors;
use hobnob_services::memory::recall::{Recall, RecallMode, RecallRequest};
use hobnob_store::Owner;
use hobnob_store::memory::{Captured, MemoryAccess, MemoryId, MemoryRepository, OrgRole};
use hobnob_store_sqlite::SqliteStore;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// How many hits a question requests.
const LIMIT: usize = 10;

/// What a question found in one mode.
pub(crate) struct Answer {
    pub(crate) mode: RecallMode,
    pub(crate) kind: String,
    /// Whether anything should be found.
    pub(crate) answerable: bool,
    /// The rank of the first correct hit, from 0.
    pub(crate) rank: Option<usize>,
    /// The score of the best hit.
    pub(crate) best: Option<f64>,
    /// Whether the answer says that even the best hit is a weak match.
    pub(crate) weak: bool,
    /// The index of the question in its data set.
    pub(crate) number: usize,
}

/// Asks all questions in all modes.
pub(crate) async fn ask(
    work: &Path,
    set: &DataSet,
    embedder: Option<Arc<dyn Embedder>>,
) -> Result<Vec<Answer>, Box<dyn Error>> {
    std::fs::create_dir_all(work)?;
    let folder = work.join(format!("store-{}", std::process::id()));
    let answers = ask_in(&folder, set, embedder).await;
    std::fs::remove_dir_all(&folder)?;
    answers
}

async fn ask_in(
    folder: &Path,
    set: &DataSet,
    embedder: Option<Arc<dyn Embedder>>,
) -> Result<Vec<Answer>, Box<dyn Error>> {
    let store = Arc::new(SqliteStore::open(&folder.join("store.db"))?);
    let owner = Owner::default();
    let keys = fill(&store, set, &owner).await?;
    let modes = match &embedder {
        Some(_) => &[RecallMode::Text, RecallMode::Vector, RecallMode::Hybrid][..],
        None => &[RecallMode::Text],
    };
    let recall = Recall::new(store, embedder);
    make_vectors(&recall).await?;
    let access = MemoryAccess { owner, org: Some(OrgRole::Admin), project: None, now: set.now() };
    let mut answers = Vec::new();
    for (number, question) in set.questions.iter().enumerate() {
        for mode in modes {
            let (rank, best, weak) = ask_one(&recall, &access, &keys, question, *mode).await?;
            answers.push(Answer {
                mode: *mode,
                kind: question.kind.clone(),
                answerable: !question.relevant.is_empty(),
                rank,
                best,
                weak,
                number,
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

async fn ask_one(
    recall: &Recall,
    access: &MemoryAccess,
    keys: &HashMap<MemoryId, String>,
    question: &QuestionLine,
    mode: RecallMode,
) -> Result<(Option<usize>, Option<f64>, bool), Box<dyn Error>> {
    let filter = parse_filter(question.filter.as_deref().unwrap_or_default(), access.now)?;
    let query = question.query.clone();
    let request = RecallRequest { query, filter, mode, limit: LIMIT, after: None };
    let recalled = recall.recall(access.clone(), request).await?;
    let hits = recalled.hits;
    let right = |id: &MemoryId| keys.get(id).is_some_and(|key| question.relevant.contains(key));
    let rank = hits.iter().position(|hit| right(&hit.memory.id));
    Ok((rank, hits.first().map(|hit| hit.score), recalled.weak))
}
