//! Reads a safetensors file: a header with the position of each tensor, then the numbers.
//!
//! It reads sequentially, so only the numbers themselves are in memory.

use std::collections::HashMap;
use std::io::{self, Read};

use safetensors::Dtype;
use safetensors::tensor::Metadata;

#[cfg(test)]
mod tests;

/// Maximum size of the header.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// Tensors by name, until each is taken out.
pub(super) struct Tensors(HashMap<String, Tensor>);

struct Tensor {
    shape: Vec<usize>,
    values: Vec<f32>,
}

/// Why a file has no usable tensors.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadTensors {
    #[error("its numbers cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error("its header has {0} bytes")]
    HeaderSize(u64),
    #[error("its header is not valid: {0}")]
    Header(#[from] serde_json::Error),
    #[error("it says that it holds {0} bytes")]
    Size(usize),
    #[error("it has no `{name}` of {shape:?} numbers")]
    Missing { name: String, shape: Vec<usize> },
}

impl Tensors {
    /// Reads all 32-bit float tensors; a file that claims more than `limit` bytes of them is
    /// rejected.
    pub(super) fn read(reader: &mut impl Read, limit: usize) -> Result<Self, BadTensors> {
        let mut length = [0; 8];
        reader.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if MAX_HEADER_BYTES < length {
            return Err(BadTensors::HeaderSize(length));
        }
        let mut header = Vec::new();
        reader.by_ref().take(length).read_to_end(&mut header)?;
        let metadata: Metadata = serde_json::from_slice(&header)?;
        if limit < metadata.data_len() {
            return Err(BadTensors::Size(metadata.data_len()));
        }
        let mut tensors = HashMap::new();
        for name in metadata.offset_keys() {
            let Some(info) = metadata.info(&name) else { continue };
            let bytes = info.data_offsets.1 - info.data_offsets.0;
            if info.dtype == Dtype::F32 {
                let values = read_numbers(reader, bytes)?;
                tensors.insert(name, Tensor { shape: info.shape.clone(), values });
            } else {
                io::copy(&mut reader.by_ref().take(bytes as u64), &mut io::sink())?;
            }
        }
        Ok(Self(tensors))
    }

    /// Takes out the tensor of this name and shape.
    pub(super) fn take(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, BadTensors> {
        let found = self.0.remove(name).filter(|tensor| tensor.shape == shape);
        let missing = || BadTensors::Missing { name: name.into(), shape: shape.into() };
        found.map(|tensor| tensor.values).ok_or_else(missing)
    }
}

fn read_numbers(reader: &mut impl Read, bytes: usize) -> io::Result<Vec<f32>> {
    let mut values = Vec::with_capacity(bytes / 4);
    let mut buffer = vec![0; CHUNK.min(bytes)];
    let mut left = bytes;
    while 0 < left {
        let part = &mut buffer[..CHUNK.min(left)];
        reader.read_exact(part)?;
        values.extend(part.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)));
        left -= part.len();
    }
    Ok(values)
}
