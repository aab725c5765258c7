//! Matrix multiplication with 8-bit weights, where the model spends most of its time.
//!
//! Each row of activations becomes 14-bit integers with a scale of its own, and pairs of products
//! are added in 32 bits, where they fit exactly: every processor computes the same numbers.
//! Weights stay 8-bit in memory, since a short text reads all of them once per layer.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x16, i8x32, i16x32, i32x16};

use super::multiply::LANES;

#[cfg(test)]
mod tests;

/// The largest magnitude of a weight.
const MAX_WEIGHT: f32 = 127.0;

/// The largest magnitude of an activation: [`MAX_DEPTH`] products with weights stay below 2³¹.
const MAX_ACTIVATION: f32 = 8191.0;

/// The most rows of a matrix.
const MAX_DEPTH: usize = 2048;

/// Adding this rounds a number to an integer, which ends up in the lowest bits.
const INTEGER: f32 = 12_582_912.0;

/// Rows of activations per tile: where one register holds all columns of a panel, where two do, and
/// where four do. Each leaves registers for the operands.
const TALL_TILE: usize = 12;
const MIDDLE_TILE: usize = 6;
const SHORT_TILE: usize = 3;

/// Tile height for the remaining rows.
const LAST_TILE: usize = 2;

/// A matrix of 8-bit weights, packed into panels of 16 columns, with a scale and a bias per column.
pub(super) struct Int8Panels {
    depth: usize,
    /// The panels in order; within a panel pairs of rows, and within a pair both weights of a
    /// column side by side.
    values: Vec<i8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

/// Rows of weights, one per column of the product, each with its scale.
pub(super) struct Int8Rows {
    pub(super) values: Vec<i8>,
    pub(super) scales: Vec<f32>,
}

impl Int8Rows {
    /// Rounds rows of floats, each with the scale that its largest magnitude needs. `None` if one
    /// of them is not finite.
    pub(super) fn quantise(matrix: &[f32], depth: usize) -> Option<Self> {
        let mut rows = Self { values: Vec::with_capacity(matrix.len()), scales: Vec::new() };
        for row in matrix.chunks_exact(depth) {
            if !row.iter().all(|value| value.is_finite()) {
                return None;
            }
            let highest = row.iter().fold(0.0_f32, |highest, value| highest.max(value.abs()));
            let factor = if 0.0 < highest { MAX_WEIGHT / highest } else { 0.0 };
            rows.scales.push(highest / MAX_WEIGHT);
            rows.values.extend(row.iter().map(|value| (value * factor).round() as i8));
        }
        Some(rows)
    }

    /// Appends one row as floats.
    pub(super) fn extend(&self, row: usize, to: &mut Vec<f32>) {
        let depth = self.values.len() / self.scales.len();
        let scale = self.scales[row];
        let values = &self.values[row * depth..(row + 1) * depth];
        to.extend(values.iter().map(|value| f32::from(*value) * scale));
    }
}

impl Int8Panels {
    /// Packs the matrix of a layer, which is stored transposed. `None` unless the depth is even and
    /// the columns fill whole panels.
    pub(super) fn of_layer(depth: usize, matrix: &Int8Rows, bias: Vec<f32>) -> Option<Self> {
        let width = bias.len();
        let whole = depth.is_multiple_of(2) && depth <= MAX_DEPTH && width.is_multiple_of(LANES);
        if !whole || matrix.values.len() != depth * width || matrix.scales.len() != width {
            return None;
        }
        let mut values = Vec::with_capacity(depth * width);
        for columns in matrix.values.chunks_exact(depth * LANES) {
            for pair in (0..depth).step_by(2) {
                for column in columns.chunks_exact(depth) {
                    values.extend_from_slice(&column[pair..pair + 2]);
                }
            }
        }
        Some(Self { depth, values, scales: matrix.scales.clone(), bias })
    }

    fn width(&self) -> usize {
        self.bias.len()
    }
}

/// Buffers for the activations of a product.
pub(super) struct Int8Multiplier {
    level: Level,
    /// Strips of a few rows: the first pair of numbers of each row, then the second pair, …
    strips: Vec<i32>,
    scales: Vec<f32>,
}

impl Int8Multiplier {
    pub(super) fn new(level: Level) -> Self {
        Self { level, strips: Vec::new(), scales: Vec::new() }
    }

    /// Computes `left · right + bias` and resizes `to` to hold it.
    pub(super) fn multiply(&mut self, left: &[f32], right: &Int8Panels, to: &mut Vec<f32>) {
        to.resize(left.len() / right.depth * right.width(), 0.0);
        dispatch!(self.level, simd => self.multiply_with(simd, left, right, to));
    }

    #[inline(always)]
    fn multiply_with<S: Simd>(
        &mut self,
        simd: S,
        left: &[f32],
        right: &Int8Panels,
        to: &mut [f32],
    ) {
        match S::f32s::LEN {
            LANES => self.multiply_tiles::<S, TALL_TILE>(simd, left, right, to),
            8 => self.multiply_tiles::<S, MIDDLE_TILE>(simd, left, right, to),
            _ => self.multiply_tiles::<S, SHORT_TILE>(simd, left, right, to),
        }
    }

    #[inline(always)]
    fn multiply_tiles<S: Simd, const HEIGHT: usize>(
        &mut self,
        simd: S,
        left: &[f32],
        right: &Int8Panels,
        to: &mut [f32],
    ) {
        let (depth, width) = (right.depth, right.width());
        let count = left.len() / depth;
        let whole = count - count % HEIGHT;
        let Self { strips, scales, .. } = self;
        strips.clear();
        scales.clear();
        let (tall, last) = left.split_at(whole * depth);
        quantise::<HEIGHT>(tall, depth, strips, scales);
        let cut = strips.len();
        quantise::<LAST_TILE>(last, depth, strips, scales);
        let (tall, last) = strips.split_at(cut);
        let (tall_scales, last_scales) = scales.split_at(whole);
        let (upper, lower) = to.split_at_mut(whole * width);
        for (at, panel) in right.values.chunks_exact(depth * LANES).enumerate() {
            let column = at * LANES;
            let columns = ColumnScales {
                scales: f32x16::from_slice(simd, &right.scales[column..column + LANES]),
                bias: f32x16::from_slice(simd, &right.bias[column..column + LANES]),
                column,
                width,
            };
            multiply_panel::<S, HEIGHT>(simd, (tall, tall_scales), panel, &columns, upper);
            multiply_panel::<S, LAST_TILE>(simd, (last, last_scales), panel, &columns, lower);
        }
    }
}

/// What turns the integer sums of a panel's columns into numbers.
struct ColumnScales<S: Simd> {
    scales: f32x16<S>,
    bias: f32x16<S>,
    column: usize,
    width: usize,
}

/// Appends the integers of all rows, in strips of `HEIGHT` rows, and the scale of each row.
#[inline(always)]
fn quantise<const HEIGHT: usize>(
    rows: &[f32],
    depth: usize,
    strips: &mut Vec<i32>,
    scales: &mut Vec<f32>,
) {
    for rows in rows.chunks(HEIGHT * depth) {
        let from = strips.len();
        strips.resize(from + HEIGHT * depth / 2, 0);
        let strip = strips[from..].as_chunks_mut::<HEIGHT>().0;
        for (place, row) in rows.chunks_exact(depth).enumerate() {
            let highest = row.iter().fold(0.0_f32, |highest, value| highest.max(value.abs()));
            let factor = if 0.0 < highest { MAX_ACTIVATION / highest } else { 0.0 };
            scales.push(highest / MAX_ACTIVATION);
            for (slots, [even, odd]) in strip.iter_mut().zip(row.as_chunks::<2>().0) {
                let integer = |value: f32| (value * factor + INTEGER).to_bits();
                slots[place] = (integer(*even) & 0xFFFF | integer(*odd) << 16).cast_signed();
            }
        }
    }
}

/// Multiplies every strip with one panel.
#[inline(always)]
fn multiply_panel<S: Simd, const HEIGHT: usize>(
    simd: S,
    (strips, scales): (&[i32], &[f32]),
    panel: &[i8],
    columns: &ColumnScales<S>,
    to: &mut [f32],
) {
    let panel = panel.as_chunks::<{ 2 * LANES }>().0;
    let rows = to.chunks_mut(HEIGHT * columns.width);
    let strips = strips.chunks_exact(HEIGHT * panel.len());
    for ((strip, scales), rows) in strips.zip(scales.chunks(HEIGHT)).zip(rows) {
        let mut tile = [i32x16::splat(simd, 0); HEIGHT];
        for (left, right) in strip.as_chunks::<HEIGHT>().0.iter().zip(panel) {
            let (low, high) = simd.widen_i8x32(i8x32::from_slice(simd, right));
            let right = simd.combine_i16x16(low, high);
            for (sums, left) in tile.iter_mut().zip(left) {
                let left: i16x32<S> = i32x16::splat(simd, *left).bitcast();
                *sums += simd.pairwise_dot_product_i16x32(left, right);
            }
        }
        for ((row, sums), scale) in rows.chunks_mut(columns.width).zip(tile).zip(scales) {
            let sums = simd.cvt_f32_i32x16(sums) * f32x16::splat(simd, *scale) * columns.scales;
            let column = columns.column;
            (sums + columns.bias).store_slice(&mut row[column..column + LANES]);
        }
    }
}
