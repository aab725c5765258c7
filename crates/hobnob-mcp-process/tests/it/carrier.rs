//! Messages over the pipes of a child, and over a socket.

use crate::support::{LONG, levels, mark, shell, spec, until};
use hobnob_mcp_process::child::{Child, StopGrace};
use hobnob_mcp_process::supervisor::Level;
use hobnob_mcp_transport::{
    Carrier, Line, LineLimits, Loss, Outgoing, OutgoingKind, Receiver, RequestHead, SendError,
    link_over, open_lines,
};
use hobnob_mcp_types::{Incoming, Message, Method, RequestId, Undecodable};
use std::sync::Arc;
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

#[derive(Debug, PartialEq)]
enum Event {
    /// The length of a notification's parameters.
    Params(usize),
    Other,
    Garbage,
    Lost(RequestId, Loss),
    Ended(String),
}

struct EventRecorder(mpsc::Sender<Event>);

impl EventRecorder {
    fn new() -> (Arc<Self>, mpsc::Receiver<Event>) {
        let (sender, events) = mpsc::channel(10_000);
        (Arc::new(Self(sender)), events)
    }

    fn record(&self, events: Event) {
        self.0.try_send(events).expect("the queue has space");
    }
}

impl Receiver for EventRecorder {
    fn received(&self, message: Result<Incoming, Undecodable>, exchange: Option<&RequestId>) {
        assert_eq!(exchange, None);
        self.record(match message {
            Ok(Incoming::One(Message::Notification(note))) => {
                Event::Params(note.params.raw().len())
            }
            Ok(_) => Event::Other,
            Err(_) => Event::Garbage,
        });
    }

    fn lost(&self, id: &RequestId, why: Loss) {
        self.record(Event::Lost(id.clone(), why));
    }

    fn ended(&self, why: &str) {
        self.record(Event::Ended(why.into()));
    }
}

async fn next(events: &mut mpsc::Receiver<Event>) -> Event {
    timeout(LONG, events.recv()).await.expect("in time").expect("something")
}

/// A notification in a line of exactly `bytes` bytes, and the length of its parameters.
fn note(bytes: usize) -> (Outgoing, usize) {
    let frame = |pad: usize| {
        let pad = "x".repeat(pad);
        format!("{{\"jsonrpc\":\"2.0\",\n\"method\":\"note\",\"params\":{{\"pad\":\"{pad}\"}}}}")
    };
    let around = frame(0).len();
    let outgoing =
        Outgoing { text: frame(bytes - around), kind: OutgoingKind::OneWay { revision: None } };
    (outgoing, bytes - around + "{\"pad\":\"\"}".len())
}

fn request(number: i64, bytes: usize) -> Outgoing {
    let head = RequestHead {
        id: RequestId::from(number),
        method: Method::Ping,
        revision: None,
        name: None,
        mirrored: Vec::new(),
    };
    Outgoing { text: " ".repeat(bytes), kind: OutgoingKind::Request(head) }
}

const SIZES: [usize; 7] = [100, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 1 << 20, 15 << 20, 100];

#[tokio::test]
async fn large_lines_pass_both_ways_at_once() {
    for level in levels() {
        let (child, pipes) = Child::spawn(&spec(level, "cat", &[])).expect("starts");
        let tasks = TaskTracker::new();
        let (receiver, mut events) = EventRecorder::new();
        let carrier =
            open_lines(pipes.stdout, pipes.stdin, LineLimits::default(), receiver, &tasks);
        let expected = SIZES.map(|size| {
            let (message, length) = note(size);
            carrier.send(message).expect("the queue has space");
            length
        });
        for length in expected {
            assert_eq!(next(&mut events).await, Event::Params(length), "{level:?}");
        }
        carrier.close();
        assert_eq!(carrier.send(note(100).0), Err(SendError::Ended));
        child.stop(StopGrace { eof: LONG, term: LONG }).await;
        tasks.close();
        timeout(LONG, tasks.wait()).await.expect("both tasks end");
        assert!(events.try_recv().is_err(), "nothing is received after closing");
    }
}

#[tokio::test]
async fn thousands_of_messages_keep_their_order() {
    let (child, pipes) = Child::spawn(&spec(Level::Group, "cat", &[])).expect("starts");
    let tasks = TaskTracker::new();
    let (receiver, mut events) = EventRecorder::new();
    let carrier = open_lines(pipes.stdout, pipes.stdin, LineLimits::default(), receiver, &tasks);
    let sizes: Vec<usize> = (0..5_000).map(|number| 100 + number * 7 % 3_000).collect();
    let expected: Vec<usize> = sizes
        .iter()
        .map(|size| {
            let (message, length) = note(*size);
            carrier.send(message).expect("the queue has space");
            length
        })
        .collect();
    for length in expected {
        assert_eq!(next(&mut events).await, Event::Params(length));
    }
    // Dropping the carrier ends the child's input.
    drop(carrier);
    child.stop(StopGrace { eof: LONG, term: LONG }).await;
}

#[tokio::test]
async fn a_child_that_does_not_read_is_not_sent_more() {
    let (child, pipes) = Child::spawn(&spec(Level::Group, "sleep", &[&mark()])).expect("starts");
    let tasks = TaskTracker::new();
    let (receiver, mut events) = EventRecorder::new();
    let limits = LineLimits { unsent_bytes: 4 << 20, ..LineLimits::default() };
    let carrier = open_lines(pipes.stdout, pipes.stdin, limits, receiver, &tasks);
    let mut taken = 0;
    let refused = loop {
        match carrier.send(request(taken, 1 << 20)) {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(refused, SendError::Full);
    assert_eq!(taken, 3, "three and what belongs to them are less than four megabytes");
    // The first message is already partly in the pipe.
    let short = std::time::Duration::from_millis(50);
    assert!(timeout(short, events.recv()).await.is_err(), "nothing is lost yet");
    child.stop(StopGrace { eof: short, term: LONG }).await;
    let why = "the server closed its output";
    for number in 1..taken {
        let loss = Loss::Unsent(why.into());
        assert_eq!(next(&mut events).await, Event::Lost(RequestId::from(number), loss));
    }
    assert_eq!(next(&mut events).await, Event::Ended(why.into()));
    assert_eq!(carrier.send(request(99, 1)), Err(SendError::Ended));
    tasks.close();
    timeout(LONG, tasks.wait()).await.expect("both tasks end");
}

#[tokio::test]
async fn a_half_closed_child_is_noticed_while_it_lives() {
    for level in levels() {
        for (script, why) in [
            ("exec 1>&-; exec sleep $1", "the server closed its output"),
            ("exec 0<&-; echo ready; exec sleep $1", "the server closed its input"),
        ] {
            let (mut child, pipes) = shell(level, script, &[&mark()]);
            let tasks = TaskTracker::new();
            let (receiver, mut events) = EventRecorder::new();
            let carrier =
                open_lines(pipes.stdout, pipes.stdin, LineLimits::default(), receiver, &tasks);
            if script.contains("ready") {
                assert_eq!(next(&mut events).await, Event::Garbage);
                until("nothing can be sent", || carrier.send(note(100).0).is_err()).await;
            }
            assert_eq!(next(&mut events).await, Event::Ended(why.into()), "{level:?}");
            let short = std::time::Duration::from_millis(20);
            assert!(timeout(short, child.exited()).await.is_err(), "it lives");
        }
    }
}

#[tokio::test]
async fn a_banner_is_passed_on_as_what_it_is() {
    let script = "echo 'Starting...'; echo; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'; \
                  head -c 300 /dev/zero; echo; printf '{\"jsonrpc\":\"2.0\",\"method\":\"last\"}'";
    let (_child, pipes) = shell(Level::Group, script, &[]);
    let (receiver, mut events) = EventRecorder::new();
    let limits = LineLimits { line_bytes: 200, ..LineLimits::default() };
    let tasks = TaskTracker::new();
    let _carrier = open_lines(pipes.stdout, pipes.stdin, limits, receiver, &tasks);
    assert_eq!(next(&mut events).await, Event::Garbage);
    assert_eq!(next(&mut events).await, Event::Other);
    assert_eq!(next(&mut events).await, Event::Garbage, "the long line");
    assert!(matches!(next(&mut events).await, Event::Params(_)), "the last needs no line end");
    assert_eq!(next(&mut events).await, Event::Ended("the server closed its output".into()));
}

#[tokio::test]
async fn a_socket_is_served_as_a_link() {
    let (ours, theirs) = UnixStream::pair().expect("a pair");
    let tasks = TaskTracker::new();
    let (read, write) = theirs.into_split();
    let mut link = link_over(read, write, LineLimits::default(), &tasks);
    tasks.spawn(async move {
        while let Some(lines) = link.lines.recv().await {
            for line in lines {
                let Line::Text(text) = line else { panic!("no line is too long") };
                link.outbox.reply(text, None);
            }
        }
        link.outbox.finish();
    });
    let (receiver, mut events) = EventRecorder::new();
    let (read, write) = ours.into_split();
    let carrier = open_lines(read, write, LineLimits::default(), receiver, &tasks);
    let expected = SIZES.map(|size| {
        let (message, length) = note(size);
        carrier.send(message).expect("the queue has space");
        length
    });
    for length in expected {
        assert_eq!(next(&mut events).await, Event::Params(length));
    }
    carrier.close();
    tasks.close();
    timeout(LONG, tasks.wait()).await.expect("all four tasks and the server end");
}
