//! The crate from outside: measured on labelled lines, held to its promises, fed with hostile text.
#![cfg(test)]

mod anonymised;
mod corpus;
mod figures;
mod hostile;
mod labelled;
mod measured;
mod promises;
mod template;
