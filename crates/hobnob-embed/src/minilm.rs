//! all-MiniLM-L6-v2 in this process: a BERT encoder with 6 layers, written without a framework.
//!
//! Only `MiniLm` is public; the modules below it go from texts down to matrix products.

mod embedder;
mod idle_cache;

mod model;
mod tokenizer;
mod words;

mod bert;
mod layer;

mod attention;
mod multiply;
mod rowwise;
mod tensors;

pub use embedder::MiniLm;
