//! all-MiniLM-L6-v2 in this process: BERT with 6 layers, run by hand.

mod embedder;
mod shelf;

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
