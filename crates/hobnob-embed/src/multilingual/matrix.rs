//! Matrix products whose sums are the same, bit for bit, with every instruction set: each product is
//! rounded before it is added, and each sum is taken in one order.
//!
//! `network` calls it. The right-hand matrix is packed into panels of 16 columns, so that the
//! innermost loop reads it sequentially and keeps a tile of the result in registers.

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x16};

#[cfg(test)]
mod tests;

/// The columns of a panel.
const LANES: usize = 16;
/// The rows of a tile, and of one for the rows that remain.
const TILE: usize = 4;
const SINGLE: usize = 1;

/// A right-hand matrix in panels, and the bias added to every row of the product.
pub(super) struct PackedMatrix {
    depth: usize,
    /// The panels in order; within a panel row by row, [`LANES`] numbers each.
    values: Vec<f32>,
    /// One number per column of the product; a multiple of the lanes.
    bias: Vec<f32>,
}

impl PackedMatrix {
    /// Packs a matrix that is stored row by row. Its width, that of the bias, is a multiple of 16.
    pub(super) fn new(matrix: &[f32], bias: Vec<f32>) -> Self {
        let width = bias.len();
        let mut values = Vec::with_capacity(matrix.len());
        for column in (0..width).step_by(LANES) {
            for row in matrix.chunks_exact(width) {
                values.extend_from_slice(&row[column..column + LANES]);
            }
        }
        Self { depth: matrix.len() / width, values, bias }
    }

    /// A matrix without a bias.
    pub(super) fn unbiased(matrix: &[f32], width: usize) -> Self {
        Self::new(matrix, vec![0.0; width])
    }

    /// The number of columns of the product.
    pub(super) fn width(&self) -> usize {
        self.bias.len()
    }

    /// `left · self + bias`, row by row.
    pub(super) fn multiply(&self, level: Level, left: &[f32]) -> Vec<f32> {
        let mut product = vec![0.0; left.len() / self.depth * self.width()];
        dispatch!(level, simd => self.multiply_with(simd, left, &mut product));
        product
    }

    #[inline(always)]
    fn multiply_with<S: Simd>(&self, simd: S, left: &[f32], product: &mut [f32]) {
        for (at, panel) in self.values.chunks_exact(self.depth * LANES).enumerate() {
            let column = at * LANES;
            let whole = left.len() / self.depth / TILE * TILE;
            let (left, left_over) = left.split_at(whole * self.depth);
            let (upper, lower) = product.split_at_mut(whole * self.width());
            self.multiply_panel::<S, TILE>(simd, left, panel, upper, column);
            self.multiply_panel::<S, SINGLE>(simd, left_over, panel, lower, column);
        }
    }

    /// Multiplies all rows, in tiles of `HEIGHT`, with one panel.
    #[inline(always)]
    fn multiply_panel<S: Simd, const HEIGHT: usize>(
        &self,
        simd: S,
        left: &[f32],
        panel: &[f32],
        product: &mut [f32],
        column: usize,
    ) {
        let width = self.width();
        let bias = f32x16::from_slice(simd, &self.bias[column..column + LANES]);
        let tiles = left.chunks_exact(HEIGHT * self.depth);
        for (left, product) in tiles.zip(product.chunks_exact_mut(HEIGHT * width)) {
            let rows: [&[f32]; HEIGHT] =
                std::array::from_fn(|row| &left[row * self.depth..(row + 1) * self.depth]);
            let mut sums = [bias; HEIGHT];
            for (at, right) in panel.as_chunks::<LANES>().0.iter().enumerate() {
                let right = f32x16::from_slice(simd, right);
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    // Not `mul_add`: only some processors round it once.
                    *sum += f32x16::splat(simd, row[at]) * right;
                }
            }
            for (row, sum) in product.chunks_exact_mut(width).zip(sums) {
                sum.store_slice(&mut row[column..column + LANES]);
            }
        }
    }
}
