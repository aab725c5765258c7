//! The suites that are run, and how many scenarios each must pass.

use crate::peers::{CONFORMANCE, CONFORMANCE_LEGACY, Peer};

/// One run of one suite.
pub(crate) struct Suite {
    /// What `--suite` and the table call it.
    pub(crate) name: &'static str,
    /// The package that holds it.
    pub(crate) peer: Peer,
    /// What selects its scenarios.
    pub(crate) select: [&'static str; 2],
    /// How many scored scenarios there are; all of them must pass.
    pub(crate) required: usize,
}

/// Every suite, oldest wire first.
pub(crate) const SUITES: &[Suite] = &[
    Suite { name: "0.1.16", peer: CONFORMANCE_LEGACY, select: ["--suite", "all"], required: 32 },
    Suite {
        name: "2025-11-25",
        peer: CONFORMANCE,
        select: ["--requirements", "2025-11-25"],
        required: 30,
    },
    Suite {
        name: "2026-07-28",
        peer: CONFORMANCE,
        select: ["--requirements", "2026-07-28"],
        required: 37,
    },
];
