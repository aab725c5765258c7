//! The service `arbor`: branching conversations, stored as trees of immutable nodes.
//!
//! The binary opens it as a `BuiltInService`. A tree stays as long as it has a claim, and can be
//! restored for a while after that.

mod addresses;
mod drawing;
mod service;
mod views;

mod context;
mod nodes;
mod trees;

mod resources;
mod tools;

mod kit;

pub use service::ArborService;
