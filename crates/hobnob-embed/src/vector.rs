//! `Vector`: the embedding of a text; and the embeddings of its words.
//!
//! What must stay true: a `Vector` has unit length, so the cosine of two is their dot product.

#[cfg(test)]
mod tests;

/// A vector of unit length. The cosine of two vectors is their dot product.
#[derive(Clone, PartialEq, Debug)]
pub struct Vector(Box<[f32]>);

/// Why numbers cannot be normalised to a unit vector.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadVector {
    /// The list of numbers is empty.
    #[error("the vector has no numbers")]
    Empty,
    /// One of the numbers is infinite or not a number.
    #[error("number {0} of the vector is not finite")]
    NotFinite(usize),
    /// All of the numbers are zero.
    #[error("the vector has no length, so it has no direction")]
    Zero,
}

impl Vector {
    /// Normalises numbers to unit length.
    pub fn from_raw(mut values: Vec<f32>) -> Result<Self, BadVector> {
        if values.is_empty() {
            return Err(BadVector::Empty);
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(BadVector::NotFinite(at));
        }
        // The square of any `f32` fits an `f64`.
        let length = values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        if length == 0.0 {
            return Err(BadVector::Zero);
        }
        for value in &mut values {
            *value = (f64::from(*value) / length) as f32;
        }
        Ok(Self(values.into()))
    }

    /// The components, as many as the model has dimensions.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }
}

/// The embeddings of a text and of its words.
#[derive(Clone, PartialEq, Debug)]
pub struct EmbeddedText {
    /// The vector of the whole text.
    pub vector: Vector,
    /// The vectors of its words, in order; empty if the model has no word vectors.
    pub words: Vec<WordVector>,
}

/// A word in its context: the same word in another text has another vector.
#[derive(Clone, PartialEq, Debug)]
pub struct WordVector {
    /// The word in lower case without accents.
    pub word: Box<str>,
    /// Its vector, not normalised.
    pub vector: Box<[f32]>,
}
