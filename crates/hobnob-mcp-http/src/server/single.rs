//! A header that may be there once. The guard and the routes ask; each has its own words for the
//! answer. Two of a kind are an error: who reads the first and who reads the last would differ.

use http::{HeaderMap, HeaderName, HeaderValue};

/// How often a header was found.
pub(crate) enum Found<'a> {
    Nowhere,
    Once(&'a HeaderValue),
    Repeated,
}

/// Looks for a header.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Found<'a> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Found::Nowhere,
        (Some(value), None) => Found::Once(value),
        (Some(_), Some(_)) => Found::Repeated,
    }
}
