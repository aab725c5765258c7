//! Reads a safetensors file: a header with the position of each tensor, then the numbers.
//!
//! It reads sequentially, so only the numbers themselves are in memory. Weights may be floats or
//! 8-bit integers with scales: either way the model gets the same integers.

use std::collections::HashMap;
use std::io::{self, Read};

use safetensors::Dtype;
use safetensors::tensor::Metadata;

use super::int8_panels::Int8Rows;

#[cfg(test)]
mod tests;

/// Maximum size of the header.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// Tensors by name, until each is taken out.
#[derive(Default)]
pub(super) struct Tensors(HashMap<String, Tensor>);

struct Tensor {
    shape: Vec<usize>,
    values: TensorValues,
}

enum TensorValues {
    Floats(Vec<f32>),
    Integers(Vec<i8>),
}

/// Why a file has no usable tensors.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadTensors {
    #[error("its numbers cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error("its header has {0} bytes")]
    HeaderSize(u64),
    #[error("its header is not valid: {0}")]
    Header(#[from] serde_json::Error),
    #[error("it says that it holds {0} bytes")]
    Size(usize),
    #[error(transparent)]
    Message(#[from] crate::protobuf::BadMessage),
    #[error("it has no `{name}` of {shape:?} numbers")]
    Missing { name: String, shape: Vec<usize> },
    #[error("`{0}` has a number that is not finite")]
    NotFinite(String),
}

impl Tensors {
    /// Reads all tensors of 32-bit floats and of 8-bit integers; a file that claims more than `limit` bytes of them is
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
            let values = match info.dtype {
                Dtype::F32 => TensorValues::Floats(read_floats(reader, bytes)?),
                Dtype::I8 => TensorValues::Integers(read_integers(reader, bytes)?),
                _ => {
                    io::copy(&mut reader.by_ref().take(bytes as u64), &mut io::sink())?;
                    continue;
                }
            };
            tensors.insert(name, Tensor { shape: info.shape.clone(), values });
        }
        Ok(Self(tensors))
    }

    /// Adds a tensor of floats that another reader has read.
    pub(super) fn insert(&mut self, name: String, shape: Vec<usize>, values: Vec<f32>) {
        self.0.insert(name, Tensor { shape, values: TensorValues::Floats(values) });
    }

    /// Takes out the floats of this name and shape.
    pub(super) fn take(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, BadTensors> {
        match self.remove(name, shape)? {
            TensorValues::Floats(values) => Ok(values),
            TensorValues::Integers(_) => Err(BadTensors::missing(name, shape)),
        }
    }

    /// Takes out a matrix of this name and shape as 8-bit integers, with the scale of each row.
    pub(super) fn take_int8(
        &mut self,
        name: &str,
        shape: [usize; 2],
    ) -> Result<Int8Rows, BadTensors> {
        match self.remove(name, &shape)? {
            TensorValues::Floats(values) => {
                Int8Rows::quantise(&values, shape[1]).ok_or(BadTensors::NotFinite(name.into()))
            }
            TensorValues::Integers(values) => {
                let scales = self.take(&scales_name(name), &shape[..1])?;
                Ok(Int8Rows { values, scales })
            }
        }
    }

    fn remove(&mut self, name: &str, shape: &[usize]) -> Result<TensorValues, BadTensors> {
        let found = self.0.remove(name).filter(|tensor| tensor.shape == shape);
        found.map(|tensor| tensor.values).ok_or_else(|| BadTensors::missing(name, shape))
    }
}

impl BadTensors {
    fn missing(name: &str, shape: &[usize]) -> Self {
        Self::Missing { name: name.into(), shape: shape.into() }
    }
}

/// The name of the tensor with the scales of a matrix of integers.
pub(super) fn scales_name(matrix: &str) -> String {
    format!("{matrix}.scales")
}

fn read_floats(reader: &mut impl Read, bytes: usize) -> io::Result<Vec<f32>> {
    let mut values = Vec::with_capacity(bytes / 4);
    read_chunks(reader, bytes, |part| {
        values.extend(part.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)));
    })?;
    Ok(values)
}

fn read_integers(reader: &mut impl Read, bytes: usize) -> io::Result<Vec<i8>> {
    let mut values = Vec::with_capacity(bytes);
    read_chunks(reader, bytes, |part| values.extend(part.iter().map(|it| it.cast_signed())))?;
    Ok(values)
}

fn read_chunks(
    reader: &mut impl Read,
    bytes: usize,
    mut sink: impl FnMut(&[u8]),
) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK.min(bytes)];
    let mut left = bytes;
    while 0 < left {
        let part = &mut buffer[..CHUNK.min(left)];
        reader.read_exact(part)?;
        sink(part);
        left -= part.len();
    }
    Ok(())
}
