//! The store as those see it who use it, on a file of its own for each test.
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
