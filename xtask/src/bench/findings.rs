//! What a run found out, as `--json` writes it and `table` shows it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::plan::Kind;

/// The figures of one measurement, by name.
pub(super) type Figures = BTreeMap<String, f64>;

/// The figures of one server in one case and round.
#[derive(Serialize)]
pub(super) struct Sample {
    pub(super) kind: Kind,
    pub(super) case: String,
    pub(super) server: String,
    pub(super) round: usize,
    pub(super) figures: Figures,
}

/// Why a server has no figures for a case, or for any.
#[derive(Serialize)]
pub(super) struct Failure {
    pub(super) server: String,
    pub(super) case: String,
    pub(super) reason: String,
}

/// What a run measured, and what it could not.
#[derive(Default, Serialize)]
pub(super) struct Findings {
    pub(super) samples: Vec<Sample>,
    pub(super) failures: Vec<Failure>,
}
