//! The embedding of a query, cached, and the calibration of cosine similarity for a model.

use super::model_role::ModelRole;
use super::question::question_vectors;
use super::request::RecallError;
use super::turn_weights::TurnWeights;
use hobnob_embed::{EmbeddedText, Embedder};
use hobnob_store::memory::{Closeness, Nearness, QuestionVectors};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// Capacity of the LRU cache of query vectors.
const CACHE_SIZE: usize = 32;
/// Longest wait for the vectors of a query.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The weights of neighbouring turns of a conversation, one and two steps away: a turn is often an
/// answer, and its topic is in the turn beside it.
const NEIGHBOUR_WEIGHT: f64 = 0.2;
const FARTHER_WEIGHT: f64 = 0.05;
/// The weight of word vectors beside the whole text's vector, and the score of unrelated words.
const WORDS_WEIGHT: f64 = 0.35;
const UNRELATED_SCORE: f64 = 0.1;
/// The model whose unrelated texts are known to have a mean cosine of 0.
const CALIBRATED_MODEL: &str = "all-MiniLM-L6-v2";
/// The cosines of the multilingual model between which its nearness grows from 0 to 1. With them, a
/// text in one language and its answer in another get about the nearness that the main model gives
/// to a question and its answer in English.
const MULTILINGUAL_RANGE: CosineRange = CosineRange { unrelated: 0.15, same: 0.75 };
/// Texts on unrelated topics, to calibrate other models.
const UNRELATED_TEXTS: [&str; 6] = [
    "The dentist moved my appointment to Thursday morning.",
    "Connections to the database are closed after five idle minutes.",
    "Glaciers carve wide valleys out of solid rock.",
    "She bought a second-hand cello from a neighbour.",
    "Bake the potatoes with rosemary until they are golden.",
    "The referee stopped the match because of heavy fog.",
];

/// The cosines of a model that mean a nearness of 0, as of unrelated texts, and of 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CosineRange {
    pub(super) unrelated: f64,
    pub(super) same: f64,
}

/// Cached queries, and the calibration of the model.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    recent: Mutex<VecDeque<(String, Arc<QuestionVectors>)>>,
    unrelated: OnceCell<f64>,
}

impl Meanings {
    /// The vectors of a query, from the cache if possible.
    pub(super) async fn question(
        &self,
        embedder: &dyn Embedder,
        query: &str,
    ) -> Result<Arc<QuestionVectors>, RecallError> {
        if let Some(known) = self.known(query) {
            return Ok(known);
        }
        let [text] = in_time(embedder, [query.to_owned()]).await?;
        let question = Arc::new(question_vectors(text));
        let mut recent = self.recent.lock();
        recent.truncate(CACHE_SIZE - 1);
        recent.push_front((query.to_owned(), Arc::clone(&question)));
        Ok(question)
    }

    fn known(&self, query: &str) -> Option<Arc<QuestionVectors>> {
        let mut recent = self.recent.lock();
        let place = recent.iter().position(|(known, _)| known == query)?;
        let found = recent.remove(place)?;
        let question = Arc::clone(&found.1);
        recent.push_front(found);
        Some(question)
    }

    /// The range of cosines of this model. Some models have 0.7 for unrelated texts.
    pub(super) async fn range(
        &self,
        role: ModelRole,
        embedder: &dyn Embedder,
    ) -> Result<CosineRange, RecallError> {
        if role == ModelRole::Multilingual {
            return Ok(MULTILINGUAL_RANGE);
        }
        if embedder.model().as_str() == CALIBRATED_MODEL {
            return Ok(CosineRange { unrelated: 0.0, same: 1.0 });
        }
        let measure = async || {
            let texts = in_time(embedder, UNRELATED_TEXTS.map(str::to_owned)).await?;
            Ok(mean_cosine(&texts.map(|text| text.vector.as_slice().to_vec())))
        };
        let unrelated = self.unrelated.get_or_try_init::<RecallError, _, _>(measure).await?;
        Ok(CosineRange { unrelated: *unrelated, same: 1.0 })
    }
}

impl CosineRange {
    pub(super) fn nearness(self, cosine: f32) -> f64 {
        ((f64::from(cosine) - self.unrelated) / (self.same - self.unrelated)).clamp(0.0, 1.0)
    }
}

/// The meaning score of a hit, 0 to 1, where unrelated texts have 0.
pub(super) fn nearness(
    closeness: &Closeness,
    range: CosineRange,
    turns: TurnWeights,
) -> Option<f64> {
    let of = |near: &Nearness| {
        let whole = range.nearness(near.cosine);
        match near.words {
            None => whole,
            Some(words) => {
                let words = ((f64::from(words) - UNRELATED_SCORE) / (1.0 - UNRELATED_SCORE))
                    .clamp(0.0, 1.0);
                (1.0 - WORDS_WEIGHT) * whole + WORDS_WEIGHT * words
            }
        }
    };
    let mut sum = of(closeness.own.as_ref()?);
    for (steps, near) in &closeness.around {
        let share = if *steps == 1 { NEIGHBOUR_WEIGHT } else { FARTHER_WEIGHT };
        sum += share * of(near);
    }
    if let Some(question) = &closeness.question_before {
        sum += turns.answer * of(question);
    }
    Some(sum.min(1.0))
}

async fn in_time<const COUNT: usize>(
    embedder: &dyn Embedder,
    texts: [String; COUNT],
) -> Result<[EmbeddedText; COUNT], RecallError> {
    let made = tokio::time::timeout(TIMEOUT, embedder.embed_with_words(texts.into())).await;
    let made = made.map_err(|_| RecallError::Late(TIMEOUT))?.map_err(RecallError::Embed)?;
    made.try_into().map_err(|made: Vec<_>| {
        let message = format!("{} vectors for {COUNT} texts", made.len());
        RecallError::Embed(hobnob_embed::EmbedError::Unusable(message.into()))
    })
}

fn mean_cosine(vectors: &[Vec<f32>]) -> f64 {
    let product = |one: &[f32], other: &[f32]| -> f64 {
        one.iter().zip(other).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
    };
    let pairs = vectors.iter().enumerate().flat_map(|(place, one)| {
        vectors.iter().skip(place + 1).map(move |other| product(one, other))
    });
    let cosines: Vec<f64> = pairs.collect();
    (cosines.iter().sum::<f64>() / cosines.len().max(1) as f64).clamp(0.0, 0.95)
}
