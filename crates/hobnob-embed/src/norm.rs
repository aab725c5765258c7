//! Layer normalisation, and sums over rows: what the networks of all local models share.
//!
//! The loops are written so that the compiler vectorises them. Every sum is taken in 16 partial
//! sums, so its result does not depend on the instruction set.

use fearless_simd::{Level, Simd, dispatch};

#[cfg(test)]
mod tests;

/// Partial sums of a row.
const LANES: usize = 16;

/// Avoids division by zero for a row of equal numbers; the value the model was trained with.
const EPSILON: f32 = 1e-12;

/// Gain and offset of a layer normalisation, one per component.
pub(crate) struct Norm {
    pub(crate) gain: Vec<f32>,
    pub(crate) offset: Vec<f32>,
}

impl Norm {
    /// Normalises every row to mean 0 and variance 1, then applies gain and offset.
    pub(crate) fn apply(&self, level: Level, rows: &mut [f32]) {
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
pub(crate) fn add(level: Level, to: &mut [f32], from: &[f32]) {
    dispatch!(level, _simd => to.iter_mut().zip(from).for_each(|(to, from)| *to += from));
}

/// The sum of the terms of a row, whose length is a multiple of 16.
#[inline(always)]
pub(crate) fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    fold(row, 0.0, term, |sum, term| sum + term)
}

/// Folds the terms of such a row in one part per lane.
#[inline(always)]
pub(crate) fn fold(
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
