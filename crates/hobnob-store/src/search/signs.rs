//! Sign bits of vectors (one bit per component) and Hamming distances to them. A search compares
//! signs first: they take an eighth of the vectors' memory, and near vectors share most signs.
//!
//! Rows are stored in interleaved blocks of eight, so one SIMD instruction counts for all eight.

use fearless_simd::{Level, Simd, SimdBase as _, SimdInt as _, dispatch, u64x8};
use std::ops::Range;

/// Rows per interleaved block.
const LANES: usize = 8;

/// The sign bits of all vectors of a table.
#[derive(Debug, Default)]
pub struct SignTable {
    /// Per block of eight rows: the first word of each row, then the second of each, and so on.
    blocks: Vec<u64>,
    rows: usize,
}

impl SignTable {
    /// Appends the sign bits of one more vector.
    pub fn push(&mut self, signs: &[u64]) {
        let (block, lane) = (self.rows / LANES, self.rows % LANES);
        let start = block * LANES * signs.len();
        if lane == 0 {
            if self.blocks.capacity() < start + LANES * signs.len() {
                // Doubling would waste up to half of the largest allocation.
                self.blocks.reserve_exact((start / 8).max(64 * LANES * signs.len()));
            }
            self.blocks.resize(start + LANES * signs.len(), 0);
        }
        let block = self.blocks.get_mut(start..).unwrap_or_default();
        for (words, sign) in block.as_chunks_mut::<LANES>().0.iter_mut().zip(signs) {
            if let Some(word) = words.get_mut(lane) {
                *word = *sign;
            }
        }
        self.rows += 1;
    }

    /// The sign bits of the vector at this index.
    pub(super) fn row(&self, place: usize) -> impl Iterator<Item = u64> + '_ {
        let length = self.blocks.len() / self.rows.next_multiple_of(LANES).max(1);
        let block = self.blocks.chunks_exact((LANES * length).max(1)).nth(place / LANES);
        let words = block.unwrap_or_default().chunks_exact(LANES);
        words.filter_map(move |words| words.get(place % LANES).copied())
    }

    /// The Hamming distance of each row to the query's sign bits.
    pub fn distances(&self, asked: &[u64]) -> SignDistances {
        let rows = self.rows.next_multiple_of(LANES);
        let mut distances =
            SignDistances { of_rows: vec![0; rows], minima: vec![0; rows / LANES], farthest: 0 };
        dispatch!(Level::new(), simd => count(simd, asked, &self.blocks, &mut distances));
        distances.of_rows.truncate(self.rows);
        distances.farthest = asked.len() * 64;
        distances
    }
}

/// The Hamming distances of all rows of a table.
#[derive(Debug)]
pub struct SignDistances {
    of_rows: Vec<u16>,
    /// The minimum of each block of eight rows.
    minima: Vec<u16>,
    /// The largest possible distance.
    pub(crate) farthest: usize,
}

impl SignDistances {
    /// The distance of every `step`th row.
    pub(crate) fn sample(&self, step: usize) -> impl Iterator<Item = usize> {
        self.of_rows.iter().step_by(step).map(|distance| usize::from(*distance))
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.of_rows.len()
    }

    /// Calls `each` with every row at a distance in `range`, in order. Most blocks have none, so
    /// their minimum lets the loop skip them.
    pub(crate) fn each_within(&self, range: &Range<usize>, mut each: impl FnMut(u32)) {
        let blocks = self.of_rows.chunks(LANES).zip(&self.minima).zip((0..).step_by(LANES));
        for ((block, minimum), first) in blocks {
            if range.end <= usize::from(*minimum) {
                continue;
            }
            for (place, distance) in (first..).zip(block) {
                if range.contains(&usize::from(*distance)) {
                    each(place);
                }
            }
        }
    }
}

/// The sign bits of a vector's components, 64 to a word; zero counts as negative.
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
fn count<S: Simd>(simd: S, asked: &[u64], blocks: &[u64], distances: &mut SignDistances) {
    let blocks = blocks.chunks_exact((LANES * asked.len()).max(1));
    let rows = distances.of_rows.chunks_exact_mut(LANES).zip(&mut distances.minima);
    for (block, (distances, minimum)) in blocks.zip(rows) {
        let mut counts = u64x8::splat(simd, 0);
        for (words, asked) in block.as_chunks::<LANES>().0.iter().zip(asked) {
            let differing = u64x8::from_slice(simd, words) ^ u64x8::splat(simd, *asked);
            counts += differing.count_ones();
        }
        let mut sums = [0; LANES];
        counts.store_slice(&mut sums);
        let mut nearest = u64::MAX;
        for (distance, sum) in distances.iter_mut().zip(sums) {
            *distance = sum as u16;
            nearest = nearest.min(sum);
        }
        *minimum = nearest as u16;
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
            let bits = |row: &Vec<i8>| signs(row.iter().map(|part| f32::from(*part)));
            rows.iter().for_each(|row| table.push(&bits(row)));
            for (place, row) in rows.iter().enumerate() {
                assert_eq!(table.row(place).collect::<Vec<u64>>(), bits(row), "{dimensions}");
            }
            let differ = |row: &Vec<i8>| {
                row.iter().zip(&asked).filter(|(one, other)| (0 < **one) != (0 < **other)).count()
            };
            let expected: Vec<u16> = rows.iter().map(|row| differ(row) as u16).collect();
            let asked = signs(asked.iter().map(|part| f32::from(*part)));
            let distances = table.distances(&asked);
            assert_eq!(distances.of_rows, expected, "{dimensions}");
            let range = 1..dimensions / 2;
            let mut near = Vec::new();
            distances.each_within(&range, |place| near.push(place));
            let within = (0..).zip(&expected).filter(|(_, it)| range.contains(&usize::from(**it)));
            assert_eq!(near, within.map(|(place, _)| place).collect::<Vec<u32>>(), "{dimensions}");
        }
    }
}
