//! Softmax and GELU, over rows and over single numbers.
//!
//! The loops are written so that the compiler vectorises them: sums in 16 partial sums, no
//! branches, and our own `exp`.

use fearless_simd::{Level, Simd, dispatch};

use crate::norm::{fold, sum};

#[cfg(test)]
mod tests;

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
