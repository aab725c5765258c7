//! A recorder that has one recording of four messages, for the tests of the page's requests.

use hobnob_mcp_engine::BoxFuture;
use hobnob_ui::{
    MessageDirection, MessageRecordings, MessageSide, NotStarted, RecordedKind, RecordedMessage,
    RecordingSubject, RecordingSummary, WantedRecording,
};
use std::sync::Arc;

/// One call that passes the hub, and a notification of no call.
pub(crate) struct ScriptedRecordings;

impl MessageRecordings for ScriptedRecordings {
    fn list(&self) -> Vec<RecordingSummary> {
        vec![RecordingSummary {
            id: 1,
            subject: RecordingSubject::Server("git".into()),
            started: "2026-01-02T03:00:00Z".parse().unwrap(),
            ends: "2026-01-02T03:10:00Z".parse().unwrap(),
            total: 4,
            kept: 4,
            bytes: 80,
        }]
    }

    fn start(&self, wanted: WantedRecording) -> BoxFuture<'_, Result<u64, NotStarted>> {
        Box::pin(async move {
            match wanted.subject {
                RecordingSubject::Server(name) if &*name == "none" => {
                    Err(NotStarted::UnknownServer)
                }
                RecordingSubject::AllClients => Err(NotStarted::Refused("3 run already".into())),
                _ => Ok(wanted.time.as_secs()),
            }
        })
    }

    fn stop(&self, recording: u64) -> bool {
        recording == 1
    }

    fn messages(&self, recording: u64) -> Option<Vec<Arc<RecordedMessage>>> {
        use MessageDirection::{Received, Sent};
        let messages = [
            message(1, (MessageSide::Client, Received), Some(1), "{\"a\":\"<b>Cup</b>\"}"),
            message(2, (MessageSide::Server, Sent), Some(2), "{\"a\":\"cup\"}"),
            message(3, (MessageSide::Server, Received), Some(2), "{\"b\":1}"),
            RecordedMessage {
                call: None,
                kind: RecordedKind::Notification,
                ..message(4, (MessageSide::Server, Received), None, &"x".repeat(1000))
            },
        ];
        (recording == 1).then(|| messages.into_iter().map(Arc::new).collect())
    }
}

fn message(
    number: u64,
    (side, direction): (MessageSide, MessageDirection),
    exchange: Option<u64>,
    text: &str,
) -> RecordedMessage {
    RecordedMessage {
        number,
        at: "2026-01-02T03:00:01Z".parse().unwrap(),
        side,
        direction,
        kind: RecordedKind::Request,
        client: Some("ada".into()),
        server: None,
        method: Some("tools/call".into()),
        id: Some("1".into()),
        call: Some(9),
        exchange,
        revision: Some("2026-07-28"),
        bytes: text.len(),
        is_cut: false,
        text: text.into(),
    }
}
