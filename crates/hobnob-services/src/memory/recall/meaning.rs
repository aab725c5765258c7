//! What a query means to a model: its vector, kept for when it is asked again, and what nearness is
//! worth with this model.

use super::request::RecallError;
use hobnob_embed::Embedder;
use hobnob_store::memory::VectorHit;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;

/// How many queries keep their vectors.
const CACHED: usize = 32;
/// How long a person waits for a query's vector.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How much a nearer neighbour adds to a turn of a conversation.
const BESIDE: f64 = 0.25;
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
    recent: Mutex<VecDeque<(String, Vec<f32>)>>,
    level: OnceCell<f64>,
}

impl Meanings {
    /// The vector of a query.
    pub(super) async fn vector(
        &self,
        embedder: &dyn Embedder,
        query: &str,
    ) -> Result<Vec<f32>, RecallError> {
        if let Some(known) = self.known(query) {
            return Ok(known);
        }
        let [vector] = in_time(embedder, [query.to_owned()]).await?;
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.truncate(CACHED - 1);
        recent.push_front((query.to_owned(), vector.clone()));
        Ok(vector)
    }

    fn known(&self, query: &str) -> Option<Vec<f32>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let place = recent.iter().position(|(known, _)| known == query)?;
        let found = recent.remove(place)?;
        let vector = found.1.clone();
        recent.push_front(found);
        Some(vector)
    }

    /// The cosine that unrelated texts have with this model; 0.7 is far away for some.
    pub(super) async fn level(&self, embedder: &dyn Embedder) -> Result<f64, RecallError> {
        if embedder.model().as_str() == UPRIGHT {
            return Ok(0.0);
        }
        let measure = async || {
            let vectors = in_time(embedder, UNRELATED.map(str::to_owned)).await?;
            Ok(usual_cosine(&vectors))
        };
        self.level.get_or_try_init(measure).await.copied()
    }
}

/// How near a hit is, 0 to 1, where unrelated texts have 0.
pub(super) fn nearness(hit: &VectorHit, level: f64) -> f64 {
    let above = |cosine: f32| ((f64::from(cosine) - level) / (1.0 - level)).clamp(0.0, 1.0);
    let own = above(hit.cosine);
    own + BESIDE * (above(hit.beside) - own).max(0.0)
}

async fn in_time<const COUNT: usize>(
    embedder: &dyn Embedder,
    texts: [String; COUNT],
) -> Result<[Vec<f32>; COUNT], RecallError> {
    let made = tokio::time::timeout(TIMEOUT, embedder.embed(texts.into())).await;
    let made = made.map_err(|_| RecallError::Late(TIMEOUT))?.map_err(RecallError::Embed)?;
    let vectors: Vec<Vec<f32>> = made.iter().map(|vector| vector.as_slice().to_vec()).collect();
    vectors.try_into().map_err(|vectors: Vec<_>| {
        let said = format!("{} vectors for {COUNT} texts", vectors.len());
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
