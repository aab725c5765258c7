//! The activations of the network.

use fearless_simd::{Level, dispatch};

#[cfg(test)]
mod tests;

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
