//! Tests of the file effects on real files in folders of their own.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod deleting;
mod escapes;
mod granted;
mod performing;
mod races;
mod reading;
mod resolver_model;
mod search_oracle;
mod searching;
mod writing;
