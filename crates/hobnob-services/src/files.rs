//! The service `files`: looking for, reading and changing files beneath the folders a person granted.
//!
//! The binary opens it as a `BuiltInService`. Nothing here opens a file: every action asks the grants of
//! the moment for a permit, and `hobnob-machine` does what the permit says.

mod address;
mod reply;
mod service;
mod words;

mod action;
mod refusal;

mod change;
mod look;
mod read;
mod search;
mod search_arguments;
mod search_reply;

mod resources;
mod sysmcp;
mod tools;

mod housekeeping;
mod watching;

mod kit;

pub use service::FileService;
