//! `hobnob grant`: lets the services of the machine do one more thing, or gives a principal a role
//! in the memories that principals share. `main` runs it.
//!
//! What must stay true: a row that Hobnob cannot understand is never written, since it would void
//! all other rows of the file.

mod args;
mod folder;
mod program;
mod row;
mod warnings;

pub(crate) use args::GrantArgs;
pub(super) use args::{GrantedCommandArgs, KeyViewName};
pub(super) use program::shown_program;
pub(super) use row::GrantRow;

use super::granting::{GrantEvent, change_grants};
use crate::context::CommandContext;
use folder::{FolderAccess, FolderUse};
use hobnob_config::Places;
use hobnob_hub::grants::understand;
use hobnob_policy::{MachineService, ServiceAccess};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Whether commands may be granted a folder: it is no folder of ours, and not too much.
pub(super) fn can_be_granted(folder: &Path, places: &Places) -> bool {
    folder::folder(folder, FolderAccess::Write, FolderUse::Program, places).is_ok()
}

#[derive(Debug, Serialize)]
struct Granted {
    service: &'static str,
    /// The grant in one line.
    grant: String,
    /// `added`, `replaced` or `unchanged`.
    change: &'static str,
    /// The access of the service; `None` for memory, which needs no enabling.
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<&'static str>,
    file: PathBuf,
}

pub(crate) fn run(args: GrantArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let row = row::row(args.what, &places)?;
    let service = row.machine_service();
    let text = row.text().map_err(|problem| Ended::usage(problem.problem()))?;
    let mut change = "added";
    let changed = change_grants(
        &places,
        GrantEvent::Grant,
        |_| vec![text.clone()],
        |entries| change = row.put_into(entries),
    )?;
    for warning in warnings::warnings(&row, &changed.after) {
        render::warn(&warning);
    }
    let understood = understand(&changed.after)?;
    let access = service.map(|service| (service, understood.access(service)));
    let granted = Granted {
        service: service.map_or("memory", MachineService::as_str),
        grant: text.to_string(),
        change,
        access: access.map(|(_, access)| access.as_str()),
        file: places.grants(),
    };
    match context.output {
        Output::Json => render::json(&granted)?,
        Output::People => {
            let word = match granted.change {
                "unchanged" => "granted already",
                _ => "granted",
            };
            render::line(&format!("{word}: {text}"))?;
        }
    }
    let Some((service, access)) = access else { return Ok(()) };
    let service = service.as_str();
    match access {
        ServiceAccess::Disabled => render::note(&format!(
            "the service `{service}` is disabled; switch it on with: hobnob enable {service}"
        )),
        ServiceAccess::ReadOnly if row.changes_things() => render::note(&format!(
            "the service `{service}` is read-only; let it change things with: \
             hobnob enable {service}"
        )),
        ServiceAccess::ReadOnly | ServiceAccess::ReadWrite => {}
    }
    Ok(())
}
