//! Histograms of durations by labels, with a bound on how many there are.
//!
//! `metrics` has one for the server's side of calls and one for the client's. What must stay true:
//! servers and callers send any names and codes, and the number of series is bounded all the same.

use crate::known_labels::{KnownLabels, Step};
use crate::operation::PeerLink;
use hobnob_text::first_chars;
use prometheus_client::encoding::{EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use std::fmt;
use std::iter;
use std::time::Duration;

/// Label sets with all their labels. Each is a histogram of 23 lines.
const MAX_EXACT: usize = 500;
/// Label sets besides those whose tool is `other`.
const MAX_WITHOUT_TOOL: usize = 100;
/// Label sets besides those whose tool and error are `other`.
const MAX_WITHOUT_ERROR: usize = 100;
/// The value of a label that would make too many.
pub(crate) const OTHER: &str = "other";
/// Names of tools have at most 128 characters; names that callers invent may be longer.
const MAX_CHARS: usize = 128;
/// The value of `gen_ai.operation.name` for calls of tools.
pub(crate) const EXECUTE_TOOL: &str = "execute_tool";

/// The buckets that OpenTelemetry's conventions name, in seconds, from 10 ms upwards. The six below
/// are our own: a built-in answers in microseconds, and all its calls would be in the first bucket.
/// Native histograms need none, but the text format does not have them.
const BUCKETS: [f64; 20] = [
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
    10.0, 30.0, 60.0, 120.0, 300.0,
];

/// The labels of one histogram. A label without a value is left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct OperationLabels {
    pub(crate) method: &'static str,
    pub(crate) server: Option<Box<str>>,
    pub(crate) tool: Option<Box<str>>,
    pub(crate) error: Option<Box<str>>,
    /// The code of a JSON-RPC error, which `error` then repeats.
    pub(crate) has_code: bool,
    /// How the caller or the server is connected.
    pub(crate) link: Option<PeerLink>,
    /// The host and port of the server.
    pub(crate) address: Option<(Box<str>, u16)>,
}

impl OperationLabels {
    /// These labels, each of a bounded length.
    pub(crate) fn new(
        method: &'static str,
        server: Option<&str>,
        tool: Option<&str>,
        error: Option<&str>,
    ) -> Self {
        Self {
            method,
            server: server.map(short),
            tool: tool.map(short),
            error: error.map(short),
            has_code: false,
            link: None,
            address: None,
        }
    }

    fn without_tool(self) -> Self {
        Self { tool: self.tool.map(|_| OTHER.into()), ..self }
    }

    fn without_error(self) -> Self {
        Self { error: self.error.map(|_| OTHER.into()), ..self }
    }

    fn without_server(self) -> Self {
        Self { server: self.server.map(|_| OTHER.into()), address: None, ..self }
    }
}

impl EncodeLabelSet for OperationLabels {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        let tool = self.tool.as_deref();
        let error = self.error.as_deref();
        let others = [
            ("hobnob_server", self.server.as_deref()),
            ("gen_ai_tool_name", tool),
            ("gen_ai_operation_name", tool.map(|_| EXECUTE_TOOL)),
            ("error_type", error),
            ("rpc_response_status_code", error.filter(|_| self.has_code)),
        ];
        let with_value = others.into_iter().filter_map(|(name, it)| Some((name, it?)));
        let labels: Vec<_> =
            iter::once(("mcp_method_name", self.method)).chain(with_value).collect();
        labels.encode(encoder)?;
        encode_link(encoder, self.link, self.address.as_ref())
    }
}

/// Writes the labels of a link, and those of the address at its other end.
pub(crate) fn encode_link(
    encoder: &mut LabelSetEncoder<'_>,
    link: Option<PeerLink>,
    address: Option<&(Box<str>, u16)>,
) -> fmt::Result {
    if let Some(PeerLink { transport, revision }) = link {
        [("mcp_protocol_version", revision), ("network_transport", transport.network())]
            .encode(encoder)?;
        if let Some(protocol) = transport.protocol() {
            [("network_protocol_name", protocol)].encode(encoder)?;
        }
    }
    if let Some((host, port)) = address {
        [("server_address", &**host), ("server_port", &*port.to_string())].encode(encoder)?;
    }
    Ok(())
}

/// A text of a bounded length.
pub(crate) fn short(text: &str) -> Box<str> {
    first_chars(text, MAX_CHARS).into()
}

/// The family that the registry writes.
pub(crate) type DurationFamily = Family<OperationLabels, Histogram, fn() -> Histogram>;

/// First tools become `other`, then errors, which an upstream can invent too, then servers.
const STEPS: [Step<OperationLabels>; 3] = [
    (MAX_EXACT, OperationLabels::without_tool),
    (MAX_WITHOUT_TOOL, OperationLabels::without_error),
    (MAX_WITHOUT_ERROR, OperationLabels::without_server),
];

/// Histograms of durations by labels.
#[derive(Debug)]
pub(crate) struct BoundedSeries {
    family: DurationFamily,
    known: KnownLabels<OperationLabels>,
}

impl BoundedSeries {
    pub(crate) fn new() -> Self {
        let family = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> _);
        Self { family, known: KnownLabels::new() }
    }

    /// The family to register; it shares its histograms with this one.
    pub(crate) fn family(&self) -> DurationFamily {
        self.family.clone()
    }

    pub(crate) fn observe(&self, labels: OperationLabels, duration: Duration) {
        let labels = self.known.admit(labels, &STEPS);
        self.family.get_or_create(&labels).observe(duration.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::{
        BoundedSeries, MAX_EXACT, MAX_WITHOUT_ERROR, MAX_WITHOUT_TOOL, OperationLabels, STEPS,
    };
    use std::collections::HashSet;

    #[test]
    fn names_and_codes_that_are_too_many_become_other() {
        let series = BoundedSeries::new();
        let admit = |server: &str, tool: &str, error: Option<&str>| {
            let labels = OperationLabels::new("tools/call", Some(server), Some(tool), error);
            series.known.admit(labels, &STEPS)
        };
        let first = admit("s", "first", None);
        assert_eq!(first.tool.as_deref(), Some("first"));
        let mut seen = HashSet::from([first.clone()]);
        for number in 0..3000 {
            seen.insert(admit("s", &format!("tool{number}"), None));
        }
        assert_eq!(seen.len(), MAX_EXACT + 1, "the last is `other`");
        assert_eq!(admit("s", "new", None).tool.as_deref(), Some("other"));
        assert_eq!(admit("s", "first", None), first, "a known one keeps its own");
        for number in 0..3000 {
            seen.insert(admit("s", "new", Some(&number.to_string())));
            seen.insert(admit(&format!("server{number}"), "new", Some(&number.to_string())));
        }
        let last = admit("new", "new", Some("new"));
        let all_other =
            OperationLabels::new("tools/call", Some("other"), Some("other"), Some("other"));
        assert_eq!(last, all_other);
        assert!(seen.len() <= MAX_EXACT + MAX_WITHOUT_TOOL + MAX_WITHOUT_ERROR + 1);
        let without = OperationLabels::new("m", None, None, None);
        assert_eq!(series.known.admit(without, &STEPS).tool, None);
    }

    #[test]
    fn a_value_has_a_bounded_length() {
        let long = "ä".repeat(5000);
        let labels = OperationLabels::new("tools/call", None, Some(&long), None);
        assert_eq!(labels.tool.unwrap().chars().count(), 128);
    }
}
