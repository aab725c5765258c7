//! Convolutions over neighbouring tokens of one text, two for each window with shortcuts around
//! both.
//!
//! `network` calls it. Tokens of other texts in the batch are never seen.

use fearless_simd::Level;
use std::io::{Read, Seek};
use std::ops::Range;

use super::activation::keep_positive;
use super::embeddings::DIMENSIONS;
use super::matrix::PackedMatrix;
use super::numpy_arrays::{BadArray, NumpyArchive};
use crate::norm::{Norm, add};

/// The width of the result.
pub(super) const CHANNELS: usize = 256;
/// The windows of the model's convolutions.
pub(super) const WINDOWS: [Window; 3] =
    [Window { size: 2, before: 0 }, Window { size: 3, before: 1 }, Window { size: 5, before: 2 }];

/// The tokens that a convolution sees at once: how many, and how many of them come before the
/// token in question.
#[derive(Clone, Copy)]
pub(super) struct Window {
    size: usize,
    before: usize,
}

/// Projects tokens to the channels of all windows, which are normalised together.
pub(super) struct Projection {
    matrix: PackedMatrix,
    norm: Norm,
}

impl Projection {
    /// Takes the weights out of an archive, in which each window has its own.
    pub(super) fn read(archive: &mut NumpyArchive<impl Read + Seek>) -> Result<Self, BadArray> {
        let shape = [DIMENSIONS, CHANNELS];
        let mut matrices = Vec::new();
        let (mut bias, mut gain, mut offset) = (Vec::new(), Vec::new(), Vec::new());
        for Window { size, .. } in WINDOWS {
            matrices.push(archive.floats(&format!("proj{size}"), &shape)?);
            bias.extend(archive.floats(&format!("proj_b{size}"), &[CHANNELS])?);
            gain.extend(archive.floats(&format!("ln_g{size}"), &[CHANNELS])?);
            offset.extend(archive.floats(&format!("ln_b{size}"), &[CHANNELS])?);
        }
        let row = |at: usize| matrices.iter().flat_map(move |it| &it[at * CHANNELS..][..CHANNELS]);
        let matrix: Vec<f32> = (0..DIMENSIONS).flat_map(row).copied().collect();
        Ok(Self { matrix: PackedMatrix::new(&matrix, bias), norm: Norm { gain, offset } })
    }

    /// The channels of each token, those of all windows in one row.
    pub(super) fn apply(&self, level: Level, tokens: &[f32]) -> Vec<f32> {
        let mut channels = self.matrix.multiply(level, tokens);
        self.norm.apply(level, &mut channels);
        channels
    }
}

/// The convolutions of one window.
pub(super) struct Convolution {
    window: Window,
    layers: [PackedMatrix; 2],
}

impl Convolution {
    /// Takes the weights out of an archive, whose names end with the size of the window.
    pub(super) fn read(
        archive: &mut NumpyArchive<impl Read + Seek>,
        window: Window,
    ) -> Result<Self, BadArray> {
        let size = window.size;
        let mut layer = |number: u8| {
            let shape = [size * CHANNELS, CHANNELS];
            let matrix = archive.floats(&format!("w{number}_{size}"), &shape)?;
            let bias = archive.floats(&format!("b{number}_{size}"), &[CHANNELS])?;
            Ok::<_, BadArray>(PackedMatrix::new(&matrix, bias))
        };
        Ok(Self { window, layers: [layer(1)?, layer(2)?] })
    }

    /// Convolves the channels of one window; `texts` are the ranges of tokens that belong together.
    pub(super) fn apply(
        &self,
        level: Level,
        mut channels: Vec<f32>,
        texts: &[Range<usize>],
    ) -> Vec<f32> {
        for layer in &self.layers {
            let mut next = layer.multiply(level, &self.windows(&channels, texts));
            keep_positive(level, &mut next);
            add(level, &mut next, &channels);
            channels = next;
        }
        channels
    }

    /// The window around each token, with zeros beyond the ends of its text.
    fn windows(&self, channels: &[f32], texts: &[Range<usize>]) -> Vec<f32> {
        let Window { size, before } = self.window;
        let mut windows = vec![0.0; channels.len() * size];
        for text in texts {
            for token in text.clone() {
                let first = token.saturating_sub(before).max(text.start);
                let end = (token + size - before).min(text.end);
                let seen = &channels[first * CHANNELS..end * CHANNELS];
                let place = (token * size + first + before - token) * CHANNELS;
                windows[place..place + seen.len()].copy_from_slice(seen);
            }
        }
        windows
    }
}
