//! Histograms of how long sessions last: those of clients with the hub, and those of the hub with
//! its servers.
//!
//! `metrics` has both. What must stay true: the number of series is bounded, also if the configuration
//! changes its servers again and again.

use crate::bounded_series::{OTHER, encode_link, short};
use crate::known_labels::KnownLabels;
use crate::operation::{PeerLink, UpstreamConnection};
use prometheus_client::encoding::{EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use std::fmt;
use std::time::Duration;

/// Label sets with the names of their servers.
const MAX_EXACT: usize = 200;

/// The buckets that OpenTelemetry's conventions name, in seconds, up to 5 minutes. The four above
/// are our own: sessions of clients last for hours.
const BUCKETS: [f64; 18] = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 1800.0, 7200.0,
    28_800.0, 86_400.0,
];

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionEnd {
    /// Either side ended it.
    Closed,
    /// The server was lost.
    Lost,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SessionLabels {
    link: PeerLink,
    server: Option<Box<str>>,
    address: Option<(Box<str>, u16)>,
    end: SessionEnd,
}

impl SessionLabels {
    pub(crate) fn of_client(link: PeerLink) -> Self {
        Self { link, server: None, address: None, end: SessionEnd::Closed }
    }

    pub(crate) fn of_server(
        server: &str,
        connection: &UpstreamConnection,
        end: SessionEnd,
    ) -> Self {
        let address = connection.address.as_ref().map(|(host, port)| (short(host), *port));
        Self { link: connection.link, server: Some(short(server)), address, end }
    }

    fn without_server(self) -> Self {
        Self { server: self.server.map(|_| OTHER.into()), address: None, ..self }
    }
}

impl EncodeLabelSet for SessionLabels {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        let error = match self.end {
            SessionEnd::Closed => None,
            SessionEnd::Lost => Some("upstream_lost"),
        };
        let server = self.server.as_deref();
        let own = [("hobnob_server", server), ("error_type", error)];
        let own: Vec<_> = own.into_iter().filter_map(|(name, it)| Some((name, it?))).collect();
        own.encode(encoder)?;
        encode_link(encoder, Some(self.link), self.address.as_ref())
    }
}

/// The family that the registry writes.
pub(crate) type SessionFamily = Family<SessionLabels, Histogram, fn() -> Histogram>;

/// Histograms of durations of sessions.
#[derive(Debug)]
pub(crate) struct SessionSeries {
    family: SessionFamily,
    known: KnownLabels<SessionLabels>,
}

impl SessionSeries {
    pub(crate) fn new() -> Self {
        let family = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> _);
        Self { family, known: KnownLabels::new() }
    }

    /// The family to register; it shares its histograms with this one.
    pub(crate) fn family(&self) -> SessionFamily {
        self.family.clone()
    }

    pub(crate) fn observe(&self, labels: SessionLabels, duration: Duration) {
        // Revisions, transports and ends are few.
        let labels = self.known.admit(labels, &[(MAX_EXACT, SessionLabels::without_server)]);
        self.family.get_or_create(&labels).observe(duration.as_secs_f64());
    }
}
