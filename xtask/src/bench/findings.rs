//! What a run found out, for `table` to show.

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

/// Why a server has no figures for a case, or for any.
pub(super) struct Failure {
    pub(super) server: String,
    pub(super) case: String,
    pub(super) reason: String,
}

/// What a run measured, and what it could not.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) samples: Vec<Sample>,
    pub(super) failures: Vec<Failure>,
}
