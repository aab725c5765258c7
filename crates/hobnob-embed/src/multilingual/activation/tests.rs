//! The functions are those of mathematics.

use super::tanh;

#[test]
fn the_hyperbolic_tangent_is_exact_to_an_f32() {
    for at in -3_000..=3_000 {
        let x = at as f32 / 100.0;
        let expected = f64::from(x).tanh();
        assert!((f64::from(tanh(x)) - expected).abs() < 1e-7, "{x}: {}", tanh(x));
    }
    assert_eq!((tanh(0.0), tanh(f32::MAX), tanh(f32::MIN)), (0.0, 1.0, -1.0));
}
