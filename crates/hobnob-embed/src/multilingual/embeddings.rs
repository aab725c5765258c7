//! The embedding of each piece of the vocabulary: numbers of six bits, four in three bytes.
//!
//! `network` reads one row per token; the whole table would be five times as large as floats.

use std::io::{Read, Seek};

use super::numpy_arrays::{BadArray, NumpyArchive};
use super::vocabulary::PieceId;

#[cfg(test)]
mod tests;

/// The components of an embedding.
pub(super) const DIMENSIONS: usize = 512;
/// The rows of the table, at least one for each piece.
pub(super) const VOCABULARY_SIZE: usize = BLOCKS * BLOCK_ROWS;

/// The table is stored in blocks, each with a scale of its own. The remainder of a piece's id
/// selects its block, the quotient its row.
const BLOCKS: usize = 17;
const BLOCK_ROWS: usize = 7_530;
/// The largest number of six bits.
const MAX_VALUE: u8 = 63;
const PACKED_ROW: usize = DIMENSIONS / 4 * 3;

/// The embeddings of all pieces.
pub(super) struct Embeddings {
    /// The packed rows of each block.
    blocks: Vec<Vec<u8>>,
    /// What a number 0 means in each block, and the step from one number to the next.
    lowest: Vec<f32>,
    steps: Vec<f32>,
}

impl Embeddings {
    /// Takes the table out of an archive.
    pub(super) fn read(archive: &mut NumpyArchive<impl Read + Seek>) -> Result<Self, BadArray> {
        let shape = [BLOCK_ROWS, DIMENSIONS];
        let mut blocks = Vec::new();
        for number in 1..=BLOCKS {
            blocks.push(pack(&archive.bytes(&format!("q{number}"), &shape, MAX_VALUE)?));
        }
        let lowest = archive.floats("lo", &[BLOCKS])?;
        Ok(Self { blocks, lowest, steps: archive.floats("scale", &[BLOCKS])? })
    }

    /// Appends the embedding of a piece; zeros for an id that the table does not have.
    pub(super) fn extend(&self, rows: &mut Vec<f32>, piece: PieceId) {
        let (block, row) = (piece as usize % BLOCKS, piece as usize / BLOCKS);
        let packed = self.blocks[block].chunks_exact(PACKED_ROW).nth(row);
        let Some(packed) = packed else {
            rows.resize(rows.len() + DIMENSIONS, 0.0);
            return;
        };
        let (lowest, step) = (self.lowest[block], self.steps[block]);
        for values in packed.as_chunks().0 {
            rows.extend(unpack(*values).map(|value| f32::from(value) * step + lowest));
        }
    }
}

/// Packs numbers of six bits, four in three bytes.
fn pack(values: &[u8]) -> Vec<u8> {
    let packed = values.as_chunks().0.iter().flat_map(|&[first, second, third, fourth]| {
        [first | second << 6, second >> 2 | third << 4, third >> 4 | fourth << 2]
    });
    packed.collect()
}

fn unpack([first, second, third]: [u8; 3]) -> [u8; 4] {
    let numbers = [first, first >> 6 | second << 2, second >> 4 | third << 4, third >> 2];
    numbers.map(|number| number & MAX_VALUE)
}
