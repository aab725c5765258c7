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
        /// The revision that is spoken, where the scenarios are of one.
        revision: Option<&'static str>,
        /// All of these must pass, a group after the other.
        scored: &'static [&'static [&'static str]],
        /// Counted, but below no target.
        unscored: &'static [&'static str],
    },
    /// All scenarios in one go, against an authorization server that a fixture runs, with the person
    /// whom the suite sends to a page.
    Authorization {
        /// How many scenarios there are; all of them must pass.
        required: usize,
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
            Part::Server { .. } | Part::Authorization { .. } => Side::Server,
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

/// A login as the revision 2025-11-25 has it.
const LEGACY_LOGIN: &[&str] = &[
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
];

/// What the revision 2026-07-28 adds to a login.
const MODERN_LOGIN: &[&str] = &[
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
];

/// A login at servers that name no authorization server.
const OLDEST_LOGIN: &[&str] =
    &["auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"];

/// Logins that belong to an extension, and so to no revision.
const EXTENSION_LOGIN: &[&str] = &[
    "auth/client-credentials-jwt",
    "auth/client-credentials-basic",
    "auth/enterprise-managed-authorization",
    "auth/dpop",
    "auth/dpop-nonce",
    "auth/wif-jwt-bearer",
];

/// What the suite before 2026-07-28 has beside the login of its revision and the oldest one.
const FIRST_LOGIN: &[&str] = &[
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/client-credentials-jwt",
    "auth/client-credentials-basic",
    "auth/cross-app-access-complete-flow",
];

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
        part: Part::Client {
            revision: Some("2025-11-25"),
            scored: &[LEGACY_CLIENT],
            unscored: &[],
        },
    },
    Suite {
        name: "client-2025-11-25",
        peer: CONFORMANCE,
        part: Part::Client {
            revision: Some("2025-11-25"),
            scored: &[LEGACY_CLIENT],
            unscored: EXTRA_CLIENT,
        },
    },
    Suite {
        name: "client-2026-07-28",
        peer: CONFORMANCE,
        part: Part::Client {
            revision: Some("2026-07-28"),
            scored: &[MODERN_CLIENT],
            unscored: EXTRA_CLIENT,
        },
    },
    Suite {
        name: "login-0.1.16",
        peer: CONFORMANCE_LEGACY,
        part: Part::Client {
            revision: None,
            scored: &[LEGACY_LOGIN, OLDEST_LOGIN, FIRST_LOGIN],
            unscored: &[],
        },
    },
    Suite {
        name: "login-2025-03-26",
        peer: CONFORMANCE,
        part: Part::Client { revision: Some("2025-03-26"), scored: &[OLDEST_LOGIN], unscored: &[] },
    },
    Suite {
        name: "login-2025-11-25",
        peer: CONFORMANCE,
        part: Part::Client { revision: Some("2025-11-25"), scored: &[LEGACY_LOGIN], unscored: &[] },
    },
    Suite {
        name: "login-2026-07-28",
        peer: CONFORMANCE,
        part: Part::Client {
            revision: Some("2026-07-28"),
            scored: &[LEGACY_LOGIN, MODERN_LOGIN],
            unscored: &[],
        },
    },
    Suite { name: "authorization", peer: CONFORMANCE, part: Part::Authorization { required: 2 } },
    Suite {
        name: "login-extensions",
        peer: CONFORMANCE,
        part: Part::Client { revision: None, scored: &[EXTENSION_LOGIN], unscored: &[] },
    },
];
