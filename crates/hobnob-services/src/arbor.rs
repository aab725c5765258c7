//! The service `arbor`: conversations that branch, as trees of nodes that are never changed.
//!
//! The binary opens it as a `BuiltInService`. A tree stays for as long as somebody claims it, and
//! can be brought back for a while after that.

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
