//! Tests of grants: tables of what is allowed and refused, and properties that hold for any input.

mod relative_path;
