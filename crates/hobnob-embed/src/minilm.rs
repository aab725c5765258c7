//! BERT encoders in this process, written without a framework: all-MiniLM-L6-v2 and gte-small.
//!
//! Only `MiniLm` is public; the modules below it go from texts down to matrix products.

mod embedder;

mod model;
mod tokenizer;
mod words;

mod convert;
mod onnx;

mod bert;
mod layer;

mod attention;
mod int8_panels;
mod multiply;
mod rowwise;
mod tensors;

pub(crate) use convert::{FloatWeights, convert};
pub use embedder::MiniLm;
