//! What an import would do, computed before anything is written, so that it can be shown.
//!
//! `hobnob import` shows the steps, asks, and carries them out. An existing server is never
//! replaced unless the user decides so.

use serde_json::{Map, Value};

use super::source::Imported;
use crate::entry::check_entry;
use crate::json::parse_strict;
use crate::name::ServerName;
use crate::spec::written_digest;

/// One step of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanStep {
    /// The server is new.
    Add {
        /// The name it has in the other client.
        name: ServerName,
        /// The entry to write, with variables in our notation.
        entry: Value,
        /// What the user has to know or do.
        notes: Vec<String>,
    },
    /// The server exists already, and starts or reaches the same.
    Same {
        /// The name of both.
        name: ServerName,
    },
    /// Another server has its name; nothing happens unless a person decides.
    Conflict {
        /// The name of both.
        name: ServerName,
        /// The entry that exists already.
        existing: Value,
        /// The entry to import.
        imported: Value,
        /// What the user has to know or do.
        notes: Vec<String>,
    },
    /// The server cannot be imported.
    Refused {
        /// Its name as the other client has it.
        name: String,
        /// The reason, for people.
        why: String,
    },
}

/// Compares imported servers with the existing ones. Of two with one name, the first gets it.
pub fn plan(existing: &Map<String, Value>, imported: &[Imported]) -> Vec<PlanStep> {
    let mut here = existing.clone();
    imported.iter().map(|it| step(&mut here, it)).collect()
}

fn step(here: &mut Map<String, Value>, imported: &Imported) -> PlanStep {
    let refused = |why: String| PlanStep::Refused { name: imported.name.clone(), why };
    let name = match ServerName::parse(&imported.name) {
        Ok(name) => name,
        Err(bad) => return refused(bad.to_string()),
    };
    let entry = match parse_strict(&imported.entry) {
        Ok(entry) => entry,
        Err(error) => return refused(error.to_string()),
    };
    if let Err(problem) = check_entry(&name, &entry) {
        return refused(problem.to_string());
    }
    let notes = imported.notes.clone();
    match here.get(name.as_str()) {
        None => {
            here.insert(name.as_str().into(), entry.clone());
            PlanStep::Add { name, entry, notes }
        }
        Some(existing) if written_digest(existing) == written_digest(&entry) => {
            PlanStep::Same { name }
        }
        Some(existing) => {
            PlanStep::Conflict { name, existing: existing.clone(), imported: entry, notes }
        }
    }
}
