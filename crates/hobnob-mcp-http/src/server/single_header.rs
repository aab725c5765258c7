//! A header that may be there once. The guard and the routes ask, and each answers in its own way.
//! Two of a kind are an error: who reads the first and who reads the last would differ.

use http::{HeaderMap, HeaderName, HeaderValue};

/// How often a header was found.
pub(crate) enum SingleHeader<'a> {
    Absent,
    Once(&'a HeaderValue),
    Repeated,
}

/// Looks for a header.
pub(crate) fn single_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> SingleHeader<'a> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => SingleHeader::Absent,
        (Some(value), None) => SingleHeader::Once(value),
        (Some(_), Some(_)) => SingleHeader::Repeated,
    }
}
