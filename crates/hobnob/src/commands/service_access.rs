//! Writes into the file of grants what a service of the machine (files, shell, logs, registry, agents) may
//! do, for `enable`, `disable` and the first chat in a folder. The audit log records it.
//!
//! What must stay true: grants stay as they are, so that a service that is enabled again has them.

use super::granting::{GrantEvent, change_grants};
use crate::context::CommandContext;
use hobnob_config::{GrantChange, Places};
use hobnob_hub::grants::understand;
use hobnob_policy::{MachineService, ServiceAccess};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Serialize)]
struct AccessSet {
    service: &'static str,
    access: &'static str,
    /// How many grants it has.
    grants: usize,
    file: PathBuf,
}

/// Writes the access of a service, and prints nothing.
pub(super) fn write_access(
    service: MachineService,
    access: ServiceAccess,
    places: &Places,
) -> anyhow::Result<GrantChange> {
    let (name, word) = (service.as_str(), access.as_str());
    change_grants(
        places,
        GrantEvent::Access,
        |_| vec![format!("{name} {word}")],
        |entries| {
            // The row may have the name that an earlier version gave the service.
            entries.services.retain(|it, _| MachineService::parse(it) != Some(service));
            if access != ServiceAccess::Disabled {
                entries.services.insert(name.to_owned(), word.to_owned());
            }
        },
    )
}

pub(super) fn set_access(
    service: MachineService,
    access: ServiceAccess,
    places: &Places,
    context: &CommandContext,
) -> anyhow::Result<()> {
    let (name, word) = (service.as_str(), access.as_str());
    let changed = write_access(service, access, places)?;
    let grants = understand(&changed.after)?.texts(service).len();
    let file = places.grants();
    match context.output {
        Output::Json => render::json(&AccessSet { service: name, access: word, grants, file })?,
        Output::People => render::line(&format!("the service {name} is {word}"))?,
    }
    if grants == 0 && access != ServiceAccess::Disabled {
        let example = match service {
            MachineService::Files => "hobnob grant files FOLDER",
            MachineService::Shell => "hobnob grant shell --in FOLDER -- PROGRAM WORDS",
            MachineService::Logs => "hobnob grant logs LOG",
            MachineService::Registry => "hobnob grant registry KEY",
            MachineService::Agents => "hobnob grant claudecode claude --in FOLDER",
        };
        render::note(&format!("nothing is granted to it yet; grant something with: {example}"));
    }
    Ok(())
}
