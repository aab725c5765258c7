//! The results of a run, for `table` to print.

use std::collections::BTreeMap;

/// The figures of one measurement, by name.
pub(super) type Figures = BTreeMap<String, f64>;

/// The figures of one server in one case and round.
pub(super) struct Sample {
    /// The name of the kind.
    pub(super) kind: &'static str,
    pub(super) case: String,
    pub(super) server: String,
    pub(super) round: usize,
    pub(super) figures: Figures,
}

/// Why a server has no figures for a case, or no figures at all.
pub(super) struct Failure {
    pub(super) server: String,
    pub(super) case: String,
    pub(super) reason: String,
}

/// What a run measured, and what failed.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) samples: Vec<Sample>,
    pub(super) failures: Vec<Failure>,
}
