//! Boots a small virtual machine and runs tests in it that need a cgroup v2 with the memory
//! controller, delegated to an ordinary user, which this machine may lack.
//!
//! The virtual machine is a Debian kernel and an in-memory root with the tests and a shell. `ci`
//! does not run it, because it installs packages and emulates a processor.

mod command;
mod root;

pub(crate) use command::{Args, run};
