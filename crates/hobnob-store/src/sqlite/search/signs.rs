//! The signs of vectors, a bit for each part, and how many differ from those of another one. A
//! search compares them first: they are an eighth of the vectors, and what is near has most of its
//! signs in common.
//!
//! Eight rows lie side by side, so that one instruction counts for all of them.

use fearless_simd::{Level, Simd, SimdBase as _, SimdInt as _, dispatch, u64x8};

/// Rows that are counted together.
const LANES: usize = 8;

/// The signs of all vectors of a table.
#[derive(Debug, Default)]
pub(super) struct SignTable {
    /// Of eight rows first all first words, then all second ones.
    blocks: Vec<u64>,
    rows: usize,
}

impl SignTable {
    /// Adds those of one more vector.
    pub(super) fn push(&mut self, parts: &[i8]) {
        let signs = signs(parts.iter().map(|part| f32::from(*part)));
        let (block, lane) = (self.rows / LANES, self.rows % LANES);
        let start = block * LANES * signs.len();
        if lane == 0 {
            if self.blocks.capacity() < start + LANES * signs.len() {
                // Doubling would waste half of it.
                self.blocks.reserve_exact((start / 8).max(64 * LANES * signs.len()));
            }
            self.blocks.resize(start + LANES * signs.len(), 0);
        }
        let block = self.blocks.get_mut(start..).unwrap_or_default();
        for (words, sign) in block.as_chunks_mut::<LANES>().0.iter_mut().zip(signs) {
            if let Some(word) = words.get_mut(lane) {
                *word = sign;
            }
        }
        self.rows += 1;
    }

    /// In how many signs each row differs.
    pub(super) fn distances(&self, asked: &[u64]) -> Vec<u16> {
        let mut distances = vec![0; self.rows.next_multiple_of(LANES)];
        dispatch!(Level::new(), simd => count(simd, asked, &self.blocks, &mut distances));
        distances.truncate(self.rows);
        distances
    }
}

/// The signs of a vector's parts, 64 in a word; what is 0 counts as less.
pub(super) fn signs(parts: impl ExactSizeIterator<Item = f32>) -> Vec<u64> {
    let mut signs = vec![0; parts.len().div_ceil(64)];
    for (place, part) in parts.enumerate() {
        if let Some(word) = signs.get_mut(place / 64) {
            *word |= u64::from(0.0 < part) << (place % 64);
        }
    }
    signs
}

#[inline(always)]
fn count<S: Simd>(simd: S, asked: &[u64], blocks: &[u64], distances: &mut [u16]) {
    let blocks = blocks.chunks_exact((LANES * asked.len()).max(1));
    for (block, distances) in blocks.zip(distances.chunks_exact_mut(LANES)) {
        let mut counts = u64x8::splat(simd, 0);
        for (words, asked) in block.as_chunks::<LANES>().0.iter().zip(asked) {
            let differing = u64x8::from_slice(simd, words) ^ u64x8::splat(simd, *asked);
            counts += differing.count_ones();
        }
        let mut sums = [0; LANES];
        counts.store_slice(&mut sums);
        for (distance, sum) in distances.iter_mut().zip(sums) {
            *distance = sum as u16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SignTable, signs};

    #[test]
    fn each_row_has_as_many_differences_as_its_vector() {
        let mut random = fastrand::Rng::with_seed(5);
        for dimensions in [1, 63, 64, 65, 384, 1_536] {
            let mut vector = || (0..dimensions).map(|_| random.i8(-3..=3)).collect::<Vec<i8>>();
            let asked = vector();
            let rows: Vec<Vec<i8>> = (0..21).map(|_| vector()).collect();
            let mut table = SignTable::default();
            rows.iter().for_each(|row| table.push(row));
            let differ = |row: &Vec<i8>| {
                row.iter().zip(&asked).filter(|(one, other)| (0 < **one) != (0 < **other)).count()
            };
            let expected: Vec<u16> = rows.iter().map(|row| differ(row) as u16).collect();
            let asked = signs(asked.iter().map(|part| f32::from(*part)));
            assert_eq!(table.distances(&asked), expected, "{dimensions}");
        }
    }
}
