//! Tests of rules, verdicts, consents and text, as tables and as properties.

mod consents;
mod poison;
mod properties;
mod rule_callers;
mod rule_reach;
mod rules;
