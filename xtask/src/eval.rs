//! Measures how well things are found, on our own data: `cargo xtask eval memory`,
//! `cargo xtask eval tools`, `cargo xtask eval anonymise`.

mod asked_hub;
mod command;
mod own_tools;
mod public_sets;
mod record;
mod recorded_server;
mod speed;

pub(crate) use command::{Args, run};
