//! A key as a value that cannot be printed.
//!
//! What must stay true: the key leaves only in a header that is marked as sensitive, and it is
//! redacted from the texts of providers before they are shown.

use std::fmt;

use reqwest::header::HeaderValue;

use crate::error::ProviderError;

/// A shorter key is not redacted, because ordinary text could match it by chance.
const MIN_REDACTED_BYTES: usize = 6;

/// The text that replaces a key.
const REDACTED: &str = "[redacted]";

/// The key of a provider. Its `Debug` output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderKey(Box<str>);

impl ProviderKey {
    /// Takes a secret without the white space around it; `None` if nothing is left.
    pub fn new(secret: &str) -> Option<Self> {
        let secret = secret.trim();
        (!secret.is_empty()).then(|| Self(secret.into()))
    }

    /// The value of a header: the text `before`, then the key.
    pub(crate) fn header(&self, before: &str) -> Result<HeaderValue, ProviderError> {
        let header = HeaderValue::try_from(format!("{before}{}", self.0));
        let unfit =
            |_shows_no_key| ProviderError::Key("it has characters that no header takes".into());
        let mut header = header.map_err(unfit)?;
        header.set_sensitive(true);
        Ok(header)
    }

    /// Replaces the key in a text, because a server may echo what it received.
    pub(crate) fn redact(&self, text: &str) -> Box<str> {
        if self.0.len() < MIN_REDACTED_BYTES {
            return text.into();
        }
        let clean = text.replace(&*self.0, REDACTED);
        // A text that was cut short may end with the beginning of the key.
        let begun = (MIN_REDACTED_BYTES..self.0.len())
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
