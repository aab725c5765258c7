//! Reads the weights of a BERT encoder from an ONNX file, under the names that safetensors files
//! use.
//!
//! `convert` calls it once, at installation. Matrices have no names of their own there, so each is
//! named after the node that multiplies with it; and they are stored transposed.

use std::collections::HashMap;

use super::tensors::{BadTensors, Tensors};
use crate::protobuf::{FieldValue, MessageFields};

#[cfg(test)]
mod tests;

/// Numbers of fields, as in `onnx.proto`.
const MODEL_GRAPH: u64 = 7;
const GRAPH_NODE: u64 = 1;
const GRAPH_INITIALIZER: u64 = 5;
const NODE_INPUT: u64 = 1;
const NODE_NAME: u64 = 3;
const TENSOR_DIMENSIONS: u64 = 1;
const TENSOR_DATA_TYPE: u64 = 2;
const TENSOR_NAME: u64 = 8;
const TENSOR_RAW_DATA: u64 = 9;

/// The data type of 32-bit floats.
const FLOAT: u64 = 1;

/// The end of the name of a node that multiplies with weights.
const PRODUCT: &str = "/MatMul";

/// Reads all tensors of 32-bit floats.
pub(super) fn read_onnx(file: &[u8]) -> Result<Tensors, BadTensors> {
    let mut tensors = Tensors::default();
    let mut matrices = HashMap::new();
    let mut products = Vec::new();
    for graph in messages(file, MODEL_GRAPH) {
        for field in MessageFields::new(graph?) {
            match field? {
                (GRAPH_NODE, FieldValue::Bytes(node)) => products.extend(product(node)?),
                (GRAPH_INITIALIZER, FieldValue::Bytes(tensor)) => {
                    let Some((name, shape, values)) = floats(tensor)? else { continue };
                    match *shape {
                        [_, _] if !name.starts_with("embeddings.") => {
                            matrices.insert(name, (shape, values));
                        }
                        _ => tensors.insert(name, shape, values),
                    }
                }
                _ => {}
            }
        }
    }
    for (name, matrix) in products {
        if let Some((shape, values)) = matrices.remove(&matrix)
            && let [depth, width] = *shape
        {
            tensors.insert(name, vec![width, depth], transposed(&values, depth, width));
        }
    }
    Ok(tensors)
}

/// The values of all fields of this number that are messages.
fn messages(message: &[u8], number: u64) -> impl Iterator<Item = Result<&[u8], BadTensors>> {
    MessageFields::new(message).filter_map(move |field| match field {
        Ok((found, FieldValue::Bytes(value))) if found == number => Some(Ok(value)),
        Ok(_) => None,
        Err(bad) => Some(Err(bad.into())),
    })
}

/// The name of a weight matrix and of the tensor that holds it, if the node multiplies with one.
fn product(node: &[u8]) -> Result<Option<(String, String)>, BadTensors> {
    let (mut inputs, mut name) = (Vec::new(), String::new());
    for field in MessageFields::new(node) {
        match field? {
            (NODE_INPUT, FieldValue::Bytes(input)) => inputs.push(text(input)),
            (NODE_NAME, FieldValue::Bytes(found)) => name = text(found),
            _ => {}
        }
    }
    let part = name.strip_suffix(PRODUCT).and_then(|part| part.strip_prefix('/'));
    let matrix = inputs.into_iter().nth(1);
    Ok(part.map(|part| format!("{}.weight", part.replace('/', "."))).zip(matrix))
}

type NamedFloats = (String, Vec<usize>, Vec<f32>);

/// The name, shape and numbers of a tensor; `None` if they are not 32-bit floats.
fn floats(tensor: &[u8]) -> Result<Option<NamedFloats>, BadTensors> {
    let (mut name, mut shape, mut data) = (String::new(), Vec::new(), None);
    for field in MessageFields::new(tensor) {
        match field? {
            (TENSOR_DIMENSIONS, FieldValue::Varint(count)) => {
                shape.push(usize::try_from(count).unwrap_or(usize::MAX));
            }
            (TENSOR_DATA_TYPE, FieldValue::Varint(kind)) if kind != FLOAT => return Ok(None),
            (TENSOR_NAME, FieldValue::Bytes(found)) => name = text(found),
            (TENSOR_RAW_DATA, FieldValue::Bytes(found)) => data = Some(found),
            _ => {}
        }
    }
    let Some(data) = data else { return Ok(None) };
    let values: Vec<f32> =
        data.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
    let count = shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
    if count != Some(values.len()) || data.len() % 4 != 0 {
        return Err(BadTensors::Missing { name, shape });
    }
    Ok(Some((name, shape, values)))
}

fn transposed(matrix: &[f32], depth: usize, width: usize) -> Vec<f32> {
    let columns = (0..width).flat_map(|column| (0..depth).map(move |row| row * width + column));
    columns.map(|at| matrix[at]).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
