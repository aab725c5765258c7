//! The parts of a line, as far as they were recognised. Each parser of a format fills one.

use std::borrow::Cow;

use hobnob_policy::LogLevel;
use jiff::Timestamp;

/// The parts of a line; a missing part is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ParsedLine<'line> {
    pub(crate) time: Option<Timestamp>,
    pub(crate) level: Option<LogLevel>,
    pub(crate) source: Option<Cow<'line, str>>,
    pub(crate) event_id: Option<u32>,
    pub(crate) message: Cow<'line, str>,
}
