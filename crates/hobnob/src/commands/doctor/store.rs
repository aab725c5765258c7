//! Checks of the store and of the embedding model. `doctor` runs them.
//!
//! What must stay true: they change nothing.

use hobnob_config::{Places, Settings, StoreLocation};
use hobnob_hub::finding::{CheckFinding, Verdict};
use hobnob_hub::services::embedder;
use hobnob_hub::store::store_maintenance;
use hobnob_store::maintenance::StoreHealth;

/// Whether the file with memories, tasks and trees is intact, or their database can be used.
pub(super) fn store(places: &Places) -> Vec<CheckFinding> {
    let maintenance = store_maintenance(places);
    let shown = maintenance.location();
    match maintenance.check() {
        StoreHealth::Absent => {
            vec![CheckFinding::new("store", Verdict::Note, format!("{shown} does not exist yet"))]
        }
        StoreHealth::Sound => {
            vec![CheckFinding::new("store", Verdict::Ok, format!("{shown} is intact"))]
        }
        StoreHealth::Problems(problems) => problems
            .into_iter()
            .map(|problem| {
                let found =
                    CheckFinding::new("store", Verdict::Broken, format!("{shown}: {problem}"));
                match StoreLocation::find(places) {
                    // The problem itself says what to do.
                    Ok(StoreLocation::Database(_)) => found,
                    Ok(StoreLocation::File(_)) | Err(_) => found
                        .hint("keep the file, and restore a backup: hobnob restore --force FILE"),
                }
            })
            .collect(),
    }
}

/// Whether the configured embedding model can be used.
pub(super) fn embeddings(places: &Places, settings: &Settings) -> CheckFinding {
    match embedder(places, &settings.embeddings) {
        Ok(Some(model)) => CheckFinding::new("embeddings", Verdict::Ok, model.model().to_string()),
        Ok(None) => {
            let message = "no model is installed; memories are found by text only";
            let hint = "hobnob embeddings install";
            CheckFinding::new("embeddings", Verdict::Note, message).hint(hint)
        }
        Err(error) => {
            let message = format!("{error:#}; memories are found by text only");
            CheckFinding::new("embeddings", Verdict::Warning, message)
        }
    }
}
