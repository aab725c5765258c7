//! The built-in services of this process: opened once, shown once for each view, kept in step
//! with what other processes do.

mod keep;
mod news;
mod open;
mod programs;

pub(crate) use news::{Audience, Newsroom};
pub(crate) use open::{KNOWN, Services, embedder};
