//! Int8 vector quantization and the SIMD cosine scan: vectors as small integers, and cosines of one
//! query with many of them, in the vector instructions of each kind of processor.

use super::signs::signs;
use fearless_simd::{
    Level, Simd, SimdBase as _, SimdIntWiden as _, SimdWiden as _, dispatch, i8x32, i16x16, i32x8,
};

/// The largest component after quantization: of a stored vector, and of a query vector.
const MAX_STORED_PART: f32 = 127.0;
const MAX_QUERY_PART: f32 = 2_047.0;
/// Rows prefetched together, and bytes per cache line.
const PREFETCH: usize = 32;
const CACHE_LINE: usize = 64;
/// Components multiplied by one loop iteration.
const LANES: usize = 32;
/// Components summed in integers before a lane could overflow.
const PARTS_PER_SUM: usize = 16_384;

/// A vector quantized to `i8`, a quarter of its `f32` size; only its direction is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantizedVector {
    /// The factor that makes the quantized vector a unit vector.
    pub scale: f32,
    /// The components, relative to the largest one.
    pub parts: Vec<i8>,
}

impl QuantizedVector {
    /// Quantizes a vector; `None` if it has no direction (empty, all zero or not finite).
    pub fn new(vector: &[f32]) -> Option<Self> {
        let parts: Vec<i8> = quantize(vector, MAX_STORED_PART)?.map(|part| part as i8).collect();
        let scale = 1.0 / length(parts.iter().map(|part| f32::from(*part)));
        Some(Self { scale, parts })
    }
}

/// A query vector, quantized to `i16`: more precise, since there is only one of it.
#[derive(Debug)]
pub struct QueryVector {
    scale: f32,
    parts: Vec<i16>,
}

impl QueryVector {
    /// Quantizes a query; `None` if it has no direction.
    pub fn new(vector: &[f32]) -> Option<Self> {
        let parts: Vec<i16> = quantize(vector, MAX_QUERY_PART)?.map(|part| part as i16).collect();
        let scale = 1.0 / length(parts.iter().map(|part| f32::from(*part)));
        Some(Self { scale, parts })
    }

    /// Its sign bits, for the Hamming distance that comes before the cosines.
    pub fn signs(&self) -> Vec<u64> {
        signs(self.parts.iter().map(|part| f32::from(*part)))
    }

    /// The number of components.
    pub(super) fn dimensions(&self) -> usize {
        self.parts.len()
    }

    /// The cosine with one vector.
    pub(super) fn cosine(&self, scale: f32, parts: &[i8]) -> f32 {
        self.cosines(&[scale], parts, &[0]).first().copied().unwrap_or_default()
    }

    /// The cosines with the rows at `places` of a row-major table; 0 for rows after its end.
    pub fn cosines(&self, scales: &[f32], parts: &[i8], places: &[u32]) -> Vec<f32> {
        let mut cosines = vec![0.0; places.len()];
        dispatch!(Level::new(), simd => self.fill(simd, scales, parts, places, &mut cosines));
        cosines
    }

    /// Uses loops instead of iterator adapters: an adapter that is not inlined here would be
    /// compiled for the oldest supported processor.
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
        for (places, cosines) in places.chunks(PREFETCH).zip(cosines.chunks_mut(PREFETCH)) {
            // Rows are scattered in memory: touching all of them first overlaps the cache misses.
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
fn product<S: Simd>(simd: S, query: &[i16], row: &[i8]) -> f32 {
    let mut product = 0.0;
    for (query, row) in query.chunks(PARTS_PER_SUM).zip(row.chunks(PARTS_PER_SUM)) {
        let mut sums = i32x8::splat(simd, 0);
        let (query, query_rest) = query.as_chunks::<LANES>();
        let (row, row_rest) = row.as_chunks::<LANES>();
        for (one, other) in query.iter().zip(row) {
            let (low, high) = i8x32::from_slice(simd, other).widen();
            sums += i16x16::from_slice(simd, &one[..16]).pairwise_dot_product(low);
            sums += i16x16::from_slice(simd, &one[16..]).pairwise_dot_product(high);
        }
        let mut lanes = [0; 8];
        sums.store_slice(&mut lanes);
        for lane in lanes {
            product += lane as f32;
        }
        for (one, other) in query_rest.iter().zip(row_rest) {
            product += f32::from(*one) * f32::from(*other);
        }
    }
    product
}

/// Scales a vector so that its largest component is `largest`, and rounds.
fn quantize(vector: &[f32], largest: f32) -> Option<impl Iterator<Item = f32>> {
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
        let (highest, lowest) = (vec![1.0; 10_000], vec![-1.0; 10_000]);
        let small = QuantizedVector::new(&highest).unwrap();
        for (vector, expected) in [(&highest, 1.0), (&lowest, -1.0)] {
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
