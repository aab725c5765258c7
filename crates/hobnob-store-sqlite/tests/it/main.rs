//! Tests of the store through its public API, each on its own file.
#![cfg(test)]

mod backup;
mod calls;
mod drill;
mod durability;
mod faults;
mod files;
mod memories;
mod migrations;
mod search;
mod tasks;
mod trees;
