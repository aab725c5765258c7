//! The service `logs`: logs of programs and of the system, as far as a person granted them.
//!
//! The machine crate reads the logs. This service turns arguments into requests, asks the grants,
//! and makes JSON of the entries, in Hobnob's own shape and in that of the profile `sysmcp`.
//! Callers see and search anonymised text unless the person's settings say otherwise.

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
