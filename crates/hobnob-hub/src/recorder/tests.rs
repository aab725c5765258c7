//! The recorder as its tap and its page see it: what belongs to a recording, what is masked, what is
//! bounded, and that nothing is left of it.

use super::MessageRecorder;
use super::kept_messages::{MAX_BYTES, MAX_MESSAGES};
use super::passing_message::MAX_TEXT_BYTES;
use hobnob_config::Places;
use hobnob_mcp_engine::{
    Caller, ClientId, MessagePeer, MessageTap, PassedMessage, Principal, WireDirection,
};
use hobnob_mcp_types::RequestId;
use hobnob_mcp_types::hello::Implementation;
use hobnob_policy::audit::{AuditFilter, AuditLog, AuditMode, AuditOptions, AuditRetention, last};
use hobnob_ui::{
    MessageRecordings as _, NotStarted, RecordedKind, RecordedMessage, RecordingSubject,
    WantedRecording,
};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::{JoinSet, yield_now};
use tokio::time::advance;
use tokio_util::sync::CancellationToken;

const TIME: Duration = Duration::from_secs(600);

/// A recorder and its tap, in a home with a server `shop`.
struct Stage {
    recorder: Arc<MessageRecorder>,
    tap: MessageTap,
    audit: Arc<AuditLog>,
    home: TempDir,
}

impl Stage {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let places = places(home.path());
        places.create().unwrap();
        // Cargo sets this variable for every test.
        let servers =
            r#"{"mcpServers": {"shop": {"command": "shop", "args": ["${CARGO_MANIFEST_DIR}"]}}}"#;
        std::fs::write(places.user_mcp_json(), servers).unwrap();
        let options = AuditOptions {
            calls: AuditRetention::by_age(Duration::MAX),
            decisions: AuditRetention::by_age(Duration::MAX),
            mode: AuditMode::BestEffort,
        };
        let audit = Arc::new(AuditLog::open(&places.audit(), options).unwrap());
        let tap = MessageTap::default();
        let recorder = MessageRecorder::new(tap.clone(), places, Some(Arc::clone(&audit)));
        Self { recorder, tap, audit, home }
    }

    async fn record(&self, subject: RecordingSubject) -> u64 {
        let wanted = WantedRecording { subject, time: TIME };
        self.recorder.start(wanted).await.unwrap()
    }

    fn messages(&self, id: u64) -> Vec<Arc<RecordedMessage>> {
        self.recorder.messages(id).unwrap()
    }

    /// The lines of the audit log about recordings.
    fn audited(&self) -> Vec<serde_json::Value> {
        self.audit.flush().unwrap();
        let file = places(self.home.path()).audit();
        let entries = last(&file, &AuditFilter::default(), 100).unwrap();
        let lines = entries.iter().map(|entry| serde_json::to_value(entry).unwrap());
        lines.filter(|line| line["method"].to_string().contains("recordings/")).collect()
    }

    fn pass(&self, message: PassedMessage<'_>) {
        // Like the code that sends and receives.
        if let Some(observer) = self.tap.observer() {
            observer.message(message);
        }
    }

    /// A call of a client passes the hub to a server and back.
    fn call(&self, caller: &Caller, server: &str, argument: &str) {
        use WireDirection::{Received, Sent};
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"a":"{argument}"}}}}"#
        );
        self.pass(from_client(caller, Received, &request));
        if let Some(observer) = self.tap.observer() {
            observer.call_begins(&RequestId::from(7), caller);
        }
        let forwarded = request.replace(r#""id":7"#, r#""id":40"#);
        let to_server = from_server(server, Sent, &forwarded);
        self.pass(PassedMessage { caller: Some(caller), ..to_server });
        self.pass(from_server(server, Received, r#"{"jsonrpc":"2.0","id":40,"result":{"b":1}}"#));
        self.pass(from_client(caller, Sent, r#"{"jsonrpc":"2.0","id":7,"result":{"b":1}}"#));
    }
}

fn places(home: &Path) -> Places {
    Places {
        home: home.into(),
        config_dir: home.join("config"),
        data_dir: home.join("data"),
        state_dir: home.join("state"),
        runtime_dir: home.join("run"),
        project: home.join("project"),
    }
}

fn caller(name: &str) -> Caller {
    let client = Some(Arc::new(Implementation::new(name, "1")));
    Caller { client, ..Caller::new(ClientId::next(), Principal::anonymous()) }
}

fn message<'a>(
    peer: MessagePeer<'a>,
    direction: WireDirection,
    text: &'a str,
) -> PassedMessage<'a> {
    PassedMessage { peer, direction, text, is_readable: true, revision: None, caller: None }
}

fn from_client<'a>(
    caller: &'a Caller,
    direction: WireDirection,
    text: &'a str,
) -> PassedMessage<'a> {
    let name = caller.client.as_ref().map(|client| &*client.name);
    message(MessagePeer::Client { id: caller.client_id, name }, direction, text)
}

fn from_server<'a>(name: &'a str, direction: WireDirection, text: &'a str) -> PassedMessage<'a> {
    message(MessagePeer::Server { name, connection: 1 }, direction, text)
}

fn server(name: &str) -> RecordingSubject {
    RecordingSubject::Server(name.into())
}

fn client(name: &str) -> RecordingSubject {
    RecordingSubject::Client(name.into())
}

#[tokio::test]
async fn a_recording_has_both_sides_of_the_calls_of_its_server() {
    let stage = Stage::new();
    let caller = caller("ada");
    stage.call(&caller, "shop", "before");
    let id = stage.record(server("shop")).await;
    stage.call(&caller, "shop", "one");
    stage.call(&caller, "other", "two");
    let messages = stage.messages(id);
    let ways: Vec<_> = messages.iter().map(|it| (it.side, it.direction, it.kind)).collect();
    use hobnob_ui::{MessageDirection as Way, MessageSide as Side};
    let expected = [
        (Side::Client, Way::Received, RecordedKind::Request),
        (Side::Server, Way::Sent, RecordedKind::Request),
        (Side::Server, Way::Received, RecordedKind::Answer),
        (Side::Client, Way::Sent, RecordedKind::Answer),
    ];
    assert_eq!(ways, expected);
    assert!(messages[0].text.contains(r#""a":"one""#), "{}", messages[0].text);
    for message in &messages {
        assert_eq!(message.call, messages[0].call, "one number on both sides");
        assert_eq!(message.method.as_deref(), Some("tools/call"), "answers have it, too");
        assert_eq!(message.client.as_deref(), Some("ada"));
    }
    assert!(messages[0].call.is_some());
    assert_eq!(messages[0].exchange, messages[3].exchange);
    assert_eq!(messages[1].exchange, messages[2].exchange);
    assert_ne!(messages[0].exchange, messages[1].exchange);
}

#[tokio::test]
async fn a_recording_of_a_client_has_its_calls_and_no_others() {
    let stage = Stage::new();
    let (ada, bob) = (caller("ada"), caller("bob"));
    let one = stage.record(client("ada")).await;
    let all = stage.record(RecordingSubject::AllClients).await;
    stage.call(&ada, "shop", "hers");
    stage.call(&bob, "shop", "his");
    let of = |id| stage.messages(id).iter().filter(|it| it.text.contains("hers")).count();
    assert_eq!((stage.messages(one).len(), of(one)), (4, 2));
    assert_eq!((stage.messages(all).len(), of(all)), (8, 2));
}

#[tokio::test]
async fn progress_and_cancellations_belong_to_the_call() {
    use WireDirection::{Received, Sent};
    let stage = Stage::new();
    let ada = caller("ada");
    let id = stage.record(server("shop")).await;
    let request = |id, token: &str| {
        let meta = format!(r#"{{"_meta":{{"progressToken":{token}}}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{meta}}}"#)
    };
    let progress = |token: &str| {
        let params = format!(r#"{{"progressToken":{token},"progress":1}}"#);
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#)
    };
    stage.pass(from_client(&ada, Received, &request(7, "\"mine\"")));
    stage.tap.observer().unwrap().call_begins(&RequestId::from(7), &ada);
    let forwarded = request(40, "40");
    let to_server = from_server("shop", Sent, &forwarded);
    stage.pass(PassedMessage { caller: Some(&ada), ..to_server });
    stage.pass(from_server("shop", Received, &progress("40")));
    stage.pass(from_client(&ada, Sent, &progress("\"mine\"")));
    stage.pass(from_client(&ada, Sent, &progress("\"another\"")));
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    stage.pass(from_client(&ada, Received, cancelled));
    let messages = stage.messages(id);
    assert_eq!(messages.len(), 5, "{messages:#?}");
    assert!(messages.iter().all(|it| it.call.is_some() && it.call == messages[0].call));
}

#[tokio::test]
async fn secrets_are_masked_before_a_message_is_kept() {
    let stage = Stage::new();
    let id = stage.record(server("shop")).await;
    let value = env!("CARGO_MANIFEST_DIR");
    let token = ["ghp", "_", &"a1B2c3D4e5F6".repeat(3)].concat();
    let escaped: String = value.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    stage.call(&caller("ada"), "shop", &format!("{value} and {escaped}"));
    stage.call(&caller("ada"), "shop", &token);
    let texts: String = stage.messages(id).iter().map(|it| &*it.text).collect();
    for secret in [value, &escaped, &*token] {
        assert!(!texts.contains(secret), "{secret} in {texts}");
    }
    assert_eq!(texts.matches("${CARGO_MANIFEST_DIR} and ${CARGO_MANIFEST_DIR}").count(), 2);
    assert!(texts.contains("[redacted: "), "{texts}");
}

#[tokio::test]
async fn a_recording_is_bounded_in_messages_and_bytes() {
    let stage = Stage::new();
    let id = stage.record(server("shop")).await;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
    for _ in 0..MAX_MESSAGES + 100 {
        stage.pass(from_server("shop", WireDirection::Received, note));
    }
    let summary = &stage.recorder.list()[0];
    assert_eq!((summary.kept, summary.total), (MAX_MESSAGES, 600));
    let long =
        format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"a":"{}"}}}}"#, "é".repeat(200_000));
    for _ in 0..70 {
        stage.pass(from_server("shop", WireDirection::Received, &long));
    }
    let summary = &stage.recorder.list()[0];
    assert!(summary.bytes <= MAX_BYTES && summary.kept < 70, "{summary:?}");
    let last = stage.messages(id).pop().unwrap();
    assert!(last.is_cut && last.text.len() <= MAX_TEXT_BYTES, "{}", last.text.len());
    assert_eq!(last.bytes, long.len());
}

#[tokio::test]
async fn three_recordings_run_at_most() {
    let stage = Stage::new();
    for name in ["a", "b", "c"] {
        stage.record(client(name)).await;
    }
    let wanted = WantedRecording { subject: client("d"), time: TIME };
    let refused = stage.recorder.start(wanted).await.unwrap_err();
    assert!(matches!(refused, NotStarted::Refused(_)), "{refused:?}");
    assert!(stage.recorder.stop(1) && !stage.recorder.stop(1));
    stage.record(client("d")).await;
    let wanted = WantedRecording { subject: server("nowhere"), time: TIME };
    stage.recorder.stop(2);
    assert_eq!(stage.recorder.start(wanted).await, Err(NotStarted::UnknownServer));
}

#[tokio::test]
async fn nothing_is_left_of_a_stopped_recording() {
    let stage = Stage::new();
    let id = stage.record(server("shop")).await;
    stage.call(&caller("ada"), "shop", "one");
    let kept: Vec<Weak<RecordedMessage>> = stage.messages(id).iter().map(Arc::downgrade).collect();
    assert_eq!(kept.iter().filter_map(Weak::upgrade).count(), 4);
    assert!(stage.tap.is_open());
    assert!(stage.recorder.stop(id));
    assert_eq!(kept.iter().filter_map(Weak::upgrade).count(), 0);
    assert_eq!((stage.tap.is_open(), stage.recorder.messages(id)), (false, None));
    let lines = stage.audited();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(
        (&lines[0]["method"], &lines[0]["server"]),
        (&"recordings/start".into(), &"shop".into())
    );
    assert_eq!(lines[0]["duration_us"], 600_000_000);
    assert_eq!(lines[1]["method"], "recordings/stop");
}

#[tokio::test(start_paused = true)]
async fn a_recording_ends_in_time_and_with_the_hub() {
    let stage = Stage::new();
    let (mut running, stop) = (JoinSet::new(), CancellationToken::new());
    running.spawn(Arc::clone(&stage.recorder).run(stop.clone()));
    let first = stage.record(server("shop")).await;
    advance(TIME - Duration::from_secs(1)).await;
    yield_now().await;
    assert!(stage.recorder.messages(first).is_some() && stage.tap.is_open());
    let second = stage.record(RecordingSubject::AllClients).await;
    advance(Duration::from_secs(2)).await;
    while stage.recorder.messages(first).is_some() {
        yield_now().await;
    }
    assert!(stage.recorder.messages(second).is_some() && stage.tap.is_open());
    stop.cancel();
    running.join_next().await.unwrap().unwrap();
    assert!(stage.recorder.messages(second).is_none() && !stage.tap.is_open());
    let stopped: Vec<_> =
        stage.audited().into_iter().filter(|line| line["method"] == "recordings/stop").collect();
    assert_eq!(stopped.len(), 2, "{stopped:?}");
}
