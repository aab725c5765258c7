//! Boots a small virtual machine and runs the tests in it that need what this machine may lack: a
//! cgroup of version 2 with the controller of memory, delegated to an ordinary user.
//!
//! The machine is a kernel of Debian and a root in memory with the tests and a shell. `ci` does not run
//! it: it installs packages and emulates a processor.

mod command;
mod root;

pub(crate) use command::{Args, run};
