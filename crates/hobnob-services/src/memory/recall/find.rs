//! Searches by words and by meaning concurrently, fuses both results, and cuts one page out of
//! them.
//!
//! If the model fails or is slow, only its part of the answer is missing.

use super::arrange::{Arranged, arrange};
use super::asked_time::AskedTime;
use super::confidence::Confidence;
use super::cursor::Cursor;
use super::fuse::{Found, Listed, Priors, are_weak, by_both, by_meaning, by_words};
use super::model_role::ModelRole;
use super::models::{EmbeddingModels, RecallModel, recall_models};
use super::near::{NearMemories, score_all, search_all};
use super::request::{Hit, RecallError, RecallMode, RecallRequest, Recalled};
use super::snippet::snippet;
use super::turn_weights::TurnWeights;
use hobnob_embed::Embedder;
use hobnob_store::StoreError;
use hobnob_store::memory::{MemoryAccess, MemorySearch};
use jiff::tz::TimeZone;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The fetch depth is a multiple of this, so that all pages of one question come from the same
/// order. A hybrid search fuses two lists, and needs both to be long.
const DEPTH_STEP: usize = 32;
const HYBRID_STEP: usize = 64;

/// The hits of one search by score.
struct Searched {
    found: Vec<Found>,
    /// How far the nearest memory stands out of the others; `None` without a search by meaning.
    contrast: Option<f64>,
    /// Which part of the search failed.
    degraded: Option<String>,
}

impl Searched {
    fn by_words(found: Vec<Found>) -> Self {
        Self { found, contrast: None, degraded: None }
    }
}

/// Finds memories by words, by meaning, or by both.
pub struct Recall {
    /// The search index of the store.
    pub search: Arc<dyn MemorySearch>,
    /// The embedding models, if there are any.
    pub models: EmbeddingModels,
    /// How turns of conversations are ranked.
    pub turns: TurnWeights,
    asked: Vec<RecallModel>,
    /// The time zone of "yesterday" and "in March".
    zone: TimeZone,
    /// Whether every memory was seen to have a vector of the main model, so that the former models
    /// are not needed any more.
    is_changed_over: AtomicBool,
}

impl Recall {
    /// Without an embedder, memories are found by words alone.
    pub fn new(search: Arc<dyn MemorySearch>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self::with_models(search, embedder.into())
    }

    /// Finds memories with several models.
    pub fn with_models(search: Arc<dyn MemorySearch>, models: EmbeddingModels) -> Self {
        let asked = recall_models(&models);
        Self {
            search,
            models,
            turns: TurnWeights::default(),
            asked,
            zone: TimeZone::UTC,
            is_changed_over: AtomicBool::new(false),
        }
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
        let priors = Priors { now: access.now, asked: &asked, turns: self.turns };
        let Searched { mut found, contrast, degraded } =
            self.found(&access, &request, depth, &priors).await?;
        if let Some(time) = AskedTime::of(&*self.search, &access, &request, &self.zone).await? {
            let within = time.within(&request);
            let within = self.found(&access, &within, depth, &priors).await?;
            found = time.prefer(found, within.found, &self.zone);
        }
        let best = found.first().map(|best| best.score);
        let confidence = best.zip(contrast).map(|(best, apart)| Confidence::new(best, apart));
        let weak = confidence.map_or_else(|| are_weak(&found), Confidence::is_weak);
        let found = arrange(&*self.search, &access, &request, found).await?;
        let (hits, next) = page(found, cursor, request.limit, &asked);
        Ok(Recalled { hits, next, confidence: confidence.map(Confidence::value), weak, degraded })
    }

    async fn found(
        &self,
        access: &MemoryAccess,
        request: &RecallRequest,
        depth: usize,
        priors: &Priors<'_>,
    ) -> Result<Searched, RecallError> {
        Ok(match request.mode {
            RecallMode::Text => {
                Searched::by_words(by_words(self.words(access, request, depth).await?, priors))
            }
            RecallMode::Vector => {
                let (near, failed) = self.near(access, request, depth).await?;
                let (search, query) = (&*self.search, &request.query);
                let found = score_all(search, access, query, self.turns, near, &[]).await?;
                Searched {
                    contrast: found.contrast,
                    found: by_meaning(found, priors),
                    degraded: failed.map(|error| told(&error)),
                }
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
    ) -> Result<Searched, RecallError> {
        let (words, near) =
            tokio::join!(self.words(access, request, depth), self.near(access, request, depth));
        let words = words?;
        let why = match near {
            Ok((near, failed)) => {
                let (search, query) = (&*self.search, &request.query);
                let meaning =
                    score_all(search, access, query, self.turns, near, &words.hits).await?;
                return Ok(Searched {
                    contrast: meaning.contrast,
                    found: by_both(words, meaning, priors),
                    degraded: failed.map(|error| told(&error)),
                });
            }
            // A user without a model knows that; the answer need not repeat it.
            Err(RecallError::NoModel) => None,
            Err(error @ (RecallError::Embed(_) | RecallError::Late(_))) => {
                Some(format!("{}: text only", told(&error)))
            }
            Err(error) => return Err(error),
        };
        Ok(Searched { degraded: why, ..Searched::by_words(by_words(words, priors)) })
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
        Ok(Listed { known, ..Listed::of(hits) })
    }

    /// The nearest memories by vector; their final nearness is computed later.
    async fn near(
        &self,
        access: &MemoryAccess,
        request: &RecallRequest,
        limit: usize,
    ) -> Result<(Vec<NearMemories>, Option<RecallError>), RecallError> {
        let needs_former = self.needs_former().await?;
        let is_asked = |model: &&RecallModel| needs_former || model.role != ModelRole::Former;
        let models: Vec<&RecallModel> = self.asked.iter().filter(is_asked).collect();
        search_all(&*self.search, &models, access, request, limit).await
    }

    /// Whether memories lack vectors of the main model, and a former model may have some.
    async fn needs_former(&self) -> Result<bool, StoreError> {
        let Some(main) = &self.models.main else { return Ok(true) };
        if self.models.former.is_empty() || self.is_changed_over.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let (having, all) = self.search.embedded(main.model().to_string()).await?;
        self.is_changed_over.store(having == all, Ordering::Relaxed);
        Ok(having < all)
    }
}

/// What the answer says about a model that failed.
fn told(error: &RecallError) -> String {
    tracing::warn!(%error, "a query could not be embedded");
    match error {
        // The cause says more than "could not be embedded".
        RecallError::Embed(error) => error.to_string(),
        other => other.to_string(),
    }
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
