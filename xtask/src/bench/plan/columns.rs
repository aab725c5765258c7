//! The columns of each kind's table: which figures are shown, and how they are scaled.
//!
//! A target names a column by its place, so the places that targets name have constants here.

use super::kind::Kind;

/// One figure of a table.
pub(in crate::bench) struct Column {
    pub(in crate::bench) heading: &'static str,
    /// Its name in what the load generator reports.
    pub(in crate::bench) figure: &'static str,
    /// What the reported number is multiplied with.
    pub(in crate::bench) scale: f64,
    pub(in crate::bench) shown: Shown,
}

/// What of a figure is shown.
#[derive(PartialEq)]
pub(in crate::bench) enum Shown {
    Itself,
    /// What it is more than the bare loop's.
    AddedToRaw,
    /// How many times the bare proxy's.
    TimesProxy,
    /// How many times as much as in the case that a job is compared with.
    TimesOther,
    /// How many times as much as the program that does the same by itself.
    TimesBeside,
}

pub(super) const fn column(heading: &'static str, figure: &'static str) -> Column {
    Column { heading, figure, scale: 1.0, shown: Shown::Itself }
}

pub(super) const fn mebibytes(heading: &'static str, figure: &'static str) -> Column {
    Column { heading, figure, scale: 1.0 / 1024.0, shown: Shown::Itself }
}

/// The one figure that is worked out here and not by the load generator.
pub(in crate::bench) const PER_CALL: &str = "instructions_per_call";

/// The speed of a program by its processor time, and the same the other way round, which has a limit.
pub(in crate::bench) const MEGABYTES_PER_SECOND: &str = "megabytes_per_second";
pub(in crate::bench) const MILLISECONDS_EACH: &str = "milliseconds_per_megabyte";

/// The first column is the one that is compared with the bare loop and held to a target.
pub(in crate::bench) fn columns(kind: Kind) -> &'static [Column] {
    match kind {
        Kind::Stdio | Kind::Http | Kind::Stateless => LOAD,
        Kind::Idle => IDLE,
        Kind::Startup => STARTUP,
        Kind::Instructions | Kind::Tokens => INSTRUCTIONS,
        Kind::Gateway => GATEWAY,
        Kind::GatewayIdle | Kind::Principals => IDLE,
        Kind::GatewayInstructions => GATEWAY_INSTRUCTIONS,
        Kind::GatewayCatalogue => CATALOGUE,
        Kind::Chat => CHAT,
        Kind::MemoryCapture => CAPTURE,
        Kind::MemoryRecall => RECALL,
        Kind::TasksClaim => CLAIM,
        Kind::MemoryIdle => STARTUP,
        Kind::ShellRun | Kind::FilesSearch => BESIDE,
        Kind::LogsQuery | Kind::Sysmcp => ANSWERS,
        Kind::Anonymise => SPEED,
        Kind::Streams => STREAMS,
        Kind::StreamsInstructions => STREAMS_INSTRUCTIONS,
        Kind::Trees => TREES,
        Kind::Build => BUILD,
    }
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
const fn times_proxy(figure: &'static str) -> Column {
    Column { heading: "× proxy", figure, scale: 1.0, shown: Shown::TimesProxy }
}

const GATEWAY: &[Column] = &[
    column("CPU µs/call", "cpu_us_per_call"),
    times_proxy("cpu_us_per_call"),
    Column { heading: "added p50 µs", figure: "p50_us", scale: 1.0, shown: Shown::AddedToRaw },
    column("calls/s", "calls_per_second"),
    column("p50 µs", "p50_us"),
    column("p99 µs", "p99_us"),
    MEMORY,
];
const GATEWAY_INSTRUCTIONS: &[Column] =
    &[column("instructions/call", PER_CALL), times_proxy(PER_CALL)];
/// Where the ratio to the bare proxy is among the columns of a gateway.
pub(super) const TIMES_PROXY: usize = 1;
/// Where the added latency is among them.
pub(super) const ADDED: usize = 2;
const CATALOGUE: &[Column] = &[
    column("cold: all tools ms", "cold_whole_list_ms"),
    column("cold: first answer ms", "cold_first_list_ms"),
    column("cached: first answer ms", "cached_first_list_ms"),
    column("cached: all tools ms", "cached_whole_list_ms"),
    mebibytes("PSS MiB of all", "cold_pss_kib"),
    mebibytes("of the gateway", "cold_own_pss_kib"),
    mebibytes("of the servers", "cold_upstreams_pss_kib"),
    column("processes between", "cold_between"),
    mebibytes("MiB of each", "cold_between_pss_kib_each"),
];
/// Where the memory of one supervisor is among the columns of a catalogue.
pub(super) const SUPERVISOR: usize = 8;
const CHAT: &[Column] = &[
    column("start to prompt ms", "cached_prompt_ms"),
    milliseconds("first word p50 ms", "cached_first_word_p50_us"),
    milliseconds("first word p99 ms", "cached_first_word_p99_us"),
    mebibytes("RSS MiB after 50 turns", "cached_early_kib"),
    mebibytes("RSS MiB after all", "cached_rss_kib"),
    column("first start ms", "cold_prompt_ms"),
];
/// Where the time to the first word of an answer is among the columns of a chat.
pub(super) const FIRST_WORD: usize = 1;
/// Where resident memory is among the columns of a start.
pub(super) const RESIDENT: usize = 1;

const fn milliseconds(heading: &'static str, figure: &'static str) -> Column {
    Column { heading, figure, scale: 1e-3, shown: Shown::Itself }
}

const CAPTURE: &[Column] = &[
    column("calls/s", "calls_per_second"),
    Column {
        heading: "× 1 client",
        figure: "calls_per_second",
        scale: 1.0,
        shown: Shown::TimesOther,
    },
    column("fsync µs", "fsync_us"),
    column("calls/fsync", "calls_per_fsync"),
    column("p50 µs", "p50_us"),
    column("p99 µs", "p99_us"),
    column("CPU µs/call", "cpu_us_per_call"),
    MEMORY,
];
const CLAIM: &[Column] = &[
    column("claims/s", "calls_per_second"),
    column("fsync µs", "fsync_us"),
    column("claims/fsync", "calls_per_fsync"),
    column("p50 µs", "p50_us"),
    column("p99 µs", "p99_us"),
    column("CPU µs/claim", "cpu_us_per_call"),
    MEMORY,
];
const RECALL: &[Column] = &[
    milliseconds("p50 ms", "p50_us"),
    Column { heading: "× a tenth", figure: "p50_us", scale: 1.0, shown: Shown::TimesOther },
    milliseconds("p90 ms", "p90_us"),
    milliseconds("CPU p50 ms", "cpu_p50_us"),
    milliseconds("CPU p90 ms", "cpu_p90_us"),
    milliseconds("CPU ms/call", "cpu_us_per_call"),
    mebibytes("RSS MiB before", "rss_before_kib"),
    mebibytes("RSS MiB after", "rss_kib"),
];
const BESIDE: &[Column] = &[
    milliseconds("p50 ms", "p50_us"),
    Column { heading: "× beside", figure: "p50_us", scale: 1.0, shown: Shown::TimesBeside },
    milliseconds("p90 ms", "p90_us"),
    milliseconds("CPU ms/call", "cpu_us_per_call"),
    MEMORY,
];
/// Where the ratio to the program beside it is among them.
pub(super) const TIMES_BESIDE: usize = 1;
const ANSWERS: &[Column] = &[
    milliseconds("p50 ms", "p50_us"),
    milliseconds("p99 ms", "p99_us"),
    milliseconds("CPU ms/call", "cpu_us_per_call"),
    MEMORY,
];
const SPEED: &[Column] =
    &[column("ms per MB", MILLISECONDS_EACH), column("MB/s", MEGABYTES_PER_SECOND)];
const STREAMS: &[Column] = &[
    column("CPU µs/event", "cpu_us_per_event"),
    column("events/s", "events_per_second"),
    column("arrival p50 µs", "arrival_p50_us"),
    column("arrival p99 µs", "arrival_p99_us"),
    MEMORY,
    mebibytes("before", "rss_before_kib"),
    column("streams slowed", "slowed"),
    column("streams cut", "cut"),
];
/// Where the time from emitting an event to its arrival is among them.
pub(super) const ARRIVAL: usize = 2;
const STREAMS_INSTRUCTIONS: &[Column] = &[column("instructions/event", PER_CALL)];
const TREES: &[Column] = &[
    column("path, a page ms", "path_page_ms"),
    column("drawing, a part ms", "render_part_ms"),
    column("whole path ms", "path_whole_ms"),
    column("whole skeleton ms", "skeleton_whole_ms"),
    column("whole drawing ms", "render_whole_ms"),
    column("append ms", "append_one_ms"),
];
/// Where a part and the whole of a drawing are among them.
pub(super) const PART_OF_DRAWING: usize = 1;
pub(super) const WHOLE_DRAWING: usize = 4;
const BUILD: &[Column] = &[
    column("CPU minutes", "cpu_minutes"),
    column("minutes", "minutes"),
    column("MB of the program", "megabytes"),
];
