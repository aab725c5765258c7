//! Looks through a store without changing anything, whether others use it or not.

use super::connection::{Use, connect, look_at};
use super::draft::Draft;
use super::inspect;
use super::migrate::{Format, NEWEST};
use super::place::{Place, size};
use super::presence::{Found, Gate};
use super::vet::{judge, refused, vet};
use crate::error::OpenError;
use rusqlite::Connection;
use std::error::Error as _;
use std::io;
use std::path::Path;

/// How a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// There is none, or one with nothing in it yet.
    Absent,
    /// Nothing is wrong with it.
    Sound,
    /// These are wrong, in words.
    Problems(Vec<String>),
}

/// Looks through all of a store. Makes no file where there is none; of a store that was not closed
/// in order it looks at a copy beside it, since its log cannot be read without being written.
pub fn check(file: &Path) -> Health {
    match look(file) {
        Ok(health) => health,
        Err(error) => {
            let why = error.source().map_or_else(String::new, |source| format!(": {source}"));
            Health::Problems(vec![format!("{error}{why}")])
        }
    }
}

fn look(file: &Path) -> Result<Health, OpenError> {
    let io = |source| OpenError::Io { file: file.into(), source };
    let place = match Place::find(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Health::Absent),
        place => place.map_err(io)?,
    };
    let gate = Gate::enter_if_there(&place).map_err(io)?;
    let found = gate.as_ref().map_or(Ok(Found::Closed), Gate::look).map_err(io)?;
    // Nobody opens it as long as the gate is held, unless somebody has already.
    let _gate = match gate {
        Some(gate) if found == Found::Used => return look_with_others(&place, gate),
        gate => gate,
    };
    vet(&place, found, NEWEST)?;
    if size(place.file()).map_err(io)?.is_none_or(|size| size == 0) {
        return Ok(Health::Absent);
    }
    if !place.has_log().map_err(io)? {
        let connection = look_at(place.file()).map_err(|error| refused(file, error))?;
        return look_through(file, &connection);
    }
    let copy = Draft::copy(place.file(), place.file()).map_err(io)?;
    let connection = copy.connect().map_err(|error| refused(file, error))?;
    look_through(file, &connection)
}

/// Others read and write meanwhile, and may come and go.
fn look_with_others(place: &Place, gate: Gate) -> Result<Health, OpenError> {
    let file = place.file();
    let presence = gate.join().map_err(|source| OpenError::Io { file: file.into(), source })?;
    let connection = connect(file, Use::Read).map_err(|error| refused(file, error));
    drop(gate);
    let health = connection.and_then(|connection| look_through(file, &connection));
    drop(presence);
    health
}

fn look_through(file: &Path, connection: &Connection) -> Result<Health, OpenError> {
    judge(file, connection, NEWEST)?;
    let failed = |error| refused(file, error);
    if Format::of(connection).map_err(failed)? == Format::EMPTY {
        return Ok(Health::Absent);
    }
    let problems = inspect::problems(connection).map_err(failed)?;
    Ok(if problems.is_empty() { Health::Sound } else { Health::Problems(problems) })
}
