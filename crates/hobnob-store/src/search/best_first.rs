//! Re-ranks the candidates that Hamming distance brought forward by their cosine similarity.

use super::scan::QueryVector;
use super::vectors::{VectorRow, VectorTable};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Yields vectors by descending cosine, the newer one first on a tie. A heap orders them lazily,
/// because a caller takes only the first few. `read` appends the stored components of a vector.
pub fn best_first<'r, E, R: FnMut(VectorRow, &mut Vec<i8>) -> Result<(), E>>(
    rows: &'r VectorTable,
    query_vector: &QueryVector,
    places: &[u32],
    read: R,
) -> Result<impl Iterator<Item = (f32, VectorRow)> + use<'r, E, R>, E> {
    let cosines = rows.cosines(query_vector, places, read)?;
    let near = cosines.into_iter().zip(places);
    let near = near.map(|(cosine, place)| ComparedVector { cosine, place: *place });
    let mut ranked: BinaryHeap<ComparedVector> = near.collect();
    let ranked = std::iter::from_fn(move || ranked.pop());
    Ok(ranked.filter_map(|ComparedVector { cosine, place }| {
        Some((cosine.clamp(-1.0, 1.0), rows.at(place)?))
    }))
}

/// A vector with its computed cosine.
#[derive(Debug, PartialEq)]
struct ComparedVector {
    cosine: f32,
    place: u32,
}

impl Eq for ComparedVector {}

impl Ord for ComparedVector {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cosine.total_cmp(&other.cosine).then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for ComparedVector {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
