//! Tests of the public API: figures on labelled lines, invariants, and hostile texts.
#![cfg(test)]

mod anonymised;
mod corpus;
mod figures;
mod hostile;
mod labelled;
mod measured;
mod promises;
mod template;
