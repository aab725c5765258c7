//! Tests of the store on real PostgreSQL servers, which the tests start and end.
#![cfg(test)]
#![cfg(unix)]

mod server;

mod failures;
mod opening;
mod ports;
mod rankings;
mod replicas;
mod rows;
