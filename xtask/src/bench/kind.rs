//! The description of a kind of measurement, which is one table of the benchmark.
//!
//! `kinds` has all of them. The code that runs, prints or records measurements takes the
//! differences between kinds from here.

use super::case::Case;
use super::effort::Effort;

/// A family of measurements, shown as one table.
pub(super) struct Kind {
    /// The name on the command line and on the page of figures.
    pub(super) name: &'static str,
    /// The text that follows the name above the table.
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
    /// Gateways in front of the bare loop; the bare loop alone; the bare proxy.
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
    /// Only in the first round: more rounds would show the same.
    First,
    /// Only in the first round, and only with valgrind.
    FirstCounted,
}

/// One figure of a table.
pub(super) struct Column {
    pub(super) heading: &'static str,
    /// Its name in the report of the load generator.
    pub(super) figure: &'static str,
    /// The factor for the reported number.
    pub(super) scale: f64,
    pub(super) shown: Shown,
}

/// Which form of a figure is shown. The names are servers; the first one that has the case counts.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    Itself,
    /// The difference to another server's figure.
    Added(&'static [&'static str]),
    /// The ratio to another server's figure.
    Times(&'static [&'static str]),
}

/// The bare loop that servers are compared with.
pub(super) const RAW: &str = "raw";
/// The bare proxy that gateways are compared with.
pub(super) const PROXY: &str = "raw proxy";
/// The only server with targets.
pub(super) const OURS: &str = "ours";
/// Programs that do by themselves what a service does; no two of them share a case.
pub(super) const BESIDE: [&str; 3] = ["fork and exec", "rg", "fd"];

/// The only figure that the load generator does not report.
pub(super) const PER_CALL: &str = "instructions_per_call";

impl Column {
    pub(super) const fn new(heading: &'static str, figure: &'static str) -> Self {
        Self { heading, figure, scale: 1.0, shown: Shown::Itself }
    }

    /// A column in mebibytes for a figure in kibibytes.
    pub(super) const fn mebibytes(heading: &'static str, figure: &'static str) -> Self {
        Self { scale: 1.0 / 1024.0, ..Self::new(heading, figure) }
    }

    /// A column in milliseconds for a figure in microseconds.
    pub(super) const fn milliseconds(heading: &'static str, figure: &'static str) -> Self {
        Self { scale: 1e-3, ..Self::new(heading, figure) }
    }

    pub(super) const fn times_raw(figure: &'static str) -> Self {
        Self { shown: Shown::Times(&[RAW]), ..Self::new("× raw", figure) }
    }
}

/// Resident memory, which most tables show.
pub(super) const RESIDENT: Column = Column::mebibytes("RSS MiB", "rss_kib");
