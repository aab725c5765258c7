//! The status of an upstream: its phase and the reason, for people and for `hobnob://status`.
//!
//! The gateway's `status` fills it in. The names of fields and phases are part of the interface.

use serde::Serialize;

/// What an upstream is doing, or why it is doing nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// A person has disabled it.
    Disabled,
    /// Its entry cannot be used.
    Misconfigured,
    /// It is this very hub, or would put it behind itself.
    Refused,
    /// A person has to approve its command first.
    NeedsApproval,
    /// A person has to log in to it first.
    NeedsLogin,
    /// Its lists are unknown: it was never started.
    Unknown,
    /// It was ready when it last ran, and no hub is running that would keep it.
    Stopped,
    /// Its lists are known, but it is not running: it starts when it is needed.
    Sleeping,
    /// A start is under way.
    Starting,
    /// A start is under way, by a program that may be downloading the server.
    Installing,
    /// Running and greeted: calls go to it at once.
    Ready,
    /// It failed; it is tried again when it is needed.
    Failed,
    /// It failed too often and is left alone for a while.
    Resting,
}

/// The state of a login to an upstream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoginReport {
    /// Whether there is a login.
    pub logged_in: bool,
    /// Seconds until its token expires; absent if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<u64>,
    /// Whether the next token is obtained without a person.
    pub renews: bool,
    /// The last error, unless a request has succeeded since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// The status of one upstream.
#[derive(Debug, Clone, Serialize)]
pub struct UpstreamStatus {
    /// Its name in the configuration.
    pub name: String,
    /// The phase it is in.
    pub phase: Phase,
    /// Why it is in this phase, if there is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The command that helps, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The login to it, if it has or needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login: Option<LoginReport>,
    /// When it last failed to start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<String>,
    /// `awaited` if lists wait for its first start, `unawaited` if it is under way all the same. Absent once
    /// its lists are offered or the start has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_start: Option<&'static str>,
    /// The source of its entry.
    pub origin: String,
    /// `stdio`, `http` or `sse`.
    pub transport: &'static str,
    /// The command or URL as it was written, without secrets.
    pub target: String,
    /// How its program is confined: the level of its sandbox, or `configured` before its first
    /// start. Absent if it has no sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<&'static str>,
    /// Its own name and version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The protocol revision in use with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The process id, while it is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Seconds since it was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_seconds: Option<u64>,
    /// The number of open connections.
    pub connections: usize,
    /// Requests that wait for its answer, over all connections.
    pub in_flight: usize,
    /// How often it was started since Hobnob began.
    pub starts: u64,
    /// The number of tools it lists.
    pub tools: usize,
    /// The number of resources it lists.
    pub resources: usize,
    /// The number of resource templates it lists.
    pub templates: usize,
    /// The number of prompts it lists.
    pub prompts: usize,
    /// Tools that are held back because they changed since they were approved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quarantined: Vec<String>,
    /// Problems that do not keep it from working.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A process of a server on this machine. An isolated server has one for each client, and a server
/// that principals log in to has one for each of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerProcess {
    /// The server's name in the configuration.
    pub server: Box<str>,
    /// The id of the process on this machine.
    pub pid: u32,
    /// The principal whom it serves; empty where it serves callers without a name.
    pub principal: Box<str>,
    /// Whether it serves one client alone.
    pub is_of_one_client: bool,
    /// Seconds since it was started.
    pub uptime_seconds: u64,
    /// Requests that wait for its answer.
    pub in_flight: usize,
}
