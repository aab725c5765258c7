//! Every integration test of this crate, in one binary.

mod shell;
mod shell_bodies;
mod shell_connections;
mod shell_heads;
mod shell_shutdown;
