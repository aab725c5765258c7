//! The description of a kind of measurement: one table of the benchmark.
//!
//! `kinds` has all of them. Whoever runs, prints or records measurements reads what differs between
//! kinds from here.

use super::case::Case;
use super::effort::Effort;

/// A family of measurements, shown as one table.
pub(super) struct Kind {
    /// As the command line and the page of figures name it.
    pub(super) name: &'static str,
    /// What follows the name above its table.
    pub(super) title: &'static str,
    pub(super) group: Group,
    pub(super) rounds: Rounds,
    pub(super) columns: &'static [Column],
    pub(super) cases: fn(&Effort) -> Vec<Case>,
}

impl Kind {
    pub(super) fn heading(&self) -> String {
        format!("{}: {}", self.name, self.title)
    }

    pub(super) fn is(&self, other: &Kind) -> bool {
        self.name == other.name
    }
}

/// The programs that are compared with each other.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Group {
    /// Servers with an echo tool: the bare loop, rmcp, ours.
    Servers,
    /// Gateways with the bare loop behind them; the bare loop alone; the bare proxy.
    Gateways,
    /// Our binary with its built-in services.
    Hub,
    /// Services that act on the machine, and programs that do the same.
    Machine,
    /// Events of the native RPC, and a bare loop that writes to a WebSocket.
    Streams,
}

impl Group {
    pub(super) const ALL: [Self; 5] =
        [Self::Servers, Self::Gateways, Self::Hub, Self::Machine, Self::Streams];
}

/// How often a kind is measured.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rounds {
    /// In every round: the figures are times.
    Every,
    /// One round tells as much as several.
    First,
    /// The same, and valgrind is needed for it.
    FirstCounted,
}

/// One figure of a table.
pub(super) struct Column {
    pub(super) heading: &'static str,
    /// Its name in the report of the load generator.
    pub(super) figure: &'static str,
    /// What the reported number is multiplied with.
    pub(super) scale: f64,
    pub(super) shown: Shown,
}

/// What of a figure is shown. The names are those of servers; the first that has the case counts.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    Itself,
    /// How much more it is than another server's.
    Added(&'static [&'static str]),
    /// How many times another server's.
    Times(&'static [&'static str]),
}

/// The bare loop that servers are compared with.
pub(super) const RAW: &str = "raw";
/// The bare proxy that gateways are compared with.
pub(super) const PROXY: &str = "raw proxy";
/// The only server that is held to targets.
pub(super) const OURS: &str = "ours";
/// Programs that do by themselves what a service does; no two of them have a case in common.
pub(super) const BESIDE: [&str; 3] = ["fork and exec", "rg", "fd"];

/// The one figure that the load generator does not report.
pub(super) const PER_CALL: &str = "instructions_per_call";

impl Column {
    pub(super) const fn new(heading: &'static str, figure: &'static str) -> Self {
        Self { heading, figure, scale: 1.0, shown: Shown::Itself }
    }

    /// In mebibytes, of a figure in kibibytes.
    pub(super) const fn mebibytes(heading: &'static str, figure: &'static str) -> Self {
        Self { scale: 1.0 / 1024.0, ..Self::new(heading, figure) }
    }

    /// In milliseconds, of a figure in microseconds.
    pub(super) const fn milliseconds(heading: &'static str, figure: &'static str) -> Self {
        Self { scale: 1e-3, ..Self::new(heading, figure) }
    }

    pub(super) const fn times_raw(figure: &'static str) -> Self {
        Self { shown: Shown::Times(&[RAW]), ..Self::new("× raw", figure) }
    }
}

/// Resident memory, which most tables have.
pub(super) const RESIDENT: Column = Column::mebibytes("RSS MiB", "rss_kib");
