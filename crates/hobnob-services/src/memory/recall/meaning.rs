//! What a query means to a model: its vector, kept for when it is asked again, and what nearness is
//! worth with this model.

use super::question::question_vectors;
use super::request::RecallError;
use hobnob_embed::{EmbeddedText, Embedder};
use hobnob_store::memory::{Closeness, Nearness, QuestionVectors};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;

/// How many queries keep their vectors.
const CACHED: usize = 32;
/// How long a person waits for a query's vector.
const TIMEOUT: Duration = Duration::from_secs(5);
/// What each turn of a conversation just before and after one adds to it, and what those two steps
/// away add: a turn is often an answer, and what it is about stands beside it.
const BESIDE: f64 = 0.2;
const FARTHER: f64 = 0.05;
/// What the words count beside the whole, and how near words are that have nothing in common.
const BY_WORDS: f64 = 0.35;
const WORDS_FROM: f64 = 0.1;
/// The model whose unrelated texts are known to be at right angles.
const UPRIGHT: &str = "all-MiniLM-L6-v2";
/// Texts that have nothing to do with each other.
const UNRELATED: [&str; 6] = [
    "The dentist moved my appointment to Thursday morning.",
    "Connections to the database are closed after five idle minutes.",
    "Glaciers carve wide valleys out of solid rock.",
    "She bought a second-hand cello from a neighbour.",
    "Bake the potatoes with rosemary until they are golden.",
    "The referee stopped the match because of heavy fog.",
];

/// What is remembered of a model.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    recent: Mutex<VecDeque<(String, Arc<QuestionVectors>)>>,
    level: OnceCell<f64>,
}

impl Meanings {
    /// The vectors of a query.
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
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.truncate(CACHED - 1);
        recent.push_front((query.to_owned(), Arc::clone(&question)));
        Ok(question)
    }

    fn known(&self, query: &str) -> Option<Arc<QuestionVectors>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let place = recent.iter().position(|(known, _)| known == query)?;
        let found = recent.remove(place)?;
        let question = Arc::clone(&found.1);
        recent.push_front(found);
        Some(question)
    }

    /// The cosine that unrelated texts have with this model; 0.7 is far away for some.
    pub(super) async fn level(&self, embedder: &dyn Embedder) -> Result<f64, RecallError> {
        if embedder.model().as_str() == UPRIGHT {
            return Ok(0.0);
        }
        let measure = async || {
            let texts = in_time(embedder, UNRELATED.map(str::to_owned)).await?;
            Ok(usual_cosine(&texts.map(|text| text.vector.as_slice().to_vec())))
        };
        self.level.get_or_try_init(measure).await.copied()
    }
}

/// How near a hit is, 0 to 1, where unrelated texts have 0.
pub(super) fn nearness(closeness: &Closeness, level: f64) -> Option<f64> {
    let of = |near: &Nearness| {
        let above = |cosine: f32| ((f64::from(cosine) - level) / (1.0 - level)).clamp(0.0, 1.0);
        let whole = above(near.cosine);
        match near.words {
            None => whole,
            Some(words) => {
                let words = ((f64::from(words) - WORDS_FROM) / (1.0 - WORDS_FROM)).clamp(0.0, 1.0);
                (1.0 - BY_WORDS) * whole + BY_WORDS * words
            }
        }
    };
    let mut sum = of(closeness.own.as_ref()?);
    for (steps, near) in &closeness.around {
        let share = if *steps == 1 { BESIDE } else { FARTHER };
        sum += share * of(near);
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
        let said = format!("{} vectors for {COUNT} texts", made.len());
        RecallError::Embed(hobnob_embed::EmbedError::Unusable(said.into()))
    })
}

fn usual_cosine(vectors: &[Vec<f32>]) -> f64 {
    let product = |one: &[f32], other: &[f32]| -> f64 {
        one.iter().zip(other).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
    };
    let pairs = vectors.iter().enumerate().flat_map(|(place, one)| {
        vectors.iter().skip(place + 1).map(move |other| product(one, other))
    });
    let cosines: Vec<f64> = pairs.collect();
    (cosines.iter().sum::<f64>() / cosines.len().max(1) as f64).clamp(0.0, 0.95)
}
