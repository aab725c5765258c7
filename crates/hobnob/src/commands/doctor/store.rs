//! Whether what is stored can be trusted. Nothing is changed by looking.

use super::finding::{Finding, Verdict};
use crate::services::embedder;
use hobnob_config::{Places, Settings};
use hobnob_store::sqlite::{Health, check};

/// What was found in the file of memories and tasks.
pub(super) fn store(places: &Places) -> Vec<Finding> {
    let file = places.store();
    let shown = file.display();
    match check(&file) {
        Health::Absent => {
            vec![Finding::new("store", Verdict::Note, format!("{shown}: nothing is stored yet"))]
        }
        Health::Sound => vec![Finding::new("store", Verdict::Ok, format!("{shown}: sound"))],
        Health::Problems(problems) => problems
            .into_iter()
            .map(|problem| {
                let hint =
                    "keep the file, and put a backup in its place: hobnob restore --force FILE";
                Finding::new("store", Verdict::Broken, format!("{shown}: {problem}")).hint(hint)
            })
            .collect(),
    }
}

/// Whether memories can be found by their meaning as the user set it.
pub(super) fn embeddings(places: &Places, settings: &Settings) -> Finding {
    match embedder(places, &settings.embeddings) {
        Ok(Some(model)) => Finding::new("embeddings", Verdict::Ok, model.model().to_string()),
        Ok(None) => {
            let message = "no model: memories are found by text alone";
            let hint = "hobnob embeddings install --from FILE";
            Finding::new("embeddings", Verdict::Note, message).hint(hint)
        }
        Err(error) => {
            let message = format!("{error:#}; memories are found by text alone");
            Finding::new("embeddings", Verdict::Warning, message)
        }
    }
}
