//! Compares the approximations with the same functions in double precision.

use fearless_simd::Level;

use super::{exp, gelu, softmax};

#[test]
fn exp_is_close_everywhere() {
    for step in -8700..=8800 {
        let x = step as f32 / 100.0;
        let expected = f64::from(x).exp();
        let off = (f64::from(exp(x)) / expected - 1.0).abs();
        assert!(off < 3e-7, "exp({x}) is off by {off}");
    }
    assert!(exp(f32::NEG_INFINITY) < 1e-37);
    assert!(exp(-1e9) < 1e-37);
    assert!(exp(1e9).is_finite());
}

/// The normal distribution function by its power series, which is exact enough within ±6.
fn distribution(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / (2.0 * f64::from(n));
        sum += term / f64::from(2 * n + 1);
    }
    0.5 + sum / (2.0 * std::f64::consts::PI).sqrt()
}

#[test]
fn gelu_is_close_everywhere() {
    let mut values: Vec<f32> = (-500..=500).map(|step| step as f32 / 100.0).collect();
    let before = values.clone();
    gelu(Level::new(), &mut values);
    for (x, found) in before.iter().zip(values) {
        let expected = f64::from(*x) * distribution(f64::from(*x));
        assert!((f64::from(found) - expected).abs() < 1e-6, "gelu({x}) is {found}");
    }
    let mut extremes = [-1e30, -30.0, 30.0, 1e30];
    gelu(Level::new(), &mut extremes);
    assert!(extremes[0].abs() < 1e-6 && extremes[1].abs() < 1e-6, "{extremes:?}");
    assert_eq!(extremes[2..], [30.0, 1e30]);
}

#[test]
fn weights_of_a_row_sum_to_one() {
    let (stride, count, scale) = (16, 5, 0.5);
    let first = [1.0, -2.0, 0.0, 900.0, 899.0];
    let second = [-3e8, -3e8, -3e8, -3e8, -3e8];
    let mut scores = vec![f32::NAN; 2 * stride];
    scores[..count].copy_from_slice(&first);
    scores[stride..stride + count].copy_from_slice(&second);
    softmax(Level::new(), &mut scores, stride, count, scale);
    let share = 1.0 / (1.0 + (-0.5_f32).exp());
    for (found, expected) in scores.iter().zip([0.0, 0.0, 0.0, share, 1.0 - share]) {
        assert!((found - expected).abs() < 1e-6, "{scores:?}");
    }
    for found in &scores[stride..stride + count] {
        assert!((found - 0.2).abs() < 1e-6, "{scores:?}");
    }
}
