//! A header that may be there once. The guard and the routes ask, and each answers in its own way.
//! Two of a kind are an error: who reads the first and who reads the last would differ.

use http::{HeaderMap, HeaderName, HeaderValue};

/// How often a header was found.
#[derive(Clone, Copy)]
pub(crate) enum SingleHeader<'a> {
    Absent,
    Once(&'a HeaderValue),
    Repeated,
}

impl<'a> SingleHeader<'a> {
    /// The same with one more of its kind.
    pub(crate) fn and(self, value: &'a HeaderValue) -> Self {
        match self {
            Self::Absent => Self::Once(value),
            Self::Once(_) | Self::Repeated => Self::Repeated,
        }
    }
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
