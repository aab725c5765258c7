//! All kinds of measurement, in the order in which they are run and shown.
//!
//! To add a kind, describe it in one of these files and add it to [`ALL`].

mod calls;
mod gateways;
mod machine;
mod memory;
mod start;
mod streams;

use super::kind::Kind;

pub(super) use calls::INSTRUCTIONS;

pub(super) static ALL: [&Kind; 14] = [
    &calls::STDIO,
    &calls::HTTP,
    &calls::STATELESS,
    &start::IDLE,
    &start::STARTUP,
    &calls::INSTRUCTIONS,
    &gateways::GATEWAY,
    &gateways::CATALOGUE,
    &memory::CAPTURE,
    &memory::RECALL,
    &start::HUB,
    &machine::SHELL,
    &machine::FILES,
    &streams::EVENTS,
];
