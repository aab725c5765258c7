//! The crate from outside: measured on a corpus, held to its promises, fed with hostile text.
#![cfg(test)]

mod corpus;
mod hostile;
mod measured;
mod promises;
mod template;
