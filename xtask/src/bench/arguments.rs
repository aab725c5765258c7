//! The command line of `cargo xtask bench`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use super::kind::Kind;
use super::kinds;

/// The arguments of `cargo xtask bench`.
#[derive(clap::Args)]
pub struct Args {
    /// One short round: shows that everything runs; its figures mean little.
    #[arg(long)]
    pub(super) quick: bool,
    /// Only servers whose name contains one of these parts, separated by `|`.
    #[arg(long, value_name = "PARTS", default_value = "")]
    pub(super) only: String,
    /// What to measure; by default everything.
    #[arg(long, value_parser = kind_parser(), value_delimiter = ',', value_name = "KIND,…")]
    pub(super) kinds: Vec<&'static Kind>,
    /// Another build of `hobnob`, such as the one before a change, to measure as a gateway and with
    /// its built-in services.
    #[arg(long = "hobnob", value_name = "NAME=PROGRAM", value_parser = name_and_program)]
    pub(super) other_builds: Vec<(String, PathBuf)>,
    /// How many rounds to run of everything that varies; medians are shown.
    #[arg(long)]
    pub(super) rounds: Option<usize>,
    /// Also write the tables to the page of figures, each in place of the last one of its kind.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quick", "only", "other_builds"])]
    pub(super) write: Option<PathBuf>,
    /// Only count instructions and compare them with their ceilings, as `cargo xtask ci` does, or
    /// make the current counts the ceilings for later runs.
    #[arg(long, value_enum, value_name = "ACTION", conflicts_with_all = ["quick", "kinds", "only", "rounds", "write"])]
    pub(super) ceilings: Option<CeilingsAction>,
}

/// What to do with the ceilings.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum CeilingsAction {
    Check,
    Update,
}

impl Args {
    /// Whether to measure a server of this name.
    pub(super) fn wants(&self, server: &str) -> bool {
        self.only.split('|').any(|part| server.contains(part))
    }
}

/// Parses the name of a kind, and lists all names in the help.
fn kind_parser() -> impl clap::builder::TypedValueParser<Value = &'static Kind> {
    let names = kinds::ALL.iter().map(|kind| kind.name);
    PossibleValuesParser::new(names).try_map(|name| {
        kinds::ALL.into_iter().find(|kind| kind.name == name).ok_or("this is no kind")
    })
}

fn name_and_program(argument: &str) -> Result<(String, PathBuf), String> {
    match argument.split_once('=') {
        Some((name, program)) if !name.is_empty() && !program.is_empty() => {
            Ok((name.to_owned(), program.into()))
        }
        _ => Err("it has to be NAME=PROGRAM".to_owned()),
    }
}
