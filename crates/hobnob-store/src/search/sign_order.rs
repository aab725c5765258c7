//! Orders vectors by the Hamming distance of their sign bits to those of a query, bucket by bucket;
//! the order within a bucket is unspecified.

use super::scan::QueryVector;
use super::signs::SignDistances;
use super::vectors::VectorTable;

/// One vector in `CANDIDATE_SHARE` is compared exactly, and at least the minimum: among vectors
/// about equally near, sign bits say little about which one is nearest.
const CANDIDATE_SHARE: usize = 200;
const MIN_CANDIDATES: usize = 1_024;
const CANDIDATES_PER_HIT: usize = 16;

/// Candidates to re-rank exactly: 0.5 % of the table, at least 1,024, at least 16 per wanted hit.
pub fn exact_candidates(table_len: usize, limit: usize) -> usize {
    let share = (table_len / CANDIDATE_SHARE).max(MIN_CANDIDATES);
    share.max(limit.saturating_mul(CANDIDATES_PER_HIT))
}

/// The vectors that a search has not taken yet, nearest first.
pub struct SignOrder {
    distances: SignDistances,
    /// An estimated histogram: how many vectors are at each distance.
    at_distance: Vec<usize>,
    /// All vectors nearer than this distance were taken.
    taken: usize,
}

/// Distances sampled to estimate the histogram.
const SAMPLE_SIZE: usize = 8_192;

impl SignOrder {
    /// Computes the Hamming distance of every vector of a table to the query.
    pub fn new(rows: &VectorTable, query_vector: &QueryVector) -> Self {
        let distances = rows.distances(query_vector);
        let mut at_distance = vec![0; distances.farthest + 1];
        let step = (distances.len() / SAMPLE_SIZE).max(1);
        for distance in distances.sample(step) {
            if let Some(vectors) = at_distance.get_mut(distance) {
                *vectors += step;
            }
        }
        Self { distances, at_distance, taken: 0 }
    }

    /// The row indexes of the next-nearest vectors that `wanted` accepts: at least `count`, plus
    /// all others at the distance of the last one. Empty when nothing is left.
    pub fn next(&mut self, count: usize, wanted: impl Fn(u32) -> bool) -> Vec<u32> {
        let (mut places, mut looked_at) = (Vec::new(), 0);
        while places.len() < count && self.taken < self.at_distance.len() {
            // Looks at as many more vectors as needed if `wanted` accepts the same share as before.
            let missing = count - places.len();
            let more = missing.saturating_mul(looked_at) / places.len().max(1);
            let (from, mut found) = (self.taken, 0);
            while found < more.max(missing)
                && let Some(vectors) = self.at_distance.get(self.taken)
            {
                found += vectors;
                self.taken += 1;
            }
            self.distances.each_within(&(from..self.taken), |place| {
                if wanted(place) {
                    places.push(place);
                }
            });
            looked_at += found;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::{QuantizedVector, QueryVector};
    use super::super::vectors::{VectorRow, VectorTable};
    use super::{SignOrder, exact_candidates};

    const DIMENSIONS: usize = 384;
    const VECTORS: usize = 12_000;
    const TOPICS: usize = 60;

    /// Random vectors around topics, like a model's: those of one topic are about equally near.
    fn table(random: &mut fastrand::Rng) -> (VectorTable, Vec<Vec<f32>>) {
        let mut direction = || (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect::<Vec<f32>>();
        let topics: Vec<Vec<f32>> = (0..TOPICS).map(|_| direction()).collect();
        let mut rows = VectorTable::default();
        for number in 1..=VECTORS {
            let aside = direction();
            let parts = topics[number % TOPICS].iter().zip(&aside).map(|(one, other)| one + other);
            let small = QuantizedVector::new(&parts.collect::<Vec<f32>>()).unwrap();
            let bytes: Vec<u8> = small.parts.iter().map(|part| part.cast_unsigned()).collect();
            let number = i64::try_from(number).unwrap();
            rows.push(VectorRow { number, memory: number }, small.scale, &bytes);
        }
        (rows, topics)
    }

    #[test]
    fn the_exact_top_ten_are_among_those_with_most_signs_in_common() {
        const QUERIES: usize = 60;
        let mut random = fastrand::Rng::with_seed(11);
        let (rows, topics) = table(&mut random);
        let all: Vec<u32> = (0..u32::try_from(VECTORS).unwrap()).collect();
        let mut found = 0;
        for topic in topics.iter().take(QUERIES) {
            let asked: Vec<f32> =
                topic.iter().map(|part| part + 0.5 * (random.f32() - 0.5)).collect();
            let query_vector = QueryVector::new(&asked).unwrap();
            let cosines = rows.cosines(&query_vector, &all, |_, _| Err("all are in memory"));
            let mut exact: Vec<(f32, u32)> =
                cosines.unwrap().into_iter().zip(all.iter().copied()).collect();
            exact.sort_by(|one, other| other.0.total_cmp(&one.0));
            let near =
                SignOrder::new(&rows, &query_vector).next(exact_candidates(VECTORS, 10), |_| true);
            assert!(near.len() < VECTORS / 4, "{} are compared exactly", near.len());
            found += exact.iter().take(10).filter(|(_, place)| near.contains(place)).count();
        }
        assert!(QUERIES * 10 * 99 <= found * 100, "{found} of {}", QUERIES * 10);
    }

    #[test]
    fn parts_follow_each_other_and_end() {
        let (rows, topics) = table(&mut fastrand::Rng::with_seed(12));
        let mut order = SignOrder::new(&rows, &QueryVector::new(&topics[0]).unwrap());
        let mut seen = Vec::new();
        loop {
            let part = order.next(5_000, |place| place % 3 == 0);
            if part.is_empty() {
                break;
            }
            seen.extend(part);
        }
        seen.sort_unstable();
        let expected: Vec<u32> =
            (0..u32::try_from(VECTORS).unwrap()).filter(|place| place % 3 == 0).collect();
        assert_eq!(seen, expected);
    }
}
