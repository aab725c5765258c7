//! Vectors as small whole numbers, and cosines of one with others, in the vector instructions of
//! each kind of processor.

use super::signs::signs;
use fearless_simd::{
    Level, Simd, SimdBase as _, SimdIntWiden as _, SimdWiden as _, dispatch, i8x32, i16x16, i32x8,
};

/// The largest part of a stored vector, and of the one that is searched for.
const STORED: f32 = 127.0;
const ASKED: f32 = 2_047.0;
/// Rows that are fetched together, and parts that memory hands out at once.
const FETCHED: usize = 32;
const CACHE_LINE: usize = 64;
/// Parts that are multiplied together.
const LANES: usize = 32;
/// Parts whose products are added up before a sum could grow too large.
const AT_ONCE: usize = 16_384;

/// A vector of which only the direction counts, in a quarter of its size.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantizedVector {
    /// What the parts are to be multiplied with so that its length is 1.
    pub scale: f32,
    /// The components, each as a share of the largest.
    pub parts: Vec<i8>,
}

impl QuantizedVector {
    /// Makes a vector small. One without a direction is none.
    pub fn new(vector: &[f32]) -> Option<Self> {
        let parts: Vec<i8> = whole(vector, STORED)?.map(|part| part as i8).collect();
        let scale = 1.0 / length(parts.iter().map(|part| f32::from(*part)));
        Some(Self { scale, parts })
    }
}

/// The vector that is searched for; more exact, since there is only one of it.
#[derive(Debug)]
pub struct QueryVector {
    scale: f32,
    parts: Vec<i16>,
}

impl QueryVector {
    /// One without a direction is near to nothing.
    pub fn new(vector: &[f32]) -> Option<Self> {
        let parts: Vec<i16> = whole(vector, ASKED)?.map(|part| part as i16).collect();
        let scale = 1.0 / length(parts.iter().map(|part| f32::from(*part)));
        Some(Self { scale, parts })
    }

    /// Its signs, to be compared before it is.
    pub fn signs(&self) -> Vec<u64> {
        signs(self.parts.iter().map(|part| f32::from(*part)))
    }

    /// The cosines with some rows of a table, whose vectors lie one behind the other.
    pub fn cosines(&self, scales: &[f32], parts: &[i8], places: &[u32]) -> Vec<f32> {
        let mut cosines = vec![0.0; places.len()];
        dispatch!(Level::new(), simd => self.fill(simd, scales, parts, places, &mut cosines));
        cosines
    }

    /// Loops instead of adapters, since what is not inlined here is compiled for the oldest
    /// processors.
    #[inline(always)]
    fn fill<S: Simd>(
        &self,
        simd: S,
        scales: &[f32],
        parts: &[i8],
        places: &[u32],
        cosines: &mut [f32],
    ) {
        let length = self.parts.len();
        let row = |place: u32| {
            let first = place as usize * length;
            parts.get(first..first + length).unwrap_or_default()
        };
        for (places, cosines) in places.chunks(FETCHED).zip(cosines.chunks_mut(FETCHED)) {
            // The rows are anywhere in memory: asked for all at once, they come together.
            let mut fetched = 0;
            for place in places {
                for part in row(*place).iter().step_by(CACHE_LINE) {
                    fetched ^= part;
                }
            }
            std::hint::black_box(fetched);
            for (place, cosine) in places.iter().zip(cosines) {
                let scale = scales.get(*place as usize).copied().unwrap_or_default();
                *cosine = scale * self.scale * product(simd, &self.parts, row(*place));
            }
        }
    }
}

#[inline(always)]
fn product<S: Simd>(simd: S, asked: &[i16], row: &[i8]) -> f32 {
    let mut product = 0.0;
    for (asked, row) in asked.chunks(AT_ONCE).zip(row.chunks(AT_ONCE)) {
        let mut sums = i32x8::splat(simd, 0);
        let (asked, asked_rest) = asked.as_chunks::<LANES>();
        let (row, row_rest) = row.as_chunks::<LANES>();
        for (one, other) in asked.iter().zip(row) {
            let (low, high) = i8x32::from_slice(simd, other).widen();
            sums += i16x16::from_slice(simd, &one[..16]).pairwise_dot_product(low);
            sums += i16x16::from_slice(simd, &one[16..]).pairwise_dot_product(high);
        }
        let mut lanes = [0; 8];
        sums.store_slice(&mut lanes);
        for lane in lanes {
            product += lane as f32;
        }
        for (one, other) in asked_rest.iter().zip(row_rest) {
            product += f32::from(*one) * f32::from(*other);
        }
    }
    product
}

/// The parts as whole numbers up to `largest`.
fn whole(vector: &[f32], largest: f32) -> Option<impl Iterator<Item = f32>> {
    let limit = vector.iter().fold(0.0_f32, |limit, part| limit.max(part.abs()));
    let fits = limit.is_normal() && vector.iter().all(|part| part.is_finite());
    fits.then(|| vector.iter().map(move |part| (part / limit * largest).round()))
}

fn length(parts: impl Iterator<Item = f32>) -> f32 {
    parts.map(|part| part * part).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::{QuantizedVector, QueryVector};

    #[test]
    fn cosines_are_those_of_the_exact_vectors() {
        let mut random = fastrand::Rng::with_seed(3);
        for dimensions in [1, 2, 7, 384, 1_536, 5_000] {
            let mut vector = || (0..dimensions).map(|_| random.f32() - 0.4).collect::<Vec<f32>>();
            let (one, other) = (vector(), vector());
            let small = QuantizedVector::new(&other).unwrap();
            let query_vector = QueryVector::new(&one).unwrap();
            let found = query_vector.cosines(&[small.scale], &small.parts, &[0])[0];
            let exact = exact(&one, &other);
            assert!((found - exact).abs() < 0.006, "{dimensions}: {found}, exactly {exact}");
        }
    }

    #[test]
    fn the_largest_vectors_do_not_overflow() {
        let (limit, least) = (vec![1.0; 10_000], vec![-1.0; 10_000]);
        let small = QuantizedVector::new(&limit).unwrap();
        for (vector, expected) in [(&limit, 1.0), (&least, -1.0)] {
            let found =
                QueryVector::new(vector).unwrap().cosines(&[small.scale], &small.parts, &[0]);
            assert!((found[0] - expected).abs() < 0.001, "{found:?}");
        }
    }

    #[test]
    fn what_has_no_direction_is_none() {
        for vector in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(QuantizedVector::new(vector), None);
            assert!(QueryVector::new(vector).is_none());
        }
    }

    fn exact(one: &[f32], other: &[f32]) -> f32 {
        let product = |left: &[f32], right: &[f32]| -> f64 {
            left.iter().zip(right).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        (product(one, other) / (product(one, one) * product(other, other)).sqrt()) as f32
    }
}
