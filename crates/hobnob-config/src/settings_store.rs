//! The table `[store]` of `config.toml`, and the URL in it.
//!
//! `store_location` reads it. What must stay true: the URL, which may contain a password, is in no
//! message and in no log.

use std::fmt;

use serde::Deserialize;

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
pub struct SecretUrl(pub(crate) String);

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
