//! The network: embeddings of tokens, convolutions over two, three and five of them, their sum, and
//! four dense layers with a shortcut around each second one.
//!
//! `model` calls it. All sums have one fixed order, and each text is computed as if it were alone.

use fearless_simd::Level;
use std::io::{Read, Seek};
use std::ops::Range;

use super::activation::{keep_positive, tanh};
use super::convolution::{CHANNELS, Convolution, Projection, WINDOWS};
use super::embeddings::{DIMENSIONS, Embeddings};
use super::matrix::PackedMatrix;
use super::numpy_arrays::{BadArray, NumpyArchive};
use super::vocabulary::PieceId;
use crate::norm::{Norm, add};

/// The width of the narrow dense layers.
const NARROW: usize = 320;
/// The embedding of a token and the results of all convolutions.
const FEATURES: usize = DIMENSIONS + WINDOWS.len() * CHANNELS;

/// The weights of all layers, and the instructions that the processor has.
pub(super) struct Network {
    level: Level,
    embeddings: Embeddings,
    projection: Projection,
    convolutions: Vec<Convolution>,
    norm: Norm,
    pooling: PackedMatrix,
    pooling_bias: Vec<f32>,
    /// The layers, and the shortcuts around the second and the fourth.
    layers: [PackedMatrix; 4],
    shortcuts: [PackedMatrix; 2],
}

impl Network {
    /// Takes the weights out of an archive.
    pub(super) fn read(archive: &mut NumpyArchive<impl Read + Seek>) -> Result<Self, BadArray> {
        let projection = Projection::read(archive)?;
        let mut convolutions = Vec::new();
        for window in WINDOWS {
            convolutions.push(Convolution::read(archive, window)?);
        }
        let mut matrix = |name: &str, depth, width| {
            let values = archive.floats(name, &[depth, width])?;
            Ok::<_, BadArray>(PackedMatrix::unbiased(&values, width))
        };
        Ok(Self {
            level: Level::new(),
            pooling: matrix("cnn_W", FEATURES, DIMENSIONS)?,
            layers: [
                matrix("d0", DIMENSIONS, NARROW)?,
                matrix("d1", NARROW, NARROW)?,
                matrix("d2", NARROW, DIMENSIONS)?,
                matrix("d3", DIMENSIONS, DIMENSIONS)?,
            ],
            shortcuts: [matrix("p1", DIMENSIONS, NARROW)?, matrix("p3", NARROW, DIMENSIONS)?],
            projection,
            convolutions,
            embeddings: Embeddings::read(archive)?,
            norm: Norm {
                gain: archive.floats("ln_g", &[FEATURES])?,
                offset: archive.floats("ln_b", &[FEATURES])?,
            },
            pooling_bias: archive.floats("cnn_b", &[DIMENSIONS])?,
        })
    }

    /// One vector per text, not normalised. Every text has at least one piece.
    pub(super) fn encode(&self, texts: &[Vec<PieceId>]) -> Vec<Vec<f32>> {
        let mut start = 0;
        let ranges = texts.iter().map(|pieces| {
            let range = start..start + pieces.len();
            start = range.end;
            range
        });
        let ranges: Vec<Range<usize>> = ranges.collect();
        let features = self.features(texts, &ranges);
        let means = self.pooled(&features, &ranges);
        let vectors = self.dense(&means);
        vectors.chunks_exact(DIMENSIONS).map(<[f32]>::to_vec).collect()
    }

    /// The normalised features of each token.
    fn features(&self, texts: &[Vec<PieceId>], ranges: &[Range<usize>]) -> Vec<f32> {
        let mut tokens: Vec<f32> = Vec::new();
        for piece in texts.iter().flatten() {
            self.embeddings.extend(&mut tokens, *piece);
        }
        let channels = self.projection.apply(self.level, &tokens);
        let rows = channels.chunks_exact(WINDOWS.len() * CHANNELS);
        let convolved = self.convolutions.iter().enumerate().map(|(at, convolution)| {
            let own = rows.clone().flat_map(|row| &row[at * CHANNELS..(at + 1) * CHANNELS]);
            convolution.apply(self.level, own.copied().collect(), ranges)
        });
        let convolved: Vec<Vec<f32>> = convolved.collect();
        let mut features = Vec::with_capacity(tokens.len() / DIMENSIONS * FEATURES);
        for (at, token) in tokens.chunks_exact(DIMENSIONS).enumerate() {
            features.extend_from_slice(token);
            for convolved in &convolved {
                features.extend_from_slice(&convolved[at * CHANNELS..(at + 1) * CHANNELS]);
            }
        }
        self.norm.apply(self.level, &mut features);
        features
    }

    /// The projected sum of each text's tokens, divided by the square root of their number.
    fn pooled(&self, features: &[f32], ranges: &[Range<usize>]) -> Vec<f32> {
        let mut sums = vec![0.0; ranges.len() * FEATURES];
        for (sum, tokens) in sums.chunks_exact_mut(FEATURES).zip(ranges) {
            for token in
                features[tokens.start * FEATURES..tokens.end * FEATURES].chunks_exact(FEATURES)
            {
                add(self.level, sum, token);
            }
            let factor = 1.0 / (tokens.len() as f32).sqrt();
            sum.iter_mut().for_each(|value| *value *= factor);
        }
        let mut pooled = self.pooling.multiply(self.level, &sums);
        for (row, tokens) in pooled.chunks_exact_mut(DIMENSIONS).zip(ranges) {
            let factor = (tokens.len() as f32).sqrt();
            let biased = row.iter_mut().zip(&self.pooling_bias);
            biased.for_each(|(value, bias)| *value += factor * bias);
        }
        pooled
    }

    fn dense(&self, pooled: &[f32]) -> Vec<f32> {
        let [first, second, third, fourth] = &self.layers;
        let [around_second, around_fourth] = &self.shortcuts;
        let level = self.level;
        let mut hidden = first.multiply(level, pooled);
        keep_positive(level, &mut hidden);
        let mut middle = around_second.multiply(level, pooled);
        add(level, &mut middle, &second.multiply(level, &hidden));
        keep_positive(level, &mut middle);
        let mut hidden = third.multiply(level, &middle);
        keep_positive(level, &mut hidden);
        let mut last = around_fourth.multiply(level, &middle);
        add(level, &mut last, &fourth.multiply(level, &hidden));
        last.iter_mut().for_each(|value| *value = tanh(*value));
        last
    }
}
