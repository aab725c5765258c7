//! A made-up embedding model: vectors of one topic are close to each other, as a real model's are.
//!
//! Its vectors may be stored under the name of a real model, which then embeds the questions.

use crate::random::RandomNumbers;
use crate::text::Question;
use hobnob_embed::{
    BadVector, EmbedError, EmbedFuture, EmbeddedText, Embedder, ModelId, Vector, WordVector,
};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::future::ready;

const DIMENSIONS: usize = 384;
const TOPICS: usize = 100;
/// The letters of a content word, as opposed to a stop word. Every made-up word has this many.
const CONTENT_WORD_LETTERS: usize = 6;
/// The weight of the noise around the centre of a topic. Two memories of one topic have a cosine
/// similarity of 0.6, a question and a memory 0.7, and all other pairs almost 0.
const MEMORY_NOISE: f32 = 0.8;
const QUESTION_NOISE: f32 = 0.5;

/// An embedding model that has the vectors of all questions before they are asked.
pub(crate) struct KnownVectors {
    model: ModelId,
    questions: HashMap<String, Vector>,
    words: Mutex<HashMap<String, Box<[f32]>>>,
}

impl KnownVectors {
    pub(crate) fn new(model: &str, questions: &[Question]) -> Result<Self, BadVector> {
        let vector = |it: &Question| -> Result<_, BadVector> {
            let topic = topic(&it.about.content);
            Ok((it.query.clone(), near(topic, QUESTION_NOISE, RandomNumbers::of_text(&it.query))?))
        };
        let questions = questions.iter().map(vector).collect::<Result<_, _>>()?;
        Ok(Self { model: ModelId::new(model), questions, words: Mutex::default() })
    }

    fn vector(&self, text: &str) -> Result<Vector, BadVector> {
        match self.questions.get(text) {
            Some(known) => Ok(known.clone()),
            None => near(topic(text), MEMORY_NOISE, RandomNumbers::of_text(text)),
        }
    }
}

impl KnownVectors {
    /// A vector for each content word, which is the same in every text.
    fn word_vectors(&self, text: &str) -> Result<Vec<WordVector>, BadVector> {
        let mut known = self.words.lock();
        let mut words = Vec::new();
        for word in text.split(' ').filter(|word| CONTENT_WORD_LETTERS <= word.len()) {
            let vector = match known.get(word) {
                Some(vector) => vector.clone(),
                None => {
                    let vector: Box<[f32]> =
                        direction(RandomNumbers::of_text(word))?.as_slice().into();
                    known.insert(word.to_owned(), vector.clone());
                    vector
                }
            };
            words.push(WordVector { word: word.into(), vector });
        }
        Ok(words)
    }
}

impl Embedder for KnownVectors {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> Option<usize> {
        Some(DIMENSIONS)
    }

    fn has_words(&self) -> bool {
        true
    }

    fn embed_with_words(
        &self,
        texts: Vec<String>,
    ) -> EmbedFuture<'_, Result<Vec<EmbeddedText>, EmbedError>> {
        let text = |text: &String| -> Result<_, BadVector> {
            Ok(EmbeddedText { vector: self.vector(text)?, words: self.word_vectors(text)? })
        };
        let texts: Result<Vec<_>, _> = texts.iter().map(text).collect();
        let unusable = |bad: BadVector| EmbedError::Unusable(bad.to_string().into());
        Box::pin(ready(texts.map_err(unusable)))
    }

    fn embed(&self, texts: Vec<String>) -> EmbedFuture<'_, Result<Vec<Vector>, EmbedError>> {
        let vectors: Result<Vec<_>, _> = texts.iter().map(|text| self.vector(text)).collect();
        let unusable = |bad: BadVector| EmbedError::Unusable(bad.to_string().into());
        Box::pin(ready(vectors.map_err(unusable)))
    }
}

fn topic(text: &str) -> usize {
    RandomNumbers::of_text(text).below(TOPICS)
}

fn near(topic: usize, noise_weight: f32, noise: RandomNumbers) -> Result<Vector, BadVector> {
    let centre = direction(RandomNumbers::numbered(topic as u64))?;
    let offset = direction(noise)?;
    let pairs = centre.as_slice().iter().zip(offset.as_slice());
    Vector::from_raw(pairs.map(|(centre, offset)| centre + noise_weight * offset).collect())
}

fn direction(mut random: RandomNumbers) -> Result<Vector, BadVector> {
    Vector::from_raw((0..DIMENSIONS).map(|_| (random.share() - 0.5) as f32).collect())
}
