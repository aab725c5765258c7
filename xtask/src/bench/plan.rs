//! What is measured, how it is tabulated, and how good we have to be.
//! A new measurement or another target is a change here only; the built-in services have a file of
//! their own.

mod builtins;

use clap::ValueEnum;
use serde::Serialize;

const SMALL: usize = 64;
const MEDIUM: usize = 1024;
const LARGE: usize = 100 * 1024;

/// A family of measurements, shown as one table.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Stdio,
    Http,
    Stateless,
    Idle,
    Startup,
    Instructions,
    Gateway,
    GatewayIdle,
    GatewayCatalogue,
    MemoryCapture,
    MemoryRecall,
    TasksClaim,
    MemoryIdle,
}

/// What a kind is about, and so which programs it is measured with.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Subject {
    /// Servers with a tool of their own.
    Servers,
    Gateways,
    /// The services that our binary brings along. Nobody else has them, so that nothing is beside
    /// them but themselves.
    BuiltIns,
}

/// One figure of a table.
pub(super) struct Column {
    pub(super) heading: &'static str,
    /// Its name in what the load generator reports.
    pub(super) figure: &'static str,
    /// What the reported number is multiplied with.
    pub(super) scale: f64,
    pub(super) shown: Shown,
}

/// What of a figure is shown.
#[derive(PartialEq)]
pub(super) enum Shown {
    Itself,
    /// What it is more than the bare loop's.
    AddedToRaw,
    /// How many times as much as in the case that a job is compared with.
    TimesOther,
}

const fn column(heading: &'static str, figure: &'static str) -> Column {
    Column { heading, figure, scale: 1.0, shown: Shown::Itself }
}

const fn mebibytes(heading: &'static str, figure: &'static str) -> Column {
    Column { heading, figure, scale: 1.0 / 1024.0, shown: Shown::Itself }
}

const MEMORY: Column = mebibytes("RSS MiB", "rss_kib");
const LOAD: &[Column] = &[
    column("CPU µs/call", "cpu_us_per_call"),
    column("calls/s", "calls_per_second"),
    column("p50 µs", "p50_us"),
    column("p99 µs", "p99_us"),
    MEMORY,
];
const IDLE: &[Column] = &[column("KiB/session", "kib_per_session"), MEMORY];
const STARTUP: &[Column] = &[column("ms to first answer", "startup_ms"), MEMORY];
const INSTRUCTIONS: &[Column] = &[column("instructions/call", PER_CALL)];
const GATEWAY: &[Column] = &[
    column("CPU µs/call", "cpu_us_per_call"),
    Column { heading: "added p50 µs", figure: "p50_us", scale: 1.0, shown: Shown::AddedToRaw },
    column("calls/s", "calls_per_second"),
    column("p50 µs", "p50_us"),
    column("p99 µs", "p99_us"),
    MEMORY,
];
/// Where the added latency is among those.
const ADDED: usize = 1;
const CATALOGUE: &[Column] = &[
    column("cold: all tools ms", "cold_whole_list_ms"),
    column("cold: first answer ms", "cold_first_list_ms"),
    column("cached: first answer ms", "cached_first_list_ms"),
    column("cached: all tools ms", "cached_whole_list_ms"),
    mebibytes("RSS MiB with upstreams", "cold_rss_kib"),
    mebibytes("RSS MiB without", "cold_own_rss_kib"),
];
/// The one figure that is worked out here and not by the load generator.
pub(super) const PER_CALL: &str = "instructions_per_call";

impl Kind {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Stdio => "stdio: calls over one pair of pipes",
            Self::Http => "http: calls in legacy sessions (2025-06-18)",
            Self::Stateless => "stateless: calls without a session (2026-07-28)",
            Self::Idle => "idle: legacy sessions with an open stream",
            Self::Startup => "startup: from starting the process to its first answer",
            Self::Instructions => "instructions: in user space, counted by valgrind",
            Self::Gateway => "gateway: calls through it to one server on pipes; raw is direct HTTP",
            Self::GatewayIdle => "gateway-idle: legacy sessions with an open stream",
            Self::GatewayCatalogue => "gateway-catalogue: from its start to a list of all tools",
            Self::MemoryCapture => "memory-capture: durable captures over HTTP",
            Self::MemoryRecall => "memory-recall: questions one at a time, in process",
            Self::TasksClaim => "tasks-claim: one list claimed over HTTP until it is empty",
            Self::MemoryIdle => "memory-idle: the start, and doing nothing",
        }
    }

    /// The first column is the one that is compared with the bare loop and held to a target.
    pub(super) fn columns(self) -> &'static [Column] {
        match self {
            Self::Stdio | Self::Http | Self::Stateless => LOAD,
            Self::Idle => IDLE,
            Self::Startup => STARTUP,
            Self::Instructions => INSTRUCTIONS,
            Self::Gateway => GATEWAY,
            Self::GatewayIdle => IDLE,
            Self::GatewayCatalogue => CATALOGUE,
            Self::MemoryCapture => builtins::CAPTURE,
            Self::MemoryRecall => builtins::RECALL,
            Self::TasksClaim => builtins::CLAIM,
            Self::MemoryIdle => STARTUP,
        }
    }

    /// Whether one round tells as much as several.
    pub(super) fn is_steady(self) -> bool {
        matches!(self, Self::Idle | Self::Instructions | Self::GatewayIdle)
    }

    pub(super) fn subject(self) -> Subject {
        match self {
            Self::Stdio | Self::Http | Self::Stateless => Subject::Servers,
            Self::Idle | Self::Startup | Self::Instructions => Subject::Servers,
            Self::Gateway | Self::GatewayIdle | Self::GatewayCatalogue => Subject::Gateways,
            Self::MemoryCapture | Self::MemoryRecall => Subject::BuiltIns,
            Self::TasksClaim | Self::MemoryIdle => Subject::BuiltIns,
        }
    }
}

/// How a server is started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Transport {
    Stdio,
    Http,
    /// In front of one server, for callers of this era with messages of so many bytes.
    Gateway(Era, usize),
    /// In front of [`UPSTREAMS`] servers, and nothing remembered from before.
    Upstreams,
    /// With the built-in services, on a store with so many memories.
    BuiltIns(Over, usize),
    /// The same, and beside it without those services.
    BuiltInsOnOrOff(Over, usize),
    /// Only the search in so many memories, in the program that measures it.
    InProcess(usize),
}

/// What a client speaks over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Over {
    Stdio,
    Http,
}

/// The two ways in which a caller is told from others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Era {
    Legacy,
    Stateless,
}

/// How many servers the catalogue is made of, and how many tools each has.
pub(super) const UPSTREAMS: usize = 50;
pub(super) const TOOLS_EACH: usize = 20;

/// One line of a table, for every server.
pub(super) struct Job {
    pub(super) kind: Kind,
    pub(super) case: String,
    pub(super) transport: Transport,
    pub(super) work: Work,
    pub(super) target: Option<Target>,
    /// The case that this one is compared with.
    pub(super) other: Option<String>,
}

/// What the load generator has to do; the strings are its arguments, where `{TOOL}` becomes what
/// the tool is called, and `{FOLDER}` where a server's files are.
pub(super) enum Work {
    Report(Vec<String>),
    /// Two runs of different length; what the longer one needs more is the cost of its calls.
    Instructions {
        arguments: Vec<String>,
        few: usize,
        many: usize,
    },
    /// The same twice, of which the second start may remember the first.
    Twice(Vec<String>),
    /// Nothing: the program measures itself with these arguments.
    Itself(Vec<String>),
}

/// A target is met by either of its limits.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// Which column it is about.
    pub(super) column: usize,
    pub(super) at_most: Option<f64>,
    pub(super) times_raw: Option<f64>,
}

const fn at_most(limit: f64) -> Option<Target> {
    Some(Target { column: 0, at_most: Some(limit), times_raw: None })
}

const fn times_raw(limit: f64) -> Option<Target> {
    Some(Target { column: 0, at_most: None, times_raw: Some(limit) })
}

const fn either(limit: f64, times: f64) -> Option<Target> {
    Some(Target { column: 0, at_most: Some(limit), times_raw: Some(times) })
}

/// How thoroughly to measure.
pub(super) struct Effort {
    pub(super) rounds: usize,
    seconds: &'static str,
    warmup: &'static str,
    idle_sessions: &'static str,
    /// Gateways on Node and Python are slow to get going, and some start a process a session.
    gateway_warmup: &'static str,
    gateway_sessions: &'static str,
    /// Instructions are counted with so many calls and six times as many.
    few_small_calls: usize,
    few_large_calls: usize,
    /// Stores with so many memories are searched, ascending.
    memories: &'static [usize],
    /// With so many of them also through the binary.
    memories_through_binary: usize,
    questions: usize,
    tasks: usize,
    /// Seconds after which a server is at rest.
    rest: &'static str,
}

pub(super) const FULL: Effort = Effort {
    rounds: 5,
    seconds: "0.6",
    warmup: "0.2",
    idle_sessions: "500",
    gateway_warmup: "1",
    gateway_sessions: "50",
    few_small_calls: 200,
    few_large_calls: 20,
    memories: &[100, 1_000, 10_000, 100_000],
    memories_through_binary: 10_000,
    questions: 200,
    tasks: 1_000,
    rest: "2",
};

pub(super) const QUICK: Effort = Effort {
    rounds: 1,
    seconds: "0.15",
    warmup: "0.05",
    idle_sessions: "100",
    gateway_warmup: "0.1",
    gateway_sessions: "10",
    few_small_calls: 50,
    few_large_calls: 4,
    memories: &[100, 1_000],
    memories_through_binary: 1_000,
    questions: 20,
    tasks: 100,
    rest: "0.5",
};

/// All jobs of these kinds, in the order in which they are run and shown.
pub(super) fn jobs(kinds: &[Kind], effort: &Effort) -> Vec<Job> {
    kinds.iter().flat_map(|kind| jobs_of(*kind, effort)).collect()
}

fn jobs_of(kind: Kind, effort: &Effort) -> Vec<Job> {
    match kind {
        Kind::Stdio => load(kind, Transport::Stdio, "stdio", "depth", effort),
        Kind::Http => load(kind, Transport::Http, "http --era legacy", "sessions", effort),
        Kind::Stateless => load(kind, Transport::Http, "http --era stateless", "callers", effort),
        Kind::Idle => vec![Job {
            kind,
            case: format!("{} sessions", effort.idle_sessions),
            transport: Transport::Http,
            work: Work::Report(words(&format!("idle --sessions {}", effort.idle_sessions))),
            target: at_most(24.0),
            other: None,
        }],
        Kind::Startup => {
            let job = |transport, over: &str, target| Job {
                kind,
                case: over.to_owned(),
                transport,
                work: Work::Report(words(&format!("startup --over {over}"))),
                target,
                other: None,
            };
            vec![job(Transport::Stdio, "stdio", at_most(10.0)), job(Transport::Http, "http", None)]
        }
        Kind::Instructions => instructions(effort),
        Kind::Gateway => gateway(effort),
        Kind::GatewayIdle => vec![Job {
            kind,
            case: format!("{} sessions", effort.gateway_sessions),
            transport: Transport::Gateway(Era::Legacy, 0),
            work: Work::Report(words(&format!("idle --sessions {}", effort.gateway_sessions))),
            target: at_most(32.0),
            other: None,
        }],
        Kind::GatewayCatalogue => vec![Job {
            kind,
            case: format!("{UPSTREAMS} upstreams × {TOOLS_EACH} tools"),
            transport: Transport::Upstreams,
            work: Work::Twice(words(&format!("catalogue --tools {}", UPSTREAMS * TOOLS_EACH))),
            target: None,
            other: None,
        }],
        Kind::MemoryCapture => builtins::capture(effort),
        Kind::MemoryRecall => builtins::recall(effort),
        Kind::TasksClaim => builtins::claim(effort),
        Kind::MemoryIdle => builtins::idle(effort),
    }
}

fn gateway(effort: &Effort) -> Vec<Job> {
    let Effort { seconds, gateway_warmup: warmup, .. } = effort;
    let added = Some(Target { column: ADDED, at_most: Some(60.0), times_raw: None });
    let mut jobs = Vec::new();
    for (era, mode) in [(Era::Legacy, "legacy"), (Era::Stateless, "stateless")] {
        for (payload, size, parallel, target) in [
            (SMALL, "64 B", 1, added),
            (SMALL, "64 B", 16, times_raw(4.0)),
            (LARGE, "100 KiB", 1, None),
            (LARGE, "100 KiB", 16, times_raw(1.5)),
        ] {
            let arguments = format!(
                "http --era {mode} --tool {{TOOL}} --payload {payload} --parallel {parallel} \
                 --seconds {seconds} --warmup {warmup}"
            );
            jobs.push(Job {
                kind: Kind::Gateway,
                case: format!("{mode}, {size}, callers {parallel}"),
                transport: Transport::Gateway(era, payload),
                work: Work::Report(words(&arguments)),
                target,
                other: None,
            });
        }
    }
    jobs
}

fn load(
    kind: Kind,
    transport: Transport,
    mode: &str,
    parallel_name: &str,
    effort: &Effort,
) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (payload, size) in [(SMALL, "64 B"), (MEDIUM, "1 KiB"), (LARGE, "100 KiB")] {
        for parallel in [1, 16] {
            let busy_http = transport == Transport::Http && payload == SMALL && parallel == 16;
            let Effort { seconds, warmup, .. } = effort;
            let arguments = format!(
                "{mode} --payload {payload} --parallel {parallel} --seconds {seconds} --warmup {warmup}"
            );
            jobs.push(Job {
                kind,
                case: format!("{size}, {parallel_name} {parallel}"),
                transport,
                work: Work::Report(words(&arguments)),
                target: if busy_http { times_raw(1.6) } else { None },
                other: None,
            });
        }
    }
    jobs
}

fn instructions(effort: &Effort) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (name, transport, mode, small_target) in [
        ("stdio", Transport::Stdio, "stdio", either(16_000.0, 2.0)),
        ("http", Transport::Http, "http --era legacy", either(50_000.0, 1.5)),
        ("stateless", Transport::Http, "http --era stateless", either(50_000.0, 1.5)),
    ] {
        for (payload, size, few, target) in [
            (SMALL, "64 B", effort.few_small_calls, small_target),
            (LARGE, "100 KiB", effort.few_large_calls, times_raw(1.1)),
        ] {
            let arguments = words(&format!("{mode} --payload {payload}"));
            jobs.push(Job {
                kind: Kind::Instructions,
                case: format!("{name}, {size}"),
                transport,
                work: Work::Instructions { arguments, few, many: 6 * few },
                target,
                other: None,
            });
        }
    }
    jobs
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
