//! Writes the file that the model is installed as: matrices as 8-bit integers with a scale for each
//! row, everything else as floats, in safetensors format.
//!
//! `install` calls it with verified weights. The same weights give the same bytes on every machine,
//! so the checksum of the result is pinned, too.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::attention::WIDTH;
use super::bert::{POSITIONS, VOCABULARY_SIZE};
use super::layer::INNER_WIDTH;
use super::onnx::read_onnx;
use super::tensors::{BadTensors, Tensors, scales_name};

/// The form of the weights to convert.
#[derive(Clone, Copy)]
pub(crate) enum FloatWeights<'a> {
    Safetensors(&'a [u8]),
    Onnx(&'a [u8]),
}

/// Converts the weights of an encoder with this many layers.
pub(crate) fn convert(
    weights: FloatWeights<'_>,
    layers: usize,
    to: &mut impl Write,
) -> Result<(), BadTensors> {
    let mut tensors = match weights {
        FloatWeights::Safetensors(mut file) => {
            let bytes = file.len();
            Tensors::read(&mut file, bytes)?
        }
        FloatWeights::Onnx(file) => read_onnx(file)?,
    };
    let mut file = TensorFile::default();
    let table = |part: &str| format!("embeddings.{part}.weight");
    file.add_matrix(&mut tensors, &table("word_embeddings"), [VOCABULARY_SIZE, WIDTH])?;
    file.add_floats(&mut tensors, &table("position_embeddings"), &[POSITIONS, WIDTH])?;
    file.add_floats(&mut tensors, &table("token_type_embeddings"), &[2, WIDTH])?;
    file.add_norm(&mut tensors, "embeddings.LayerNorm")?;
    for layer in 0..layers {
        let part = |part: &str| format!("encoder.layer.{layer}.{part}");
        for projection in ["query", "key", "value"] {
            let name = part(&format!("attention.self.{projection}"));
            file.add_linear(&mut tensors, &name, [WIDTH, WIDTH])?;
        }
        file.add_linear(&mut tensors, &part("attention.output.dense"), [WIDTH, WIDTH])?;
        file.add_norm(&mut tensors, &part("attention.output.LayerNorm"))?;
        file.add_linear(&mut tensors, &part("intermediate.dense"), [INNER_WIDTH, WIDTH])?;
        file.add_linear(&mut tensors, &part("output.dense"), [WIDTH, INNER_WIDTH])?;
        file.add_norm(&mut tensors, &part("output.LayerNorm"))?;
    }
    Ok(file.write(to)?)
}

/// A safetensors file in memory.
#[derive(Default)]
struct TensorFile {
    header: Map<String, Value>,
    data: Vec<u8>,
}

impl TensorFile {
    fn add_linear(
        &mut self,
        tensors: &mut Tensors,
        name: &str,
        shape: [usize; 2],
    ) -> Result<(), BadTensors> {
        self.add_matrix(tensors, &format!("{name}.weight"), shape)?;
        self.add_floats(tensors, &format!("{name}.bias"), &shape[..1])
    }

    fn add_norm(&mut self, tensors: &mut Tensors, name: &str) -> Result<(), BadTensors> {
        self.add_floats(tensors, &format!("{name}.weight"), &[WIDTH])?;
        self.add_floats(tensors, &format!("{name}.bias"), &[WIDTH])
    }

    fn add_matrix(
        &mut self,
        tensors: &mut Tensors,
        name: &str,
        shape: [usize; 2],
    ) -> Result<(), BadTensors> {
        let rows = tensors.take_int8(name, shape)?;
        self.add(name, "I8", &shape, rows.values.iter().map(|value| value.to_le_bytes()));
        let scales = rows.scales.iter().map(|scale| scale.to_le_bytes());
        self.add(&scales_name(name), "F32", &shape[..1], scales);
        Ok(())
    }

    fn add_floats(
        &mut self,
        tensors: &mut Tensors,
        name: &str,
        shape: &[usize],
    ) -> Result<(), BadTensors> {
        let values = tensors.take(name, shape)?;
        self.add(name, "F32", shape, values.iter().map(|value| value.to_le_bytes()));
        Ok(())
    }

    fn add<const BYTES: usize>(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        values: impl Iterator<Item = [u8; BYTES]>,
    ) {
        let begin = self.data.len();
        self.data.extend(values.flatten());
        let offsets = [begin, self.data.len()];
        let entry = json!({ "dtype": kind, "shape": shape, "data_offsets": offsets });
        self.header.insert(name.into(), entry);
    }

    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut header = serde_json::to_vec(&self.header)?;
        // Readers expect the numbers at a multiple of eight bytes.
        header.resize(header.len().next_multiple_of(8), b' ');
        to.write_all(&(header.len() as u64).to_le_bytes())?;
        to.write_all(&header)?;
        to.write_all(&self.data)
    }
}
