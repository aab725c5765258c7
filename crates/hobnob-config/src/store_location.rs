//! Where the store is: in a file of this user, or in a database that several replicas share.
//!
//! The hub and the commands ask for the place before they open the store.

use std::path::PathBuf;

use serde::Deserialize;

use crate::disk::read_trusted_text;
use crate::places::Places;
use crate::problem::Problem;
use crate::settings::MAX_SETTINGS_BYTES;
use crate::settings_store::{SecretUrl, StoreSettings};

/// The variable that names a database before the settings do.
const URL_VARIABLE: &str = "HOBNOB_STORE_URL";

/// Where the store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// In this file, which is made when it is needed.
    File(PathBuf),
    /// In a database, which several hubs may share.
    Database(SecretUrl),
}

impl StoreLocation {
    /// The place that `HOBNOB_STORE_URL` names, or the settings, or else the file. A mistake in
    /// another table of the settings does not hide the store.
    ///
    /// # Errors
    /// When the settings cannot be read, or `[store]` is wrong.
    pub fn find(places: &Places) -> Result<Self, Problem> {
        let variable = std::env::var(URL_VARIABLE).ok().filter(|url| !url.is_empty());
        if let Some(url) = variable {
            return Ok(Self::Database(SecretUrl(url)));
        }
        /// The file without its other tables.
        #[derive(Default, Deserialize)]
        struct StoreTable {
            #[serde(default)]
            store: StoreSettings,
        }
        let file = places.settings();
        let table = match read_trusted_text(&file, MAX_SETTINGS_BYTES)? {
            Some(text) => {
                let read: Result<StoreTable, _> = toml::from_str(&text);
                read.map_err(|error| Problem::of_toml(&file, &text, &error))?
            }
            None => StoreTable::default(),
        };
        Ok(table.store.url.map_or_else(|| Self::File(places.store()), Self::Database))
    }
}
