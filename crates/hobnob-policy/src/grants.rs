//! What a person allows the services that touch the machine: nothing until something is granted.
//!
//! Everything here is pure: rows of text become a set, and the set answers a wish with a permit or
//! with the line to type. `hobnob-config` keeps the rows, the services ask, the effects read permits.

mod access;
mod argv_pattern;
mod relative_path;
#[cfg(test)]
mod tests;

pub use access::{MachineService, ServiceAccess};
pub use argv_pattern::ArgvPattern;
pub use relative_path::{BadRelativePath, RelativePath};
