//! Tests of grants: tables of what is allowed and refused, and properties that hold for any input.

mod argv_pattern;
mod files;
mod relative_path;
mod support;
