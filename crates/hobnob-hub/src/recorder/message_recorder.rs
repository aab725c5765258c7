//! The recorder: opens the tap while a recording runs, and ends each recording in time.
//!
//! The tap reports messages here, the page starts, reads and stops recordings, and `compose` runs
//! [`MessageRecorder::run`]. What must stay true: no other lock is taken under the recorder's, since
//! messages may be sent under any lock of the hub.

use super::masking::MessageMask;
use super::passing_message::PassingMessage;
use super::recording_audit::{ended, started};
use super::recordings::{MAX_RECORDINGS, Recordings, RunningRecording};
use hobnob_config::{Places, ServerSpec};
use hobnob_mcp_engine::{BoxFuture, Caller, MessageObserver, MessageTap, PassedMessage};
use hobnob_mcp_types::RequestId;
use hobnob_policy::audit::{AuditLog, AuditOutcome};
use hobnob_ui::{
    MessageRecordings, NotStarted, RecordedMessage, RecordingSubject, RecordingSummary,
    WantedRecording,
};
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// How soon the values of changed settings are masked.
const SETTINGS_INTERVAL: Duration = Duration::from_secs(5);

/// Records messages while the owner wants it.
pub(crate) struct MessageRecorder {
    tap: MessageTap,
    places: Places,
    audit: Option<Arc<AuditLog>>,
    recordings: Mutex<Recordings>,
    /// Notified when a recording starts or stops.
    changed: Notify,
}

impl MessageRecorder {
    /// A recorder of what passes this tap.
    pub(crate) fn new(tap: MessageTap, places: Places, audit: Option<Arc<AuditLog>>) -> Arc<Self> {
        let recordings = Mutex::new(Recordings::new());
        let recorder = Arc::new(Self { tap, places, audit, recordings, changed: Notify::new() });
        let observer: Weak<dyn MessageObserver> = Arc::downgrade(&recorder) as _;
        recorder.tap.report_to(observer);
        recorder
    }

    /// Ends recordings in time until `stop`, and then drops all of them.
    pub(crate) async fn run(self: Arc<Self>, stop: CancellationToken) {
        loop {
            let end = self.recordings.lock().next_end();
            let over = async {
                match end {
                    Some(end) => sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            let settings = async {
                match end {
                    Some(_) => sleep(SETTINGS_INTERVAL).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.changed.notified() => {}
                () = over => self.end(|recording| recording.end <= Instant::now()),
                () = settings => self.learn_settings().await,
            }
        }
        self.end(|_| true);
    }

    async fn learn_settings(&self) {
        let places = self.places.clone();
        let specs = spawn_blocking(move || MessageMask::read_specs(&places)).await;
        self.recordings.lock().mask.learn(specs.unwrap_or_default());
    }

    /// Ends the recordings that this selects, and writes that down.
    fn end(&self, is_over: impl Fn(&RunningRecording) -> bool) {
        let over = {
            let mut recordings = self.recordings.lock();
            let over = recordings.end(is_over);
            if recordings.is_empty() {
                self.tap.close();
            }
            over
        };
        for recording in &over {
            if let Some(audit) = &self.audit {
                audit.notice(&ended(&recording.subject, recording.begun.elapsed()));
            }
        }
    }

    /// Writes down that a recording starts; what has to be masked in it.
    async fn prepare(&self, wanted: &WantedRecording) -> Result<Vec<ServerSpec>, NotStarted> {
        let (places, audit, wanted) = (self.places.clone(), self.audit.clone(), wanted.clone());
        let prepared = spawn_blocking(move || {
            if let RecordingSubject::Server(name) = &wanted.subject
                && !MessageMask::has_server(&places, name)
            {
                return Err(NotStarted::UnknownServer);
            }
            if let Some(audit) = audit {
                let record = started(&wanted.subject, wanted.time, AuditOutcome::Ok);
                audit.decide_and_wait(&record).map_err(|error| {
                    NotStarted::Refused(format!("the recording cannot be audited: {error}"))
                })?;
            }
            Ok(MessageMask::read_specs(&places))
        });
        let failed = |_| NotStarted::Refused("the recording did not start; try again".to_owned());
        prepared.await.map_err(failed).flatten()
    }

    fn start_now(
        &self,
        wanted: WantedRecording,
        specs: Vec<ServerSpec>,
    ) -> Result<u64, NotStarted> {
        let mut recordings = self.recordings.lock();
        if !recordings.has_room() {
            return Err(too_many());
        }
        recordings.mask.learn(specs);
        let id = recordings.start(wanted);
        self.tap.open();
        drop(recordings);
        self.changed.notify_one();
        Ok(id)
    }
}

impl MessageObserver for MessageRecorder {
    fn message(&self, message: PassedMessage<'_>) {
        let message = PassingMessage::new(message);
        let mut recordings = self.recordings.lock();
        if !recordings.is_empty() {
            recordings.add(message);
        }
    }

    fn call_begins(&self, request: &RequestId, caller: &Caller) {
        self.recordings.lock().call_begins(request, caller);
    }
}

impl MessageRecordings for MessageRecorder {
    fn list(&self) -> Vec<RecordingSummary> {
        self.recordings.lock().list()
    }

    fn start(&self, wanted: WantedRecording) -> BoxFuture<'_, Result<u64, NotStarted>> {
        Box::pin(async move {
            if !self.recordings.lock().has_room() {
                return Err(too_many());
            }
            let specs = self.prepare(&wanted).await?;
            let (subject, time) = (wanted.subject.clone(), wanted.time);
            let id = self.start_now(wanted, specs);
            if let (Err(_), Some(audit)) = (&id, &self.audit) {
                audit.notice(&started(&subject, time, AuditOutcome::Refused));
            }
            id
        })
    }

    fn stop(&self, recording: u64) -> bool {
        let is_running = self.recordings.lock().list().iter().any(|it| it.id == recording);
        self.end(|it| it.id == recording);
        self.changed.notify_one();
        is_running
    }

    fn messages(&self, recording: u64) -> Option<Vec<Arc<RecordedMessage>>> {
        self.recordings.lock().messages(recording)
    }
}

fn too_many() -> NotStarted {
    let text = format!("{MAX_RECORDINGS} recordings run already; stop one of them first");
    NotStarted::Refused(text)
}
