//! Element-wise and row-wise operations: layer normalisation, softmax, GELU.
//!
//! The loops are written so that the compiler vectorises them: sums in 16 partial sums, no
//! branches, and our own `exp`.

use fearless_simd::{Level, Simd, dispatch};

use super::multiply::LANES;

#[cfg(test)]
mod tests;

/// Avoids division by zero for a row of equal numbers; the value the model was trained with.
const EPSILON: f32 = 1e-12;

/// Gain and offset of a layer normalisation, one per component.
pub(super) struct Norm {
    pub(super) gain: Vec<f32>,
    pub(super) offset: Vec<f32>,
}

impl Norm {
    /// Normalises every row to mean 0 and variance 1, then applies gain and offset.
    pub(super) fn apply(&self, level: Level, rows: &mut [f32]) {
        dispatch!(level, simd => self.apply_with(simd, rows));
    }

    #[inline(always)]
    fn apply_with<S: Simd>(&self, _simd: S, rows: &mut [f32]) {
        let count = self.gain.len() as f32;
        for row in rows.chunks_exact_mut(self.gain.len()) {
            let mean = sum(row, |value| value) / count;
            let variance = sum(row, |value| (value - mean) * (value - mean)) / count;
            let scale = 1.0 / (variance + EPSILON).sqrt();
            for (value, (gain, offset)) in row.iter_mut().zip(self.gain.iter().zip(&self.offset)) {
                *value = (*value - mean) * scale * gain + offset;
            }
        }
    }
}

/// Adds `from` to `to`, number by number.
pub(super) fn add(level: Level, to: &mut [f32], from: &[f32]) {
    dispatch!(level, _simd => to.iter_mut().zip(from).for_each(|(to, from)| *to += from));
}

/// GELU of every number: `x · Φ(x)`, with `Φ` the standard normal distribution function.
pub(super) fn gelu(level: Level, values: &mut [f32]) {
    dispatch!(level, _simd => values.iter_mut().for_each(|value| *value = gelu_of(*value)));
}

/// Softmax of the first `count` numbers of every row: they become positive with sum 1. The numbers
/// after them, up to the stride, are unspecified.
pub(super) fn softmax(level: Level, scores: &mut [f32], stride: usize, count: usize, scale: f32) {
    dispatch!(level, simd => softmax_with(simd, scores, stride, count, scale));
}

#[inline(always)]
fn softmax_with<S: Simd>(_simd: S, scores: &mut [f32], stride: usize, count: usize, scale: f32) {
    for row in scores.chunks_exact_mut(stride) {
        row[count..].fill(f32::NEG_INFINITY);
        let highest = fold(row, f32::NEG_INFINITY, |value| value, f32::max);
        for score in &mut *row {
            *score = exp((*score - highest) * scale);
        }
        let factor = 1.0 / sum(row, |value| value);
        for score in row {
            *score *= factor;
        }
    }
}

#[inline(always)]
fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    fold(row, 0.0, term, |sum, term| sum + term)
}

/// Folds the terms of a row, whose length is a multiple of the lanes, in one part per lane.
#[inline(always)]
fn fold(
    row: &[f32],
    start: f32,
    term: impl Fn(f32) -> f32,
    combine: impl Fn(f32, f32) -> f32,
) -> f32 {
    let mut parts = [start; LANES];
    for values in row.as_chunks::<LANES>().0 {
        for (part, value) in parts.iter_mut().zip(values) {
            *part = combine(*part, term(*value));
        }
    }
    let mut width = LANES / 2;
    while 0 < width {
        for lane in 0..width {
            parts[lane] = combine(parts[lane], parts[lane + width]);
        }
        width /= 2;
    }
    parts[0]
}

/// Uses the approximation of `erf` in Abramowitz and Stegun, 7.1.26: error at most 1.5e-7.
#[inline(always)]
fn gelu_of(x: f32) -> f32 {
    const SERIES: [f32; 6] =
        [0.0, 0.254_829_6, -0.284_496_72, 1.421_413_8, -1.453_152_1, 1.061_405_4];
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    // Half of the probability beyond `|z|`, on the side where `x` is.
    x.max(0.0) - 0.5 * x.abs() * polynomial(t, SERIES) * exp(-z * z)
}

/// `e` to the power of `x`: a power of two, set in the exponent bits, times a Taylor polynomial.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const SERIES: [f32; 7] = [1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0];
    /// Adding this rounds a number to an integer, which ends up in the lowest bits.
    const INTEGER: f32 = 12_582_912.0;
    /// `ln 2` in two parts (Cody–Waite), the first with few bits, so that its products are exact.
    const LN_2: [f32; 2] = [355.0 / 512.0, -2.121_944_4e-4];
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + INTEGER;
    let power = shifted - INTEGER;
    let rest = x - power * LN_2[0] - power * LN_2[1];
    polynomial(rest, SERIES) * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

#[inline(always)]
fn polynomial<const TERMS: usize>(x: f32, coefficients: [f32; TERMS]) -> f32 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}
