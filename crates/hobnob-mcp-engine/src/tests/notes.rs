//! Notes reach a sink only if it wants them.

use crate::{BoxFuture, Note, NoteSink, Notes, OutputStream, StreamEvent};
use hobnob_mcp_types::logging::LoggingLevel;
use parking_lot::Mutex;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Wants progress or not, and logs from a level on; records what it was sent.
struct Page {
    progress: bool,
    from: Option<LoggingLevel>,
    lines: Mutex<Vec<String>>,
}

impl NoteSink for Page {
    fn wants_progress(&self) -> bool {
        self.progress
    }

    fn wants_log(&self, level: LoggingLevel) -> bool {
        self.from.is_some_and(|from| level >= from)
    }

    fn send(&self, note: Note) {
        let line = match note {
            Note::Progress { progress, total, message } => {
                format!("{progress}/{total:?} {}", message.unwrap_or_default())
            }
            Note::Event(event) => {
                format!("{} {}", event.kind(), event.message().unwrap_or_default())
            }
            Note::Log { level, logger, data } => {
                format!("{level:?} {} {data}", logger.unwrap_or_default())
            }
            Note::Pause { retry } => format!("pause {retry:?}"),
            Note::Watch { uri } => format!("watch {uri}"),
            Note::Unwatch { uri } => format!("unwatch {uri}"),
        };
        self.lines.lock().push(line);
    }
}

/// What a sink receives when one note of each kind is sent.
fn check(progress: bool, from: Option<LoggingLevel>) -> Vec<String> {
    let page = Arc::new(Page { progress, from, lines: Mutex::default() });
    let notes = Notes::new(page.clone());
    notes.progress(1.5, Some(3.0), Some("half"));
    notes.progress(3.0, None, None);
    notes.output(OutputStream::Stderr, "oh");
    notes.log(LoggingLevel::Debug, None, &"detail");
    notes.log(LoggingLevel::Error, Some("disk"), &serde_json::json!({"left": 0}));
    notes.pause(Duration::from_millis(500));
    page.lines.lock().clone()
}

#[test]
fn only_wanted_notes_are_sent() {
    let progress = ["1.5/Some(3.0) half", "3/None ", "stderr oh"];
    let (debug, error, pause) = ("Debug  \"detail\"", "Error disk {\"left\":0}", "pause 500ms");
    assert_eq!(check(false, None), [pause]);
    assert_eq!(check(true, None), [progress[0], progress[1], progress[2], pause]);
    assert_eq!(check(false, Some(LoggingLevel::Debug)), [debug, error, pause]);
    assert_eq!(check(false, Some(LoggingLevel::Error)), [error, pause]);
    assert_eq!(check(false, Some(LoggingLevel::Emergency)), [pause]);
    assert_eq!(
        check(true, Some(LoggingLevel::Warning)),
        [progress[0], progress[1], progress[2], error, pause]
    );
}

#[test]
fn subscriptions_are_passed_on_whatever_else_is_wanted() {
    let page = Arc::new(Page { progress: false, from: None, lines: Mutex::default() });
    let notes = Notes::new(page.clone());
    notes.watch("test://a");
    notes.unwatch("test://b");
    let lines = page.lines.lock().clone();
    assert_eq!(lines, ["watch test://a", "unwatch test://b"]);
}

#[test]
fn data_that_is_no_json_is_not_sent() {
    let page =
        Arc::new(Page { progress: true, from: Some(LoggingLevel::Debug), lines: Mutex::default() });
    let broken: std::collections::HashMap<(u8, u8), u8> = [((1, 2), 3)].into();
    Notes::new(page.clone()).log(LoggingLevel::Error, None, &broken);
    assert!(page.lines.lock().is_empty());
}

#[test]
fn silent_notes_go_nowhere() {
    for notes in [Notes::silent(), Notes::default()] {
        notes.progress(1.0, None, None);
        notes.log(LoggingLevel::Emergency, None, &1);
        notes.output(OutputStream::Stdout, "text");
        notes.pause(Duration::ZERO);
        notes.watch("test://a");
        assert_eq!(format!("{notes:?}"), "Notes(silent)");
    }
}

/// Has room for one event at a time, until the test makes room again.
#[derive(Default)]
struct Narrow {
    full: AtomicBool,
    taken: Mutex<Vec<String>>,
}

impl NoteSink for Narrow {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        false
    }

    fn send(&self, note: Note) {
        let Note::Event(event) = note else { panic!("{note:?}") };
        assert!(!self.full.swap(true, Ordering::Relaxed), "there was no room");
        self.taken.lock().push(event.to_json());
    }

    fn needs_every_event(&self) -> bool {
        true
    }

    fn room(&self) -> Option<BoxFuture<'_, ()>> {
        let full = || self.full.load(Ordering::Relaxed);
        full().then(|| -> BoxFuture<'_, ()> {
            let wait =
                move |_: &mut Context<'_>| if full() { Poll::Pending } else { Poll::Ready(()) };
            Box::pin(std::future::poll_fn(wait))
        })
    }
}

#[test]
fn an_event_waits_for_room_where_none_may_be_lost() {
    let narrow = Arc::new(Narrow::default());
    let notes = Notes::new(narrow.clone());
    assert!(notes.needs_every_event());
    let mut context = Context::from_waker(Waker::noop());
    let mut first = pin!(notes.emit(StreamEvent::content("one")));
    assert!(first.as_mut().poll(&mut context).is_ready(), "there is room at first");
    let mut second = pin!(notes.emit(StreamEvent::content("two")));
    for _ in 0..3 {
        assert!(second.as_mut().poll(&mut context).is_pending());
    }
    narrow.full.store(false, Ordering::Relaxed);
    assert!(second.as_mut().poll(&mut context).is_ready());
    let taken = narrow.taken.lock().clone();
    assert_eq!(taken, [r#"{"type":"content","text":"one"}"#, r#"{"type":"content","text":"two"}"#]);
}

#[test]
fn nobody_waits_for_a_sink_that_may_lose_events() {
    let page = Arc::new(Page { progress: true, from: None, lines: Mutex::default() });
    for notes in [Notes::new(page), Notes::silent()] {
        assert!(notes.room().is_none() && !notes.needs_every_event());
    }
}
