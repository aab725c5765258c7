//! Work that agents share: tasks that wait for each other, are claimed, and are done once.

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
