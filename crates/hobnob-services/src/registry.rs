//! The service `registry`: keys and values of a Windows registry that a person granted.
//!
//! The machine crate runs the programs; here callers' arguments become wishes, grants decide about
//! them, and what was found becomes JSON, in our own shapes and in those of the profile `sysmcp`.

mod service;
mod typed_data;
mod views;

mod native;
mod sysmcp;

mod kit;

pub use service::RegistryService;
