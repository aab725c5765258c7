//! Universal Sentence Encoder multilingual v3 in this process: a network over n-grams of
//! SentencePiece tokens, trained on sixteen languages.
//!
//! Only `MultilingualEncoder` is public; the modules below it go from texts down to matrix
//! products.
//! What must stay true: the same text gives the same vector, bit for bit, with every instruction set.

mod embedder;

mod activation;
mod convolution;
mod embeddings;
mod model;
mod network;
mod tokenizer;

mod normalizer;
mod vocabulary;

mod matrix;
mod numpy_arrays;

pub use embedder::MultilingualEncoder;
