//! Rows get the mean and variance of the definition, with every instruction set of the processor.

use fearless_simd::Level;

use super::{Norm, add};
use crate::tests::levels;

#[test]
fn rows_are_normalised_apart() {
    let width = 32;
    let norm = Norm { gain: vec![2.0; width], offset: vec![1.0; width] };
    let mut rows: Vec<f32> = (0..2 * width).map(|at| (at * at) as f32).collect();
    let before: Vec<f64> = rows.iter().map(|value| f64::from(*value)).collect();
    norm.apply(Level::new(), &mut rows);
    for (found, raw) in rows.chunks_exact(width).zip(before.chunks_exact(width)) {
        let mean = raw.iter().sum::<f64>() / width as f64;
        let variance = raw.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / width as f64;
        for (found, raw) in found.iter().zip(raw) {
            let expected = 2.0 * (raw - mean) / variance.sqrt() + 1.0;
            assert!((f64::from(*found) - expected).abs() < 1e-4, "{found} for {expected}");
        }
    }
    let mut flat = vec![5.0; width];
    norm.apply(Level::new(), &mut flat);
    assert_eq!(flat, vec![1.0; width]);
}

#[test]
fn sums_end_with_the_shorter_side() {
    let mut to = [1.0, 2.0];
    add(Level::new(), &mut to, &[10.0, 20.0, 30.0]);
    assert_eq!(to, [11.0, 22.0]);
}

#[test]
fn rows_are_normalised_alike_with_every_instruction_set() {
    let width = 32;
    let norm = Norm { gain: vec![2.0; width], offset: vec![1.0; width] };
    let rows: Vec<f32> = (0..3 * width).map(|at| ((at * 29) % 31) as f32 / 3.0).collect();
    let apply = |level| {
        let mut rows = rows.clone();
        norm.apply(level, &mut rows);
        rows
    };
    let normalised = apply(Level::baseline());
    for level in levels() {
        assert_eq!(apply(level), normalised);
    }
    for row in normalised.chunks_exact(width) {
        let mean = row.iter().sum::<f32>() / width as f32;
        let variance = row.iter().map(|it| (it - mean).powi(2)).sum::<f32>() / width as f32;
        assert!((mean - 1.0).abs() < 1e-4 && (variance - 4.0).abs() < 1e-3, "{mean} {variance}");
    }
}
