//! Vectors as small whole numbers, and cosines of one with many. The loops are plain so that the
//! compiler makes vector instructions of them, for each kind of processor its own.

use fearless_simd::{Level, Simd, dispatch};

/// The largest part of a stored vector, and of the one that is searched for.
const STORED: f32 = 127.0;
const ASKED: f32 = 2_047.0;
/// Products that are added up before the sum could grow too large.
const AT_ONCE: usize = 1_024;

/// A vector of which only the direction counts, in a quarter of its size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QuantizedVector {
    /// What the parts are to be multiplied with so that its length is 1.
    pub(super) scale: f32,
    /// The components, each as a share of the largest.
    pub(super) parts: Vec<i8>,
}

impl QuantizedVector {
    /// Makes a vector small. One without a direction is none.
    pub(super) fn new(vector: &[f32]) -> Option<Self> {
        let parts: Vec<i8> = whole(vector, STORED)?.map(|part| part as i8).collect();
        let scale = 1.0 / length(parts.iter().map(|part| f32::from(*part)));
        Some(Self { scale, parts })
    }
}

/// The vector that is searched for; more exact, since there is only one of it.
#[derive(Debug)]
pub(super) struct QueryVector {
    scale: f32,
    parts: Vec<i16>,
}

impl QueryVector {
    /// One without a direction is near to nothing.
    pub(super) fn new(vector: &[f32]) -> Option<Self> {
        let parts: Vec<i16> = whole(vector, ASKED)?.map(|part| part as i16).collect();
        let scale = 1.0 / length(parts.iter().map(|part| f32::from(*part)));
        Some(Self { scale, parts })
    }

    /// The cosines with all vectors of a row, whose scales are given.
    pub(super) fn cosines(&self, scales: &[f32], parts: &[i8]) -> Vec<f32> {
        let mut cosines = scales.to_vec();
        dispatch!(Level::new(), simd => self.scale_up(simd, &mut cosines, parts));
        cosines
    }

    /// Multiplies each scale with its row's product. Loops instead of adapters, since what is not
    /// inlined here is compiled for the oldest processors.
    #[inline(always)]
    fn scale_up<S: Simd>(&self, _simd: S, scales: &mut [f32], parts: &[i8]) {
        for (row, scale) in parts.chunks_exact(self.parts.len()).zip(scales) {
            let mut product = 0.0;
            for (one, other) in self.parts.chunks(AT_ONCE).zip(row.chunks(AT_ONCE)) {
                let mut sum = 0;
                for (left, right) in one.iter().zip(other) {
                    sum += i32::from(*left) * i32::from(*right);
                }
                product += sum as f32;
            }
            *scale *= self.scale * product;
        }
    }
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
            let found = query_vector.cosines(&[small.scale], &small.parts)[0];
            let exact = exact(&one, &other);
            assert!((found - exact).abs() < 0.006, "{dimensions}: {found}, exactly {exact}");
        }
    }

    #[test]
    fn the_largest_vectors_do_not_overflow() {
        let (limit, least) = (vec![1.0; 10_000], vec![-1.0; 10_000]);
        let small = QuantizedVector::new(&limit).unwrap();
        for (vector, expected) in [(&limit, 1.0), (&least, -1.0)] {
            let found = QueryVector::new(vector).unwrap().cosines(&[small.scale], &small.parts);
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
