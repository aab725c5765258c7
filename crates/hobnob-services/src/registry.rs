//! The service `registry`: keys and values of a Windows registry that a person granted.
//!
//! The machine crate runs the programs. This service turns arguments into requests, asks the
//! grants, and makes JSON of the results, in its own shape and in that of the profile `sysmcp`.

mod service;
mod typed_data;
mod views;

mod native;
mod sysmcp;

mod kit;

pub use service::RegistryService;
