//! `Vector`: what an embedder makes of a text, and of its words.
//!
//! What must stay true: its length is always one, so the cosine of two is the sum of products.

#[cfg(test)]
mod tests;

/// A vector of unit length. The cosine of two of them is the sum of their products.
#[derive(Clone, PartialEq, Debug)]
pub struct Vector(Box<[f32]>);

/// Why numbers are not a direction.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadVector {
    /// There are no numbers at all.
    #[error("the vector has no numbers")]
    Empty,
    /// One of them is infinite or not a number.
    #[error("number {0} of the vector is not finite")]
    NotFinite(usize),
    /// All of them are zero.
    #[error("the vector has no length, so it has no direction")]
    Zero,
}

impl Vector {
    /// Brings numbers of any length to length one.
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

    /// The numbers, as many as the model has dimensions.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }
}

/// A text as a model sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct EmbeddedText {
    /// Of the whole text.
    pub vector: Vector,
    /// Of each of its words, in their order; empty if the model does not tell them apart.
    pub words: Vec<WordVector>,
}

/// A word where it stands: the same word in another text has another vector.
#[derive(Clone, PartialEq, Debug)]
pub struct WordVector {
    /// The word in small letters without accents.
    pub word: Box<str>,
    /// Its direction, of any length.
    pub vector: Box<[f32]>,
}
