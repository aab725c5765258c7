//! One data set in a store of its own, and what its questions find.

use crate::cached::Cached;
use crate::data::{DataSet, QuestionLine};
use hobnob_embed::Embedder;
use hobnob_services::memory::grammar::parse_filter;
use hobnob_services::memory::recall::{Recall, RecallMode, RecallRequest};
use hobnob_store::memory::{Captured, MemoryAccess, MemoryId, MemoryRepository, MemorySearch};
use hobnob_store::sqlite::SqliteStore;
use hobnob_store::{Owner, Time};
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// Hits that are looked at.
const LIMIT: usize = 10;
/// Memories that are embedded at once.
const AT_ONCE: usize = 64;

/// What a question found in one mode.
pub(crate) struct Answer {
    pub(crate) mode: RecallMode,
    pub(crate) kind: String,
    /// Whether anything should be found.
    pub(crate) answerable: bool,
    /// The place of the first right hit, from 0.
    pub(crate) rank: Option<usize>,
    /// The best hit's score.
    pub(crate) best: Option<f64>,
    /// Which question of all it is.
    pub(crate) number: usize,
}

/// Asks all questions in all modes.
pub(crate) async fn ask(
    work: &Path,
    set: &DataSet,
    model: Option<Arc<Cached>>,
) -> Result<Vec<Answer>, Box<dyn Error>> {
    std::fs::create_dir_all(work)?;
    let folder = work.join(format!("store-{}", std::process::id()));
    let answers = ask_in(&folder, set, model).await;
    std::fs::remove_dir_all(&folder)?;
    answers
}

async fn ask_in(
    folder: &Path,
    set: &DataSet,
    model: Option<Arc<Cached>>,
) -> Result<Vec<Answer>, Box<dyn Error>> {
    let store = Arc::new(SqliteStore::open(&folder.join("store.db"))?);
    let owner = Owner::default();
    let keys = fill(&store, set, &owner).await?;
    let embedder = model.map(|model| model as Arc<dyn Embedder>);
    if let Some(embedder) = &embedder {
        embed(&*store, &**embedder).await?;
    }
    let modes = match &embedder {
        Some(_) => &[RecallMode::Text, RecallMode::Vector, RecallMode::Hybrid][..],
        None => &[RecallMode::Text],
    };
    let recall = Recall::new(store, embedder);
    let access = MemoryAccess { owner, project: None, now: set.now() };
    let mut answers = Vec::new();
    for (number, question) in set.questions.iter().enumerate() {
        for mode in modes {
            let (rank, best) = one(&recall, &access, &keys, question, *mode).await?;
            answers.push(Answer {
                mode: *mode,
                kind: question.kind.clone(),
                answerable: !question.relevant.is_empty(),
                rank,
                best,
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
    let keys = set.memories.iter().zip(captured).filter_map(|(line, captured)| match captured {
        Captured::New(memory) => Some((memory.id, line.key.clone())),
        Captured::Same(_) => None,
    });
    Ok(keys.collect())
}

async fn embed(search: &dyn MemorySearch, embedder: &dyn Embedder) -> Result<(), Box<dyn Error>> {
    let model = embedder.model().to_string();
    loop {
        let missing = search.unembedded(model.clone(), Time::now(), AT_ONCE).await?;
        if missing.is_empty() {
            return Ok(());
        }
        let texts = missing.iter().map(|memory| memory.text.clone()).collect();
        let vectors = embedder.embed(texts).await?;
        let named = missing.into_iter().zip(vectors);
        let vectors = named.map(|(it, vector)| (it.id, it.version, vector.as_slice().to_vec()));
        search.put_vectors(model.clone(), vectors.collect()).await?;
    }
}

async fn one(
    recall: &Recall,
    access: &MemoryAccess,
    keys: &HashMap<MemoryId, String>,
    question: &QuestionLine,
    mode: RecallMode,
) -> Result<(Option<usize>, Option<f64>), Box<dyn Error>> {
    let filter = parse_filter(question.filter.as_deref().unwrap_or_default(), access.now)?;
    let query = question.query.clone();
    let request = RecallRequest { query, filter, mode, limit: LIMIT, after: None };
    let hits = recall.recall(access.clone(), request).await?.hits;
    let right = |id: &MemoryId| keys.get(id).is_some_and(|key| question.relevant.contains(key));
    let rank = hits.iter().position(|hit| right(&hit.memory.id));
    Ok((rank, hits.first().map(|hit| hit.score)))
}
