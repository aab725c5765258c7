//! The functions are those of mathematics, with every instruction set of the processor.

use super::{Norm, tanh};
use fearless_simd::Level;

#[test]
fn the_hyperbolic_tangent_is_exact_to_an_f32() {
    for at in -3_000..=3_000 {
        let x = at as f32 / 100.0;
        let expected = f64::from(x).tanh();
        assert!((f64::from(tanh(x)) - expected).abs() < 1e-7, "{x}: {}", tanh(x));
    }
    assert_eq!((tanh(0.0), tanh(f32::MAX), tanh(f32::MIN)), (0.0, 1.0, -1.0));
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
    assert_eq!(apply(Level::new()), normalised);
    for row in normalised.chunks_exact(width) {
        let mean = row.iter().sum::<f32>() / width as f32;
        let variance = row.iter().map(|it| (it - mean).powi(2)).sum::<f32>() / width as f32;
        assert!((mean - 1.0).abs() < 1e-4 && (variance - 4.0).abs() < 1e-3, "{mean} {variance}");
    }
}
