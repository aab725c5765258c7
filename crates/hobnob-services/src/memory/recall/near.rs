//! Searches by meaning with every model of a recall, and makes one score of theirs.
//!
//! `find` calls it. What must stay true: cosines of two models are never compared; each model's are
//! first mapped to a nearness, by a range that is its own.

use super::confidence::contrast;
use super::fuse::Listed;
use super::language::is_foreign;
use super::meaning::{CosineRange, nearness};
use super::model_role::ModelRole;
use super::models::RecallModel;
use super::request::{RecallError, RecallRequest};
use super::turn_weights::TurnWeights;
use futures_util::future::join_all;
use hobnob_store::memory::{Memory, MemoryAccess, MemoryId, MemorySearch, QuestionVectors};
use std::collections::HashSet;
use std::sync::Arc;

/// The weight of the multilingual model beside the main one, if the question or the memory is in
/// another language than English.
const MULTILINGUAL_WEIGHT: f64 = 0.8;

/// What the search with one model found, and what is needed to compute the nearness of others.
pub(super) struct NearMemories {
    role: ModelRole,
    model: String,
    memories: Vec<Memory>,
    range: CosineRange,
    question: Arc<QuestionVectors>,
}

/// The scores that the models give to one memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Scores {
    main: Option<f64>,
    multilingual: Option<f64>,
    former: Option<f64>,
}

/// The nearest memories by vector, with each of these models; and why one of them failed, if
/// another did not. Their final nearness is computed later.
pub(super) async fn search_all(
    search: &dyn MemorySearch,
    models: &[&RecallModel],
    access: &MemoryAccess,
    request: &RecallRequest,
    limit: usize,
) -> Result<(Vec<NearMemories>, Option<RecallError>), RecallError> {
    if models.is_empty() {
        return Err(RecallError::NoModel);
    }
    if request.query.trim().is_empty() {
        return Ok((Vec::new(), None));
    }
    let (mut found, mut failed) = (Vec::new(), None);
    let searches = models.iter().map(|model| search_one(search, model, access, request, limit));
    for outcome in join_all(searches).await {
        match outcome {
            Ok(near) => found.push(near),
            Err(error @ RecallError::Store(_)) => return Err(error),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    match failed {
        Some(error) if found.is_empty() => Err(error),
        failed => Ok((found, failed)),
    }
}

async fn search_one(
    search: &dyn MemorySearch,
    model: &RecallModel,
    access: &MemoryAccess,
    request: &RecallRequest,
    limit: usize,
) -> Result<NearMemories, RecallError> {
    let RecallModel { role, embedder, meanings } = model;
    let range = meanings.range(*role, embedder.as_ref()).await?;
    let question = meanings.question(embedder.as_ref(), &request.query).await?;
    let (filter, model) = (request.filter.clone(), embedder.model().to_string());
    let vector = question.vector.clone();
    let hits = search.by_vector(access.clone(), filter, model.clone(), vector, limit).await?;
    let memories = hits.into_iter().map(|hit| hit.memory).collect();
    Ok(NearMemories { role: *role, model, memories, range, question })
}

/// The nearness of the memories that the models found and of those found by words, for all that
/// have vectors, nearest first.
pub(super) async fn score_all(
    search: &dyn MemorySearch,
    access: &MemoryAccess,
    query: &str,
    turns: TurnWeights,
    mut near: Vec<NearMemories>,
    by_words: &[(Memory, f64)],
) -> Result<Listed, RecallError> {
    let mut known: HashSet<MemoryId> = HashSet::new();
    let mut memories: Vec<Memory> = Vec::new();
    let found = near.iter_mut().flat_map(|it| std::mem::take(&mut it.memories));
    for memory in found.chain(by_words.iter().map(|(memory, _)| memory.clone())) {
        if known.insert(memory.id.clone()) {
            memories.push(memory);
        }
    }
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id.clone()).collect();
    let mut scores = vec![Scores::default(); memories.len()];
    let mut cosines = scores.clone();
    let mut questions = HashSet::new();
    for NearMemories { role, model, range, question, .. } in near {
        let question = QuestionVectors::clone(&question);
        let found = search.closeness(access.clone(), model, question, ids.clone()).await?;
        let scored = scores.iter_mut().zip(&mut cosines).zip(&found).zip(&ids);
        for (((scores, cosines), closeness), id) in scored {
            scores.add(role, nearness(closeness, range, turns));
            let own = closeness.own.as_ref();
            cosines.add(role, own.map(|own| range.nearness(own.cosine)));
            if closeness.is_answered_question {
                questions.insert(id.clone());
            }
        }
    }
    let is_question_foreign = is_foreign(query);
    let (mut hits, mut near) = (Vec::new(), Vec::new());
    for ((memory, scores), cosines) in memories.into_iter().zip(scores).zip(cosines) {
        let foreign = is_question_foreign || is_foreign(&memory.content);
        let Some(score) = scores.fused(foreign) else { continue };
        near.extend(cosines.fused(foreign));
        hits.push((memory, score));
    }
    hits.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let contrast = (!near.is_empty()).then(|| contrast(near));
    Ok(Listed { questions, contrast, ..Listed::of(hits) })
}

impl Scores {
    fn add(&mut self, role: ModelRole, score: Option<f64>) {
        let slot = match role {
            ModelRole::Main => &mut self.main,
            ModelRole::Multilingual => &mut self.multilingual,
            // The first of the former models is the preferred one.
            ModelRole::Former if self.former.is_some() => return,
            ModelRole::Former => &mut self.former,
        };
        *slot = score;
    }

    /// One score: that of the best model the memory has, and across languages also that of the
    /// multilingual model. `None` without any vector.
    fn fused(self, foreign: bool) -> Option<f64> {
        let own = self.main.or(self.former);
        match (own, self.multilingual) {
            (None, multilingual) => multilingual,
            (Some(own), Some(multilingual)) if foreign => {
                Some(MULTILINGUAL_WEIGHT * multilingual + (1.0 - MULTILINGUAL_WEIGHT) * own)
            }
            (Some(own), _) => Some(own),
        }
    }
}
