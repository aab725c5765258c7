//! Tests of the model with its real weights.
#![cfg(test)]

mod gte_small;
mod minilm;
mod multilingual;
mod wheel;
