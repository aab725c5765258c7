//! The table `[store]` of `config.toml`, and where the store is: in a file of this user, or in a
//! database that several replicas share.
//!
//! The hub and the commands ask for the place before they open the store. What must stay true: the
//! URL, which may contain a password, is in no message and in no log.

use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;

use crate::disk::read_trusted_text;
use crate::places::Places;
use crate::problem::Problem;
use crate::settings::MAX_SETTINGS_BYTES;

/// The variable that names a database before the settings do.
const URL_VARIABLE: &str = "HOBNOB_STORE_URL";

/// `[store]`: read when Hobnob starts, and by each command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// The database with the records; without it, they are in a file in the data folder.
    pub url: Option<SecretUrl>,
}

/// A URL with a password in it, perhaps.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct SecretUrl(String);

impl SecretUrl {
    /// The whole URL, for the one who connects.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The URL as a person may see it: a password is replaced by `***`.
    pub fn shown(&self) -> String {
        shown_url(&self.0)
    }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown())
    }
}

/// The text with the password of each URL in it replaced by `***`; also a parameter `password`.
pub fn shown_url(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (authority, query) = rest.split_once('?').unwrap_or((rest, ""));
    // The last `@` ends the user and the password, which may contain others.
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((user, _)) => format!("{user}:***@{host}"),
            None => format!("{user}@{host}"),
        },
        None => authority.to_owned(),
    };
    let hidden = |parameter: &str| match parameter.split_once('=') {
        Some(("password", _)) => "password=***".to_owned(),
        _ => parameter.to_owned(),
    };
    let query: Vec<String> = query.split('&').map(hidden).collect();
    let query = query.join("&");
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{authority}{mark}{query}")
}

/// Where the store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// In this file, which is made when it is needed.
    File(PathBuf),
    /// In this database.
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

#[cfg(test)]
mod tests {
    use super::{SecretUrl, shown_url};

    #[test]
    fn passwords_are_not_shown() {
        for (url, shown) in [
            ("postgres://ada:hu:sh@db:6000/team", "postgres://ada:***@db:6000/team"),
            ("postgres://ada:hu@sh@db/team", "postgres://ada:***@db/team"),
            ("postgres://ada@db/team?schema=a", "postgres://ada@db/team?schema=a"),
            ("postgres://db/t?password=hush&schema=a", "postgres://db/t?password=***&schema=a"),
            ("postgres:///team", "postgres:///team"),
        ] {
            assert_eq!(shown_url(url), shown);
            assert_eq!(format!("{:?}", SecretUrl(url.into())), shown);
        }
    }
}
