//! Real processes, at every level that this machine allows.

#![cfg(test)]
#![cfg(unix)]

mod carrier;
mod process;
mod supervision;
mod support;
