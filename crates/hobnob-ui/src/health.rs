//! How a hub is, as the page's Health page reads it. The hub fills it in.
//!
//! The names of the fields are part of the interface to the page.

use serde::Serialize;

/// The state of a hub and of what it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthReport {
    /// The version of the program.
    pub version: String,
    /// The newest revision of the protocol that it speaks.
    pub revision: String,
    /// The version of SQLite in it.
    pub sqlite: String,
    /// The id of the hub's process run.
    pub instance: String,
    /// The id of the hub's process on its machine.
    pub pid: u32,
    /// Seconds since the hub started.
    pub uptime_seconds: u64,
    /// What its own process uses, where the system tells it.
    pub process: Option<ProcessUse>,
    /// The folder of the project.
    pub project: String,
    /// What is wrong, one sentence each, as `hobnob status` shows it.
    pub problems: Vec<String>,
    /// Where the hub listens.
    pub listener: String,
    /// The store's file; `None` where the store is off.
    pub store: Option<StoreFileHealth>,
    /// Whether calls are recorded, and where.
    pub audit: AuditHealth,
    /// Bounds, and how much of each is used.
    pub limits: Vec<LimitHealth>,
    /// The processes of servers on this machine, by server.
    pub processes: Vec<ServerProcessHealth>,
    /// What a person could do.
    pub advice: Vec<AdviceHealth>,
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdviceHealth {
    /// How bad it is.
    pub level: AdviceLevel,
    /// What was found, in words for a person.
    pub message: String,
    /// What to do about it, if something can be done: often a command.
    pub remedy: Option<String>,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AdviceLevel {
    /// It works, and could be better.
    Note,
    /// It works, but not as it should.
    Warning,
    /// It does not work.
    Broken,
}

/// The store's file and its disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreFileHealth {
    /// The path of the file on the hub's machine.
    pub path: String,
    /// The size of the file, without its journal.
    pub bytes: u64,
    /// How many bytes are free on its disk.
    pub free_bytes: u64,
}

/// The audit log's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditHealth {
    /// Whether calls are recorded.
    pub enabled: bool,
    /// The path of its newest file with records of calls.
    pub path: String,
    /// The size of its newest file.
    pub bytes: u64,
}

/// A bound of the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitHealth {
    /// What is bounded, in words for a person.
    pub name: String,
    /// How much there is.
    pub used: u64,
    /// How much there may be.
    pub max: u64,
    /// What `used` and `max` count.
    pub unit: LimitUnit,
    /// What a person can do when it is near.
    pub remedy: String,
}

impl LimitHealth {
    /// A bound on a number of things.
    pub fn count(name: &str, used: usize, max: usize, remedy: &str) -> Self {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        Self {
            name: name.to_owned(),
            used: number(used),
            max: number(max),
            unit: LimitUnit::Count,
            remedy: remedy.to_owned(),
        }
    }

    /// A limit that is counted in bytes.
    pub fn bytes(name: &str, used: usize, max: usize, remedy: &str) -> Self {
        Self { unit: LimitUnit::Bytes, ..Self::count(name, used, max, remedy) }
    }
}

/// What a bound counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitUnit {
    /// Things of its name.
    Count,
    /// Bytes of its name.
    Bytes,
}

/// What some processes use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProcessUse {
    /// The number of processes.
    pub processes: u32,
    /// Their memory that is in RAM, in bytes.
    pub resident_bytes: u64,
    /// The time that they have computed, in milliseconds.
    pub cpu_ms: u64,
}

/// One of a server's processes, with all that it started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerProcessHealth {
    /// The name of its server in the configuration.
    pub server: String,
    /// The id of the process on this machine.
    pub pid: u32,
    /// The principal whom it serves; empty where it serves callers without a name.
    pub principal: String,
    /// Whether it serves one client alone, since the server is isolated.
    pub one_client: bool,
    /// Seconds since it was started.
    pub uptime_seconds: u64,
    /// Requests that wait for its answer.
    pub in_flight: u64,
    /// What it uses, where the system tells it.
    pub used: Option<ProcessUse>,
}
