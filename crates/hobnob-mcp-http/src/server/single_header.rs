//! Finds a header that may occur only once, for the guard and the routes. A repeated header is an
//! error, since one reader would use the first value and another the last.

use http::{HeaderMap, HeaderName, HeaderValue};

/// How often a header occurs.
#[derive(Clone, Copy)]
pub(crate) enum SingleHeader<'a> {
    Absent,
    Once(&'a HeaderValue),
    Repeated,
}

impl<'a> SingleHeader<'a> {
    /// Counts one more value of the header.
    pub(crate) fn and(self, value: &'a HeaderValue) -> Self {
        match self {
            Self::Absent => Self::Once(value),
            Self::Once(_) | Self::Repeated => Self::Repeated,
        }
    }
}

/// Finds a header by its name.
pub(crate) fn single_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> SingleHeader<'a> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => SingleHeader::Absent,
        (Some(value), None) => SingleHeader::Once(value),
        (Some(_), Some(_)) => SingleHeader::Repeated,
    }
}
