//! Element-wise and row-wise operations of the network.
//!
//! The loops are written so that the compiler vectorises them. Every sum is taken in 16 partial
//! sums, so its result does not depend on the instruction set.

use fearless_simd::{Level, dispatch};

#[cfg(test)]
mod tests;

/// Avoids division by zero for a row of equal numbers; the value the model was trained with.
const EPSILON: f32 = 1e-12;
/// Partial sums of a row.
const LANES: usize = 16;

/// Gain and offset of a layer normalisation, one per component.
pub(super) struct Norm {
    pub(super) gain: Vec<f32>,
    pub(super) offset: Vec<f32>,
}

impl Norm {
    /// Normalises every row to mean 0 and variance 1, then applies gain and offset.
    pub(super) fn apply(&self, level: Level, rows: &mut [f32]) {
        dispatch!(level, _simd => self.apply_inline(rows));
    }

    #[inline(always)]
    fn apply_inline(&self, rows: &mut [f32]) {
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

/// Replaces negative numbers with zero (ReLU).
pub(super) fn keep_positive(level: Level, values: &mut [f32]) {
    dispatch!(level, _simd => values.iter_mut().for_each(|value| *value = value.max(0.0)));
}

/// The hyperbolic tangent. The function of the standard library may differ between platforms.
pub(super) fn tanh(x: f32) -> f32 {
    /// The terms of the Taylor series of `exp`; enough for an `f32` where `|x| ≤ ln 2 / 2`.
    const TERMS: u32 = 10;
    // From here on, the nearest `f32` is ±1.
    let x = f64::from(x).clamp(-10.0, 10.0);
    let power = (2.0 * x * std::f64::consts::LOG2_E).round();
    let rest = 2.0 * x - power * std::f64::consts::LN_2;
    let series = (1..=TERMS).rev().fold(1.0, |sum, term| 1.0 + sum * rest / f64::from(term));
    let scale = f64::from_bits(((power as i64 + 1023) as u64) << 52);
    (1.0 - 2.0 / (series * scale + 1.0)) as f32
}

/// The sum of the terms of a row, whose length is a multiple of the lanes.
#[inline(always)]
fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut parts = [0.0; LANES];
    for values in row.as_chunks::<LANES>().0 {
        for (part, value) in parts.iter_mut().zip(values) {
            *part += term(*value);
        }
    }
    let mut width = LANES / 2;
    while 0 < width {
        for lane in 0..width {
            parts[lane] += parts[lane + width];
        }
        width /= 2;
    }
    parts[0]
}
