//! How well things are found, on data of our own: `cargo xtask eval memory`.

mod command;

pub(crate) use command::{Args, run};
