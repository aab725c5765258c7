//! A counter whose name is written as it was registered.
//!
//! `metrics` and `figures` register their counters with it. Why: the library's own counters add
//! `_total` to the samples only, as OpenMetrics wants it, and `promtool check metrics` then finds
//! samples without a help text and refuses the whole page.

use prometheus_client::encoding::{EncodeMetric, MetricEncoder};
use prometheus_client::metrics::{MetricType, TypedMetric};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A counter of whole numbers; clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamedCounter(Arc<AtomicU64>);

impl NamedCounter {
    /// Adds to the count.
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }
}

impl EncodeMetric for NamedCounter {
    fn encode(&self, encoder: MetricEncoder<'_>) -> fmt::Result {
        encode_count(encoder, as_float(self.0.load(Ordering::Relaxed)))
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Counter
    }
}

impl TypedMetric for NamedCounter {
    const TYPE: MetricType = MetricType::Counter;
}

/// A count that another part keeps, as it was read for one page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadCount(pub(crate) f64);

impl EncodeMetric for ReadCount {
    fn encode(&self, encoder: MetricEncoder<'_>) -> fmt::Result {
        encode_count(encoder, self.0)
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Counter
    }
}

/// A gauge is the one sample that the library writes without a suffix.
fn encode_count(mut encoder: MetricEncoder<'_>, count: f64) -> fmt::Result {
    encoder.encode_gauge(&count)
}

/// Prometheus keeps every sample as a float, which is exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "samples are floats")]
pub(crate) fn as_float(count: u64) -> f64 {
    count as f64
}
