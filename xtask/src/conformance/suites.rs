//! The suites that are run, and how many scenarios each must pass.

use crate::peers::{CONFORMANCE, CONFORMANCE_LEGACY, Peer};

/// One run of one suite.
pub(crate) struct Suite {
    /// What `--suite` and the table call it.
    pub(crate) name: &'static str,
    /// The package that holds it.
    pub(crate) peer: Peer,
    /// Which of our programs it is about, and what it runs.
    pub(crate) part: Part,
}

/// The side of the protocol that a suite is about.
pub(crate) enum Part {
    /// All scenarios in one go, against the running fixture server.
    Server {
        /// What selects the scenarios.
        select: [&'static str; 2],
        /// How many scored scenarios there are; all of them must pass.
        required: usize,
    },
    /// One scenario at a time, each with a client of its own: only then do the suites look at
    /// the client's exit code.
    Client {
        /// The revision that is spoken.
        revision: &'static str,
        /// All of these must pass.
        scored: &'static [&'static str],
        /// Counted, but below no target.
        unscored: &'static [&'static str],
    },
}

/// The side of the protocol, as the command line names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Side {
    Server,
    Client,
}

impl Suite {
    pub(crate) fn side(&self) -> Side {
        match self.part {
            Part::Server { .. } => Side::Server,
            Part::Client { .. } => Side::Client,
        }
    }
}

/// What a client must do in the era of sessions.
const LEGACY_CLIENT: &[&str] =
    &["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"];

/// What a client must do without sessions.
const MODERN_CLIENT: &[&str] = &[
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
];

/// In the suite, but in no revision's requirements.
const EXTRA_CLIENT: &[&str] = &["json-schema-2020-12-preservation"];

/// Every suite, oldest wire first.
pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "0.1.16",
        peer: CONFORMANCE_LEGACY,
        part: Part::Server { select: ["--suite", "all"], required: 32 },
    },
    Suite {
        name: "2025-11-25",
        peer: CONFORMANCE,
        part: Part::Server { select: ["--requirements", "2025-11-25"], required: 30 },
    },
    Suite {
        name: "2026-07-28",
        peer: CONFORMANCE,
        part: Part::Server { select: ["--requirements", "2026-07-28"], required: 37 },
    },
    Suite {
        name: "client-0.1.16",
        peer: CONFORMANCE_LEGACY,
        part: Part::Client { revision: "2025-11-25", scored: LEGACY_CLIENT, unscored: &[] },
    },
    Suite {
        name: "client-2025-11-25",
        peer: CONFORMANCE,
        part: Part::Client {
            revision: "2025-11-25",
            scored: LEGACY_CLIENT,
            unscored: EXTRA_CLIENT,
        },
    },
    Suite {
        name: "client-2026-07-28",
        peer: CONFORMANCE,
        part: Part::Client {
            revision: "2026-07-28",
            scored: MODERN_CLIENT,
            unscored: EXTRA_CLIENT,
        },
    },
];
