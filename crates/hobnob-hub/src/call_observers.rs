//! Who watches the calls of a hub: its page, metrics, traces and usage, joined into the one observer
//! that a gateway has.
//!
//! `compose` opens them once. What must stay true: each of them is notified of every call, and what
//! is switched off costs a call nothing.

use crate::services::Services;
use crate::telemetry::{CallMetrics, CallTraces, open_metrics};
use crate::usage::UsageRecorder;
use anyhow::Context as _;
use hobnob_config::Settings;
use hobnob_gateway::{
    CallObserver, ConnectionEnd, ObservedCall, ObservedConnection, ObservedEnd, ObservedProgress,
};
use hobnob_mcp_engine::{EndedSession, random_token};
use hobnob_telemetry::Metrics;
use hobnob_ui::CallFeed;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Everything that watches calls.
pub(crate) struct CallWatchers {
    /// What `/metrics` shows, unless the settings disable it.
    pub(crate) metrics: Option<Arc<Metrics>>,
    /// Sends spans to the receiver that the settings name, if they name one.
    pub(crate) traces: Option<Arc<CallTraces>>,
    /// Counts the calls, unless the settings disable it or there is no store.
    pub(crate) usage: Option<Arc<UsageRecorder>>,
    /// What the page shows.
    pub(crate) feed: Arc<CallFeed>,
}

impl CallWatchers {
    /// Opens what the settings enable.
    ///
    /// # Errors
    /// When the receiver of traces has no valid address, or there is no randomness.
    pub(crate) fn open(settings: &Settings, services: &Services) -> anyhow::Result<Self> {
        let store = services.opened_store();
        let instance = random_token().context("there is no randomness")?;
        let traces = CallTraces::open(&settings.traces, &instance);
        Ok(Self {
            metrics: open_metrics(&settings.metrics),
            traces: traces.context("`endpoint` of [traces] in config.toml")?,
            usage: store.and_then(|store| UsageRecorder::new(store, &settings.usage)),
            feed: CallFeed::new(),
        })
    }

    /// The observer for the gateway.
    pub(crate) fn observer(&self) -> Option<Arc<dyn CallObserver>> {
        let feed = Arc::clone(&self.feed) as Arc<dyn CallObserver>;
        let metrics =
            self.metrics.as_ref().map(|it| Arc::new(CallMetrics::new(Arc::clone(it))) as _);
        let traces = self.traces.as_ref().map(|it| Arc::clone(it) as _);
        let usage = self.usage.as_ref().map(|it| Arc::clone(it) as _);
        joined([Some(feed), metrics, traces, usage].into_iter().flatten().collect())
    }

    /// Starts their background work. It ends after `stop`, when all calls have ended.
    pub(crate) fn run(&self, background: &mut JoinSet<()>, stop: &CancellationToken) {
        if let Some(usage) = &self.usage {
            background.spawn(Arc::clone(usage).run(stop.clone()));
        }
        if let Some(traces) = &self.traces {
            background.spawn(Arc::clone(traces).run(stop.clone()));
        }
    }
}

/// The observer that passes each event on to all of these; `None` if there are none.
fn joined(mut observers: Vec<Arc<dyn CallObserver>>) -> Option<Arc<dyn CallObserver>> {
    match observers.len() {
        0 | 1 => observers.pop(),
        _ => Some(Arc::new(AllObservers(observers.into()))),
    }
}

/// Several observers. Each is notified of every call.
struct AllObservers(Box<[Arc<dyn CallObserver>]>);

impl CallObserver for AllObservers {
    fn begun(&self, call: &Arc<ObservedCall>) {
        self.0.iter().for_each(|observer| observer.begun(call));
    }

    fn ended(&self, call: &Arc<ObservedCall>, end: &ObservedEnd) {
        self.0.iter().for_each(|observer| observer.ended(call, end));
    }

    fn records_traces(&self) -> bool {
        self.0.iter().any(|observer| observer.records_traces())
    }

    fn server_connected(&self, connection: &ObservedConnection) {
        self.0.iter().for_each(|observer| observer.server_connected(connection));
    }

    fn server_disconnected(&self, connection: &ObservedConnection, end: ConnectionEnd) {
        self.0.iter().for_each(|observer| observer.server_disconnected(connection, end));
    }

    fn session_ended(&self, session: &EndedSession) {
        self.0.iter().for_each(|observer| observer.session_ended(session));
    }

    fn progressed(&self, call: &Arc<ObservedCall>, progress: ObservedProgress) {
        self.0.iter().for_each(|observer| observer.progressed(call, progress.clone()));
    }
}
