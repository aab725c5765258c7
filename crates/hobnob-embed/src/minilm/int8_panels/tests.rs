//! Products are near those of floats, and the same bits with every instruction set.

use fearless_simd::Level;

use super::{Int8Multiplier, Int8Panels, Int8Rows};
use crate::tests::levels;

/// Numbers between -1 and 1 with a long period.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|at| ((at * 7919 + seed * 104_729) % 2003) as f32 / 1001.0 - 1.0).collect()
}

#[test]
fn products_are_near_those_of_floats_and_equal_at_all_levels() {
    for (depth, width) in [(2, 16), (64, 48), (384, 32), (1536, 16)] {
        let matrix = numbers(depth * width, 1);
        let bias = numbers(width, 2);
        let rows = Int8Rows::quantise(&matrix, depth).unwrap();
        let panels = Int8Panels::of_layer(depth, &rows, bias.clone()).unwrap();
        for count in [1, 2, 3, 5, 6, 7, 12, 13, 25] {
            let left = numbers(count * depth, 3);
            let mut first = None;
            for level in levels() {
                let mut found = Vec::new();
                Int8Multiplier::new(level).multiply(&left, &panels, &mut found);
                let case = format!("{level:?} {count}x{depth}x{width}");
                for (at, found) in found.iter().enumerate() {
                    let (row, column) =
                        (&left[at / width * depth..], &matrix[at % width * depth..]);
                    let product: f64 =
                        (0..depth).map(|at| f64::from(row[at]) * f64::from(column[at])).sum();
                    let expected = product + f64::from(bias[at % width]);
                    // The errors of 8-bit weights are at most 1/254 each, and mostly cancel out.
                    let allowed = 0.02 + 0.006 * (depth as f64).sqrt();
                    assert!((f64::from(*found) - expected).abs() < allowed, "{case}: {found}");
                }
                let bits: Vec<u32> = found.iter().map(|value| value.to_bits()).collect();
                assert_eq!(first.get_or_insert_with(|| bits.clone()), &bits, "{case}");
            }
        }
    }
}

#[test]
fn the_largest_sums_are_exact() {
    let depth = 2048;
    let rows = Int8Rows { values: vec![127; depth * 16], scales: vec![1.0; 16] };
    let panels = Int8Panels::of_layer(depth, &rows, vec![0.0; 16]).unwrap();
    for level in levels() {
        let mut found = Vec::new();
        Int8Multiplier::new(level).multiply(&vec![1.0; depth], &panels, &mut found);
        // 8191 · 127 · 2048 is less than 2^31; a wrapped sum would be negative.
        assert!(found.iter().all(|it| (it - 260_096.0).abs() < 0.1), "{level:?}: {}", found[0]);
    }
}

#[test]
fn rows_of_zeros_and_shapes_that_do_not_fit() {
    let rows = Int8Rows::quantise(&[0.0; 32], 2).unwrap();
    let panels = Int8Panels::of_layer(2, &rows, vec![3.0; 16]).unwrap();
    let mut found = Vec::new();
    Int8Multiplier::new(Level::new()).multiply(&[0.0; 6], &panels, &mut found);
    assert_eq!(found, [3.0; 48]);

    for (depth, count) in [(3, 16), (2, 15), (4096, 16)] {
        let rows = Int8Rows { values: vec![1; depth * count], scales: vec![1.0; count] };
        assert!(Int8Panels::of_layer(depth, &rows, vec![0.0; count]).is_none(), "{depth} {count}");
    }
    for bad in [f32::NAN, f32::INFINITY] {
        assert!(Int8Rows::quantise(&[1.0, bad], 2).is_none());
    }
}
