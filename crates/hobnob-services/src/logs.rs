//! The service `logs`: what programs and the system wrote down, as far as a person granted it.
//!
//! The machine crate reads; here callers' arguments become wishes, grants decide about them, and
//! entries become JSON, in our own shapes and in those of the profile `sysmcp`. What callers see and
//! search is anonymised unless the person's settings say otherwise.

mod mask;
mod reveal;
mod service;
mod views;

mod native;
mod sysmcp;

mod kit;

pub use mask::LazyAnonymiser;
pub use reveal::{RevealedToken, reveal};
pub use service::LogService;
