//! The suites, and how many scenarios each must pass.

use crate::peers::{CONFORMANCE, CONFORMANCE_LEGACY, Peer};

/// One run of one suite.
pub(crate) struct Suite {
    /// The name for `--suite` and in the table.
    pub(crate) name: &'static str,
    /// The package with the suite.
    pub(crate) peer: Peer,
    /// Which of our programs it tests, and which scenarios it runs.
    pub(crate) part: Part,
}

/// The program that a suite tests.
pub(crate) enum Part {
    /// Runs all scenarios at once, against the running fixture server.
    Server {
        /// The arguments that select the scenarios.
        select: [&'static str; 2],
        /// The number of scored scenarios; all must pass.
        required: usize,
    },
    /// Runs one scenario at a time, each with a client of its own: only then do the suites check
    /// the client's exit code.
    Client {
        /// The revision to speak, if all scenarios belong to one.
        revision: Option<&'static str>,
        /// The groups of scenarios that must all pass, in this order.
        scored: &'static [&'static [&'static str]],
        /// Scenarios that are counted but have no target.
        unscored: &'static [&'static str],
    },
    /// Runs all scenarios at once, against an authorization server. A fixture runs that server, and
    /// plays the person whom the suite sends to a page.
    Authorization {
        /// The number of scenarios; all must pass.
        required: usize,
    },
}

/// The side of the protocol, for the command line.
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

/// What a client must do in the stateless era.
const MODERN_CLIENT: &[&str] = &[
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
];

/// In the suite, but not in the requirements of any revision.
const EXTRA_CLIENT: &[&str] = &["json-schema-2020-12-preservation"];

/// A login in the revision 2025-11-25.
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

/// Logins that belong to an extension, not to a revision.
const EXTENSION_LOGIN: &[&str] = &[
    "auth/client-credentials-jwt",
    "auth/client-credentials-basic",
    "auth/enterprise-managed-authorization",
    "auth/dpop",
    "auth/dpop-nonce",
    "auth/wif-jwt-bearer",
];

/// What the first suite has beside its revision's login and the oldest one.
const FIRST_LOGIN: &[&str] = &[
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/client-credentials-jwt",
    "auth/client-credentials-basic",
    "auth/cross-app-access-complete-flow",
];

/// All suites, those of the oldest revision first.
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
