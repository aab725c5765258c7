//! What authors do with this crate: the servers of the guide, run as programs, and over HTTP.

mod examples;
mod http;
mod programs;
mod side_by_side;
