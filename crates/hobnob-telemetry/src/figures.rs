//! Figures of the moment: the state of servers, the size of the store, the use of this process.
//!
//! The route `/metrics` reads them for each page. What must stay true: reading them is cheap, so
//! that a page may be asked for every second.

use crate::counter::{NamedCounter, ReadCount, as_float};
use crate::process_figures::ProcessFigures;
use hobnob_text::first_chars;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::AtomicU64;

/// More servers than this are left out of the page.
const MAX_SERVERS: usize = 500;
/// Longer names of servers are cut.
const MAX_CHARS: usize = 128;

/// Figures of the moment.
#[derive(Debug, Clone, Default)]
pub struct HubFigures {
    /// Every server of the configuration, whether it runs or not.
    pub upstreams: Vec<UpstreamFigures>,
    /// Calls that have begun and have not ended.
    pub running_calls: u64,
    /// The size of the store's files, if there is a store.
    pub store_bytes: Option<u64>,
}

/// The state of one server.
#[derive(Debug, Clone)]
pub struct UpstreamFigures {
    /// Its name in the configuration.
    pub name: String,
    /// The word of its phase, such as `ready`.
    pub phase: &'static str,
    /// Whether calls go to it at once.
    pub is_ready: bool,
    /// Starts since the hub began.
    pub starts: u64,
    /// Requests that wait for its answer.
    pub in_flight: u64,
    /// Tools that it lists.
    pub tools: u64,
}

type Number = Gauge<f64, AtomicU64>;
type ServerLabel = [(&'static str, String); 1];

impl HubFigures {
    /// A registry that is written once.
    pub(crate) fn registry(&self) -> Registry {
        let mut registry = Registry::default();
        let running = number(self.running_calls);
        registry.register("hobnob_running_calls", "Calls that run at this moment", running);
        self.register_upstreams(&mut registry);
        if let Some(bytes) = self.store_bytes {
            registry.register("hobnob_store_bytes", "Size of the store's files", number(bytes));
        }
        if let Some(process) = ProcessFigures::read() {
            register_process(&mut registry, &process);
        }
        registry
    }

    fn register_upstreams(&self, registry: &mut Registry) {
        let up = Family::<ServerLabel, Number>::default();
        let in_flight = Family::<ServerLabel, Number>::default();
        let tools = Family::<ServerLabel, Number>::default();
        let starts = Family::<ServerLabel, NamedCounter>::default();
        let phase = Family::<[(&'static str, String); 2], Number>::default();
        for upstream in self.upstreams.iter().take(MAX_SERVERS) {
            let name = first_chars(&upstream.name, MAX_CHARS);
            let label = [("hobnob_server", name.to_owned())];
            up.get_or_create(&label).set(if upstream.is_ready { 1.0 } else { 0.0 });
            in_flight.get_or_create(&label).set(as_float(upstream.in_flight));
            tools.get_or_create(&label).set(as_float(upstream.tools));
            starts.get_or_create(&label).add(upstream.starts);
            let [server] = label;
            phase.get_or_create(&[server, ("phase", upstream.phase.to_owned())]).set(1.0);
        }
        registry.register("hobnob_upstream_up", "Whether calls go to the server at once", up);
        registry.register("hobnob_upstream_phase", "The phase of the server; always 1", phase);
        registry.register(
            "hobnob_upstream_starts_total",
            "Starts of the server since the hub began",
            starts,
        );
        registry.register(
            "hobnob_upstream_in_flight",
            "Requests that wait for the server's answer",
            in_flight,
        );
        registry.register("hobnob_upstream_tools", "Tools that the server lists", tools);
    }
}

/// The names are Prometheus' own for every process.
fn register_process(registry: &mut Registry, process: &ProcessFigures) {
    registry.register(
        "process_cpu_seconds_total",
        "User and system CPU time",
        ReadCount(process.cpu_seconds),
    );
    let gauges = [
        ("process_resident_memory_bytes", "Resident memory", process.resident_bytes),
        ("process_virtual_memory_bytes", "Virtual memory", process.virtual_bytes),
        ("process_open_fds", "Open file descriptors", process.open_files),
    ];
    for (name, help, value) in gauges {
        registry.register(name, help, number(value));
    }
    if let Some(limit) = process.max_files {
        registry.register("process_max_fds", "The limit of open file descriptors", number(limit));
    }
    if let Some(start) = process.start_seconds {
        let help = "When the process started, in seconds since 1970";
        let gauge = Number::default();
        gauge.set(start);
        registry.register("process_start_time_seconds", help, gauge);
    }
}

fn number(value: u64) -> Number {
    let gauge = Number::default();
    gauge.set(as_float(value));
    gauge
}
