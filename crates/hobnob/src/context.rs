//! The global options, which `main` parses once and hands to every command.
//!
//! It is a layer below the command line and the commands, and imports neither.

use clap::Args;
use hobnob_config::{Overrides, Places};
use hobnob_terminal::render::Output;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The heading of the help under which the options of every command stand.
pub(crate) const GLOBAL: &str = "Options of all commands";

/// The global options of one invocation.
#[derive(Debug, Clone)]
pub(crate) struct CommandContext {
    pub(crate) places: PlaceArgs,
    pub(crate) output: Output,
}

/// Command-line options, and environment variables with their values.
pub(crate) type StartWords = (Vec<String>, Vec<(String, String)>);

/// Options that choose the project and the folders of settings and data.
#[derive(Debug, Args, Clone, Default)]
pub(crate) struct PlaceArgs {
    /// Use the .mcp.json of this project instead of the current folder's.
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) project: Option<PathBuf>,

    /// Read settings from this folder instead of the default one.
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) config_dir: Option<PathBuf>,

    /// Store memories, tasks and trees in this folder instead of the default one.
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) data_dir: Option<PathBuf>,
}

impl PlaceArgs {
    /// The paths that these options and the environment lead to.
    pub(crate) fn detect(&self) -> anyhow::Result<Places> {
        let overrides = Overrides {
            config_dir: self.config_dir.clone(),
            data_dir: self.data_dir.clone(),
            project: self.project.clone(),
        };
        Ok(Places::detect(&overrides)?)
    }

    /// These options as they were typed, for another process of this program in the same folder.
    pub(crate) fn typed(&self) -> Vec<OsString> {
        let given = [
            ("--project", &self.project),
            ("--config-dir", &self.config_dir),
            ("--data-dir", &self.data_dir),
        ];
        let typed = |(option, path): (&str, &Option<PathBuf>)| {
            path.as_ref().map(|path| [OsString::from(option), path.clone().into()])
        };
        given.into_iter().filter_map(typed).flatten().collect()
    }

    /// The options and the environment variables with which a later start of Hobnob finds the same
    /// folders; `text` writes a path down.
    pub(crate) fn restated(
        &self,
        places: &Places,
        text: impl Fn(&Path) -> anyhow::Result<String>,
    ) -> anyhow::Result<StartWords> {
        let given = [
            ("--config-dir", &self.config_dir, &places.config_dir),
            ("--data-dir", &self.data_dir, &places.data_dir),
        ];
        let (mut args, mut env) = (Vec::new(), Vec::new());
        for (option, typed, folder) in given {
            if typed.is_some() {
                args.extend([option.to_owned(), text(folder)?]);
            }
        }
        if let Some(home) = std::env::var_os("HOBNOB_HOME").filter(|it| !it.is_empty()) {
            env.push(("HOBNOB_HOME".to_owned(), text(&std::path::absolute(home)?)?));
        }
        Ok((args, env))
    }
}
