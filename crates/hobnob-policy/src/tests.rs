//! Tests of rules, verdicts, grants and text, as tables and as properties.

mod grants;
mod poison;
mod properties;
mod rules;
mod visible;
