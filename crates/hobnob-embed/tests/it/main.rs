//! Tests of the model with its real weights.
#![cfg(test)]

mod minilm;
mod wheel;
