//! Opens the service `logs`: the reader of granted folders and system logs, and the anonymiser with
//! this user's key. The registry of services calls it, and so does `hobnob logs reveal`.
//!
//! What must stay true: the key is created once and never replaced; tokens depend on it.

use super::context::ServiceContext;
use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_disk::{make_folder, private};
use hobnob_machine::logs::{LogReader, host_names, people, system_logs};
use hobnob_mcp_engine::random_bytes;
use hobnob_secrets::{Anonymiser, AnonymiserKey, KnownNames};
use hobnob_services::BuiltInService;
use hobnob_services::logs::{LazyAnonymiser, LogService};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

/// Opens the service for the registry of services. Touches no file before a log is read.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let places = context.places.clone();
    let anonymiser =
        context.settings.logs.anonymise.then(|| LazyAnonymiser::new(move || anonymiser(&places)));
    Ok(Arc::new(LogService::new(context.machine(), log_reader(context.places), anonymiser)))
}

/// A log reader to which Hobnob's own folders are invisible.
pub fn log_reader(places: &Places) -> LogReader {
    let Places { config_dir, data_dir, state_dir, runtime_dir, .. } = places;
    let hidden = [config_dir, data_dir, state_dir, runtime_dir].map(Clone::clone);
    LogReader::new(hidden, system_logs())
}

/// The anonymiser of this user, which knows this machine's name and its people.
pub(crate) fn anonymiser(places: &Places) -> io::Result<Anonymiser> {
    let key = key(&places.data_dir.join("anonymiser.key"))?;
    Ok(Anonymiser::new(AnonymiserKey::new(&key), KnownNames::new(people(), host_names())))
}

/// The key in the file, created if it is missing. Concurrent processes get the same key.
fn key(path: &Path) -> io::Result<[u8; 32]> {
    match fs::read(path) {
        Ok(bytes) => <[u8; 32]>::try_from(bytes).map_err(|_| {
            let problem = "anonymiser.key is damaged: move it away to begin with new tokens";
            io::Error::new(io::ErrorKind::InvalidData, problem)
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_key(path)?;
            key(path)
        }
        Err(error) => Err(error),
    }
}

fn make_key(path: &Path) -> io::Result<()> {
    let bytes: [u8; 32] = random_bytes().map_err(io::Error::other)?;
    make_folder(path.parent().unwrap_or(Path::new("/")))?;
    let scratch = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut file =
        private(OpenOptions::new().write(true).create(true).truncate(true)).open(&scratch)?;
    let made = file.write_all(&bytes).and_then(|()| file.sync_all()).and_then(|()| {
        // A hard link never replaces an existing file, so the first process wins.
        match fs::hard_link(&scratch, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    });
    let removed = fs::remove_file(&scratch);
    made.and(removed)
}

/// The anonymiser for a command that a person runs.
pub fn anonymiser_of_person(places: &Places) -> anyhow::Result<Anonymiser> {
    anonymiser(places).context("the key of the tokens cannot be read")
}
