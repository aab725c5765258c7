//! What is said of an upstream: its phase and why, for people and for `hobnob://status`.
//!
//! The gateway's `status` fills it in. The names of fields and phases are part of the interface.

use serde::Serialize;

/// What an upstream is doing, or why it is doing nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Switched off by its user.
    Disabled,
    /// Its entry cannot be used.
    Misconfigured,
    /// It is this very hub, or would bring it behind itself.
    Refused,
    /// A person has to approve its command first.
    NeedsApproval,
    /// A person has to log in to it first.
    NeedsLogin,
    /// Nothing is known of it: it was never started.
    Unknown,
    /// It was ready when it last ran, and no hub runs that would keep it.
    Stopped,
    /// Known, but not running: it is started when it is needed.
    Sleeping,
    /// A start is under way.
    Starting,
    /// A start is under way, by a program that may be downloading the server.
    Installing,
    /// Running and greeted: calls go to it at once.
    Ready,
    /// It failed, and is tried again when it is needed.
    Failed,
    /// It failed too often and is left alone for a while.
    Resting,
}

/// What is known of the login to an upstream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoginReport {
    /// Whether there is one.
    pub logged_in: bool,
    /// How long its token is good for; absent if it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<u64>,
    /// Whether the next token comes by itself.
    pub renews: bool,
    /// What went wrong last, if nothing went well since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// One upstream, as it is now.
#[derive(Debug, Clone, Serialize)]
pub struct UpstreamStatus {
    /// Its name in the configuration.
    pub name: String,
    /// What it is doing.
    pub phase: Phase,
    /// Why it is in this phase, if there is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The login to it, if there is one or should be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login: Option<LoginReport>,
    /// When it last failed to start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<String>,
    /// Whether lists wait for it: its first start is under way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
    /// Where its entry comes from.
    pub origin: String,
    /// `stdio`, `http` or `sse`.
    pub transport: &'static str,
    /// What is started or reached, as it was written.
    pub target: String,
    /// How its program is confined: the level of its sandbox, or `configured` before its first
    /// start. Absent if it has no sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<&'static str>,
    /// What it says it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The revision spoken with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The process, while there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Seconds since it was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_seconds: Option<u64>,
    /// Connections to it: one for each principal.
    pub connections: usize,
    /// Requests that wait for its answer, over all connections.
    pub in_flight: usize,
    /// Times it was started since Hobnob began.
    pub starts: u64,
    /// How many tools it lists.
    pub tools: usize,
    /// How many resources it lists.
    pub resources: usize,
    /// How many resource templates it lists.
    pub templates: usize,
    /// How many prompts it lists.
    pub prompts: usize,
    /// Tools that changed since they were approved, and are held back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quarantined: Vec<String>,
    /// What is not as it should be, though it works.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
