//! Matrix multiplication (GEMM) of floats, for attention.
//!
//! The right-hand matrix is packed into panels of 16 columns, the left-hand one into strips of a
//! few rows, so that the innermost loop reads both sequentially and keeps a tile of the result in
//! registers.

use std::ops::Range;

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x16};

#[cfg(test)]
mod tests;

/// The columns of a panel.
pub(super) const LANES: usize = 16;

/// Tile heights: where one register holds all columns of a panel, and where it does not. Each
/// leaves enough of the 32 or 16 registers for the operands.
const TALL_TILE: usize = 12;
const MIDDLE_TILE: usize = 6;

/// Tile height for the remaining rows.
const SHORT_TILE: usize = 4;

/// A packed right-hand matrix.
#[derive(Default)]
pub(super) struct Panels {
    depth: usize,
    /// The panels in order; within a panel row by row, [`LANES`] numbers each.
    values: Vec<f32>,
    /// The columns, with the padding.
    width: usize,
}

impl Panels {
    /// Packs a matrix of `depth` rows with the numbers that `at` returns. The
    /// width is padded with zero columns to a whole number of panels.
    pub(super) fn fill(&mut self, depth: usize, columns: usize, at: impl Fn(usize, usize) -> f32) {
        let width = columns.next_multiple_of(LANES);
        self.depth = depth;
        self.width = width;
        self.values.clear();
        self.values.resize(depth * width, 0.0);
        for (panel, values) in self.values.chunks_exact_mut(depth * LANES).enumerate() {
            let first = panel * LANES;
            let used = LANES.min(columns - first);
            for (row, values) in values.chunks_exact_mut(LANES).enumerate() {
                for (lane, value) in values[..used].iter_mut().enumerate() {
                    *value = at(row, first + lane);
                }
            }
        }
    }

    /// The number of columns of the product.
    pub(super) fn width(&self) -> usize {
        self.width
    }
}

/// A left-hand matrix: some rows and columns of a larger one.
#[derive(Clone, Copy)]
pub(super) struct MatrixRows<'a> {
    /// The numbers, starting with the first one of the first row.
    pub(super) values: &'a [f32],
    /// The distance between the starts of two rows.
    pub(super) stride: usize,
    pub(super) count: usize,
}

/// The target of a product: some rows and columns of a larger matrix.
pub(super) struct MatrixOutput<'a> {
    /// The numbers, starting with the first one of the first row.
    pub(super) values: &'a mut [f32],
    /// The distance between the starts of two rows.
    pub(super) stride: usize,
}

/// Multiplies with the best instructions of this processor, detected once.
pub(super) struct Multiplier {
    level: Level,
    strips: Vec<f32>,
}

impl Multiplier {
    pub(super) fn new() -> Self {
        Self { level: Level::new(), strips: Vec::new() }
    }

    /// The detected instruction set.
    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// Writes `left · right` to the target.
    pub(super) fn multiply(
        &mut self,
        left: MatrixRows<'_>,
        right: &Panels,
        target: MatrixOutput<'_>,
    ) {
        // The padding rows of the last tile must not overwrite what follows the target.
        let end = (left.count * target.stride).min(target.values.len());
        let target = MatrixOutput { values: &mut target.values[..end], ..target };
        let strips = &mut self.strips;
        dispatch!(self.level, simd => multiply(simd, left, right, target, strips));
    }
}

#[inline(always)]
fn multiply<S: Simd>(
    simd: S,
    left: MatrixRows<'_>,
    right: &Panels,
    target: MatrixOutput<'_>,
    strips: &mut Vec<f32>,
) {
    if LANES <= S::f32s::LEN {
        multiply_tiles::<S, TALL_TILE>(simd, left, right, target, strips);
    } else {
        multiply_tiles::<S, MIDDLE_TILE>(simd, left, right, target, strips);
    }
}

#[inline(always)]
fn multiply_tiles<S: Simd, const HEIGHT: usize>(
    simd: S,
    left: MatrixRows<'_>,
    right: &Panels,
    target: MatrixOutput<'_>,
    strips: &mut Vec<f32>,
) {
    let whole = left.count - left.count % HEIGHT;
    let (upper, lower) =
        target.values.split_at_mut((whole * target.stride).min(target.values.len()));
    let mut upper = MatrixOutput { values: upper, ..target };
    let mut lower = MatrixOutput { values: lower, ..target };
    strips.clear();
    pack::<HEIGHT>(left, 0..whole, right.depth, strips);
    let cut = strips.len();
    pack::<SHORT_TILE>(left, whole..left.count, right.depth, strips);
    let (tall, short) = strips.split_at(cut);
    for (at, panel) in right.values.chunks_exact(right.depth * LANES).enumerate() {
        let column = at * LANES;
        multiply_panel::<S, HEIGHT>(simd, tall, panel, &mut upper, column);
        multiply_panel::<S, SHORT_TILE>(simd, short, panel, &mut lower, column);
    }
}

/// Packs rows into strips of `HEIGHT`: first the first number of each row, then the second, …
fn pack<const HEIGHT: usize>(
    left: MatrixRows<'_>,
    rows: Range<usize>,
    depth: usize,
    strips: &mut Vec<f32>,
) {
    for first in rows.clone().step_by(HEIGHT) {
        let from = strips.len();
        strips.resize(from + HEIGHT * depth, 0.0);
        let strip = strips[from..].as_chunks_mut::<HEIGHT>().0;
        for row in first..rows.end.min(first + HEIGHT) {
            let values = &left.values[row * left.stride..][..depth];
            for (slots, value) in strip.iter_mut().zip(values) {
                slots[row - first] = *value;
            }
        }
    }
}

/// Multiplies every strip with one panel.
#[inline(always)]
fn multiply_panel<S: Simd, const HEIGHT: usize>(
    simd: S,
    strips: &[f32],
    panel: &[f32],
    target: &mut MatrixOutput<'_>,
    column: usize,
) {
    let panel = panel.as_chunks::<LANES>().0;
    let rows = target.values.chunks_mut(HEIGHT * target.stride);
    for (strip, rows) in strips.chunks_exact(HEIGHT * panel.len()).zip(rows) {
        let mut tile = [f32x16::splat(simd, 0.0); HEIGHT];
        for (left, right) in strip.as_chunks::<HEIGHT>().0.iter().zip(panel) {
            let right = f32x16::from_slice(simd, right);
            for (sums, left) in tile.iter_mut().zip(left) {
                // Not fused, so that processors with and without fused products agree.
                *sums = f32x16::splat(simd, *left) * right + *sums;
            }
        }
        for (row, sums) in rows.chunks_mut(target.stride).zip(tile) {
            sums.store_slice(&mut row[column..column + LANES]);
        }
    }
}
