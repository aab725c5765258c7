//! A short run of every fuzz target on the stable toolchain, from the committed seeds.

mod mutator;
mod run;
