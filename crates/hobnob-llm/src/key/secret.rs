//! A key as a value that cannot be shown.
//!
//! What must stay true: it leaves only as a header that is marked as sensitive, and texts of others
//! are searched for it before anybody sees them.

use std::fmt;

use reqwest::header::HeaderValue;

use crate::error::ProviderError;

/// A key shorter than this would be found in texts by chance.
const SHORTEST_REDACTED: usize = 6;

/// What stands in the place of a key.
const REDACTED: &str = "[redacted]";

/// The key of a provider. Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderKey(Box<str>);

impl ProviderKey {
    /// Takes the secret, without spaces around it; an empty one is none.
    pub fn new(secret: &str) -> Option<Self> {
        let secret = secret.trim();
        (!secret.is_empty()).then(|| Self(secret.into()))
    }

    /// The header's value, with what comes before the key in it.
    pub(crate) fn header(&self, before: &str) -> Result<HeaderValue, ProviderError> {
        let header = HeaderValue::try_from(format!("{before}{}", self.0));
        let unfit =
            |_shows_no_key| ProviderError::Key("it has characters that no header takes".into());
        let mut header = header.map_err(unfit)?;
        header.set_sensitive(true);
        Ok(header)
    }

    /// The text without the key: a server may echo what it was sent.
    pub(crate) fn redact(&self, text: &str) -> Box<str> {
        if self.0.len() < SHORTEST_REDACTED {
            return text.into();
        }
        let clean = text.replace(&*self.0, REDACTED);
        // A text that was shortened may end within the key.
        let begun = (SHORTEST_REDACTED..self.0.len())
            .filter(|length| self.0.is_char_boundary(*length))
            .rfind(|length| clean.ends_with(&self.0[..*length]));
        match begun {
            Some(length) => format!("{}{REDACTED}", &clean[..clean.len() - length]).into(),
            None => clean.into(),
        }
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderKey(…)")
    }
}
