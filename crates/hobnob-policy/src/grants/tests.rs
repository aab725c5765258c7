//! Tests of grants: tables of what is allowed and refused, and properties that hold for any input.

mod agents;
mod argv_pattern;
mod commands;
mod files;
mod keys;
mod logs;
mod memory_roles;
mod relative_path;
mod set;
mod support;
