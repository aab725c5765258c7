//! The service `tasks`: shared work for agents. Tasks can wait for each other, are claimed, and are
//! done once.
//!
//! The binary opens it as a `BuiltInService`. No two workers ever hold the same claim.

mod addresses;
mod service;
mod views;

mod change;
mod claims;
mod look;

mod next;
mod resources;
mod tools;

mod kit;

pub use service::TaskService;
