//! Every shape gives the product by definition, with every instruction set of the processor, and no
//! other memory is written.

use fearless_simd::Level;

use super::{MatrixOutput, MatrixRows, Multiplier, Panels};
use crate::tests::levels;

/// Small integers with a long period, so that their sums are exact.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|at| ((at * 7 + seed * 13) % 23) as f32 - 11.0).collect()
}

#[test]
fn products_are_as_defined() {
    for level in levels() {
        for count in [1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 16, 24, 25, 31] {
            for (depth, width) in [(1, 16), (3, 1), (5, 17), (32, 13), (64, 48)] {
                check(level, count, depth, width);
            }
        }
    }
}

/// Multiplies matrices that are embedded in larger ones.
fn check(level: Level, count: usize, depth: usize, width: usize) {
    let (left_stride, untouched) = (depth + 2, 77.0);
    let left = numbers(count * left_stride, 1);
    let matrix = numbers(depth * width, 2);
    let mut right = Panels::default();
    right.fill(depth, width, |row, column| matrix[row * width + column]);
    let stride = right.width() + 3;
    let mut out = vec![untouched; (count + 2) * stride];

    let mut multiplier = Multiplier { level, strips: vec![9.0; 5] };
    let rows = MatrixRows { values: &left, stride: left_stride, count };
    multiplier.multiply(rows, &right, MatrixOutput { values: &mut out, stride });

    for (row, out) in out.chunks_exact(stride).enumerate() {
        for (column, found) in out.iter().enumerate() {
            let product = |at: usize| left[row * left_stride + at] * matrix[at * width + column];
            let expected = match (row < count, column) {
                (true, column) if column < width => (0..depth).map(product).sum(),
                (true, column) if column < right.width() => 0.0,
                _ => untouched,
            };
            let place = format!("{level:?} {count}x{depth}x{width} at {row},{column}");
            assert_eq!(*found, expected, "{place}");
        }
    }
}
