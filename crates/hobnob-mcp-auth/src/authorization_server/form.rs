//! Forms as OAuth uses them: in a query, and in the body of a POST.
//!
//! Every endpoint reads its parameters here. What must stay true: a repeated parameter is an error,
//! since two readers could each believe a different one.

use hobnob_text::hex::decode_digit;
use http::HeaderMap;
use http::header::ORIGIN;

#[cfg(test)]
mod tests;

/// How many parameters a request may have.
const MAX_PARAMETERS: usize = 64;

/// The parameters of a request, without duplicates; an empty one counts as absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Parses a form; `None` if the text is no form, or names a parameter twice.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name)?, decode(value)?);
            let known = pairs.iter().any(|(other, _)| *other == name);
            if known || MAX_PARAMETERS <= pairs.len() {
                return None;
            }
            pairs.push((name, value));
        }
        pairs.retain(|(_, value)| !value.is_empty());
        Some(Self(pairs))
    }

    /// The value of a parameter, if it has one.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

/// Whether the browser says that our own page sent the form. Our pages send no referrer, so
/// browsers may send the origin `null`; then `Sec-Fetch-Site` and the form's token decide.
pub(super) fn is_from_own_page(headers: &HeaderMap, origin: &str) -> bool {
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    if !matches!(site, None | Some(b"same-origin")) {
        return false;
    }
    let from = headers.get(ORIGIN).map(|origin| origin.as_bytes());
    matches!(from, None | Some(b"null")) || from == Some(origin.as_bytes())
}

/// Decodes one name or value of a form.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let (high, low) =
                    (rest.next().and_then(decode_digit)?, rest.next().and_then(decode_digit)?);
                high << 4 | low
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}
