//! The command line by which a client starts this Hobnob, with the folders that `connect` uses.
//!
//! `connect` writes it into the client's file.

use super::args::ConnectScope;
use crate::context::CommandContext;
use hobnob_config::Places;
use hobnob_hub::server_entries::own_executable;
use std::path::{Path, PathBuf};

/// A command line and its environment variables.
pub(super) struct StartCommand {
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
}

impl StartCommand {
    /// In a file of this user, the program has its full path, because desktop applications often
    /// have another `PATH`. In a project's file, which other people get too, it has only its name.
    pub(super) fn new(
        scope: ConnectScope,
        context: &CommandContext,
        places: &Places,
    ) -> anyhow::Result<Self> {
        let mut args = vec!["serve".to_owned()];
        if scope == ConnectScope::Project {
            return Ok(Self { program: "hobnob".into(), args, env: Vec::new() });
        }
        let (given, env) = context.places.restated(places, text)?;
        args.extend(given);
        Ok(Self { program: text(&program()?)?, args, env })
    }
}

/// The path by which people start Hobnob. A link in `PATH` comes first, since it outlives the
/// version that it points to.
fn program() -> anyhow::Result<PathBuf> {
    let own = own_executable()?;
    let real = own.canonicalize().unwrap_or_else(|_| own.clone());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = own.file_name().unwrap_or_default();
    let mut links = std::env::split_paths(&path).map(|folder| folder.join(name));
    let is_us = |link: &PathBuf| {
        link.is_absolute() && link.canonicalize().is_ok_and(|target| target == real)
    };
    Ok(links.find(is_us).unwrap_or(own))
}

fn text(path: &Path) -> anyhow::Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        anyhow::anyhow!("the path {} is not UTF-8 text, which the file needs", path.display())
    })
}
