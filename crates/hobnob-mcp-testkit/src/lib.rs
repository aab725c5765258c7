//! For tests only: transcripts of conversations, and what fuzzing must never break.

pub mod fuzz;
pub mod transcript;
