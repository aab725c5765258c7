//! The service `files`: finds, reads and changes files in the folders that a person granted.
//!
//! The binary opens it as a `BuiltInService`. Nothing here opens a file: every action gets a permit
//! from the current grants, and `hobnob-machine` does what the permit says.

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
