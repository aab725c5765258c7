//! Parses and validates the JSON answer of an embeddings server.
//!
//! The client gets one vector per text, in the order of the texts, all of the same length.

use serde::Deserialize;

use crate::embedder::EmbedError;
use crate::vector::Vector;

#[cfg(test)]
mod tests;

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    index: usize,
    embedding: Vec<f32>,
}

/// Reads the vectors for `count` texts. They must have `dimensions` components, or, before that is
/// known, all the same number.
pub(super) fn read(
    body: &[u8],
    count: usize,
    dimensions: Option<usize>,
) -> Result<Vec<Vector>, EmbedError> {
    let answer: Answer =
        serde_json::from_slice(body).map_err(|error| unusable(error.to_string()))?;
    if answer.data.len() != count {
        let found = answer.data.len();
        return Err(unusable(format!("{found} vectors for {count} texts")));
    }
    let dimensions = dimensions.or(answer.data.first().map(|row| row.embedding.len()));
    let mut places = vec![None; count];
    for Row { index, embedding } in answer.data {
        let found = embedding.len();
        if let Some(expected) = dimensions.filter(|expected| *expected != found) {
            let reason = format!("vector {index} has {found} numbers, others have {expected}");
            return Err(unusable(reason));
        }
        let vector = Vector::from_raw(embedding);
        let vector = vector.map_err(|bad| unusable(format!("vector {index}: {bad}")))?;
        let place = places.get_mut(index).filter(|place| place.is_none());
        *place.ok_or_else(|| unusable(format!("index {index} is wrong or there twice")))? =
            Some(vector);
    }
    // As many vectors as places, and no place twice: every place is filled.
    Ok(places.into_iter().flatten().collect())
}

fn unusable(what: String) -> EmbedError {
    EmbedError::Unusable(what.into())
}
