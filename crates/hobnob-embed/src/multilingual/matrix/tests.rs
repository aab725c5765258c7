//! Products are those of the definition, bit for bit, with every instruction set of the processor.

use super::PackedMatrix;
use crate::tests::levels;

/// Fractions, whose sums are rounded.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|at| ((at * 7 + seed * 13) % 23) as f32 / 7.0 - 1.3).collect()
}

#[test]
fn products_do_not_depend_on_the_instruction_set() {
    for (rows, depth, width) in [(1, 1, 16), (3, 5, 32), (4, 64, 16), (9, 33, 48), (0, 2, 16)] {
        let (left, matrix, bias) =
            (numbers(rows * depth, 1), numbers(depth * width, 2), numbers(width, 3));
        let packed = PackedMatrix::new(&matrix, bias.clone());
        let mut expected = Vec::new();
        for row in left.chunks_exact(depth) {
            for column in 0..width {
                let products = row.iter().zip(matrix[column..].iter().step_by(width));
                expected.push(products.fold(bias[column], |sum, (one, other)| sum + one * other));
            }
        }
        for level in levels() {
            assert_eq!(packed.multiply(level, &left), expected, "{level:?} {rows}x{depth}x{width}");
        }
    }
}
