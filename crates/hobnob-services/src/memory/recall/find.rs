//! Searches by words and by meaning concurrently, fuses both results, and cuts one page out of
//! them.
//!
//! If the model fails or is slow, only its part of the answer is missing.

use super::arrange::{Arranged, arrange};
use super::asked_time::AskedTime;
use super::cursor::Cursor;
use super::fuse::{Found, Listed, Priors, are_weak, by_both, by_meaning, by_words};
use super::meaning::{Meanings, nearness};
use super::request::{Hit, RecallError, RecallMode, RecallRequest, Recalled};
use super::snippet::snippet;
use hobnob_embed::Embedder;
use hobnob_store::memory::{Memory, MemoryAccess, MemoryId, MemorySearch, QuestionVectors};
use jiff::tz::TimeZone;
use std::collections::HashSet;
use std::sync::Arc;

/// The fetch depth is a multiple of this, so that all pages of one question come from the same
/// order. A hybrid search fuses two lists, and needs both to be long.
const DEPTH_STEP: usize = 32;
const HYBRID_STEP: usize = 64;

/// Finds memories by words, by meaning, or by both.
pub struct Recall {
    /// The search index of the store.
    pub search: Arc<dyn MemorySearch>,
    /// The embedding model, if there is one.
    pub embedder: Option<Arc<dyn Embedder>>,
    meanings: Meanings,
    /// The time zone of "yesterday" and "in March".
    zone: TimeZone,
}

impl Recall {
    /// Without an embedder, memories are found by words alone.
    pub fn new(search: Arc<dyn MemorySearch>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { search, embedder, meanings: Meanings::default(), zone: TimeZone::UTC }
    }

    /// The memories that match the request, best first.
    pub async fn recall(
        &self,
        access: MemoryAccess,
        request: RecallRequest,
    ) -> Result<Recalled, RecallError> {
        let step = match request.mode {
            RecallMode::Hybrid => HYBRID_STEP,
            RecallMode::Text | RecallMode::Vector => DEPTH_STEP,
        };
        let depth = request.limit.saturating_mul(2).max(1).div_ceil(step).saturating_mul(step);
        let cursor = Cursor::of(&access, &request, depth)?;
        let asked: Vec<String> = hobnob_store::words::query_terms(&request.query)
            .into_iter()
            .map(|word| word.term)
            .collect();
        let priors = Priors { now: access.now, asked: &asked };
        let (mut found, degraded) = self.found(&access, &request, depth, &priors).await?;
        if let Some(time) = AskedTime::of(&*self.search, &access, &request, &self.zone).await? {
            let within = time.within(&request);
            let (within, _) = self.found(&access, &within, depth, &priors).await?;
            found = time.prefer(found, within, &self.zone);
        }
        let weak = are_weak(&found);
        let found = arrange(&*self.search, &access, &request, found).await?;
        let (hits, next) = page(found, cursor, request.limit, &asked);
        Ok(Recalled { hits, next, weak, degraded })
    }

    /// The hits by score, and which part of the search failed.
    async fn found(
        &self,
        access: &MemoryAccess,
        request: &RecallRequest,
        depth: usize,
        priors: &Priors<'_>,
    ) -> Result<(Vec<Found>, Option<String>), RecallError> {
        Ok(match request.mode {
            RecallMode::Text => {
                (by_words(self.words(access, request, depth).await?, priors), None)
            }
            RecallMode::Vector => {
                let near = self.near(access, request, depth).await?;
                (by_meaning(self.meaning(access, near, &[]).await?, priors), None)
            }
            RecallMode::Hybrid => self.both(access, request, depth, priors).await?,
        })
    }

    async fn both(
        &self,
        access: &MemoryAccess,
        request: &RecallRequest,
        depth: usize,
        priors: &Priors<'_>,
    ) -> Result<(Vec<Found>, Option<String>), RecallError> {
        let (words, near) =
            tokio::join!(self.words(access, request, depth), self.near(access, request, depth));
        let words = words?;
        let why = match near {
            Ok(near) => {
                let meaning = self.meaning(access, near, &words.hits).await?;
                return Ok((by_both(words, meaning, priors), None));
            }
            // A user without a model knows that; the answer need not repeat it.
            Err(RecallError::NoModel) => return Ok((by_words(words, priors), None)),
            Err(RecallError::Embed(error)) => {
                tracing::warn!(%error, "a query could not be embedded");
                format!("{error}: text only")
            }
            Err(late @ RecallError::Late(_)) => {
                tracing::warn!("a query was not embedded in time");
                format!("{late}: text only")
            }
            Err(error) => return Err(error),
        };
        Ok((by_words(words, priors), Some(why)))
    }

    async fn words(
        &self,
        access: &MemoryAccess,
        request: &RecallRequest,
        limit: usize,
    ) -> Result<Listed, RecallError> {
        let (filter, query) = (request.filter.clone(), request.query.clone());
        let hits = self.search.by_text(access.clone(), filter, query, limit).await?;
        let known = hits.first().map_or(1.0, |best| best.fit / best.fit_of_known);
        let hits = hits.into_iter().map(|hit| (hit.memory, hit.fit)).collect();
        Ok(Listed { hits, known })
    }

    /// The nearest memories by vector; their final nearness is computed later.
    async fn near(
        &self,
        access: &MemoryAccess,
        request: &RecallRequest,
        limit: usize,
    ) -> Result<NearMemories, RecallError> {
        let embedder = self.embedder.as_deref().ok_or(RecallError::NoModel)?;
        if request.query.trim().is_empty() {
            return Ok(NearMemories::default());
        }
        let level = self.meanings.level(embedder).await?;
        let question = self.meanings.question(embedder, &request.query).await?;
        let (filter, model) = (request.filter.clone(), embedder.model().to_string());
        let vector = question.vector.clone();
        let hits =
            self.search.by_vector(access.clone(), filter, model.clone(), vector, limit).await?;
        let memories = hits.into_iter().map(|hit| hit.memory).collect();
        Ok(NearMemories { memories, model, level, question })
    }

    /// The nearness of these memories and of those found by words, for all that have vectors.
    async fn meaning(
        &self,
        access: &MemoryAccess,
        near: NearMemories,
        by_words: &[(Memory, f64)],
    ) -> Result<Listed, RecallError> {
        let NearMemories { mut memories, model, level, question } = near;
        let known: HashSet<MemoryId> = memories.iter().map(|memory| memory.id.clone()).collect();
        let others = by_words.iter().map(|(memory, _)| memory);
        memories.extend(others.filter(|memory| !known.contains(&memory.id)).cloned());
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id.clone()).collect();
        let question = QuestionVectors::clone(&question);
        let found = self.search.closeness(access.clone(), model, question, ids).await?;
        let near = memories.into_iter().zip(&found);
        let near = near.filter_map(|(memory, it)| Some((memory, nearness(it, level)?)));
        let mut hits: Vec<(Memory, f64)> = near.collect();
        hits.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        Ok(Listed::of(hits))
    }
}

/// The memories found by vector, and the values needed to compute their nearness.
#[derive(Default)]
struct NearMemories {
    memories: Vec<Memory>,
    model: String,
    level: f64,
    question: Arc<QuestionVectors>,
}

fn page(
    found: Vec<Arranged>,
    cursor: Cursor,
    limit: usize,
    asked: &[String],
) -> (Vec<Hit>, Option<String>) {
    let more = cursor.seen.saturating_add(limit) < found.len();
    let next = (more && 0 < limit).then(|| cursor.next(limit));
    let hits = found.into_iter().skip(cursor.seen).take(limit).map(|it| {
        let Arranged { found, copies, replaced_by } = it;
        Hit {
            score: found.score,
            text_score: found.words.map(|words| words.clamp(0.0, 1.0)),
            vector_score: found.meaning,
            snippet: snippet(&found.memory.content, asked),
            memory: found.memory,
            copies,
            replaced_by,
        }
    });
    (hits.collect(), next)
}
