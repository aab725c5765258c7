//! Makes the frames of the event stream: calls at most ten times a second, their progress at most four
//! times, and once a second the status, the questions and the changes that differ from the last ones.
//!
//! The hub runs [`publish`] for as long as it runs. What must stay true: it does nothing while no
//! page watches.

use super::page_events::PageEvents;
use crate::hub_state::HubState;
use crate::page_change::PageChange;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The shortest time from one frame with calls to the next.
const FRAME_INTERVAL: Duration = Duration::from_millis(100);

/// The shortest time from one frame with progress to the next.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// How often the hub's state is compared with the last one.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long frames are made for pages that lost their connection.
const ABSENCE: Duration = Duration::from_secs(30);

/// Makes frames until the hub stops.
pub(crate) async fn publish(events: &PageEvents) {
    tokio::select! {
        () = events.stop.cancelled() => {}
        () = publish_calls(events) => {}
        () = publish_progress(events) => {}
        () = publish_states(events) => {}
    }
}

async fn publish_calls(events: &PageEvents) {
    loop {
        events.feed.has_fresh.notified().await;
        events.publish_fresh();
        sleep(FRAME_INTERVAL).await;
    }
}

async fn publish_progress(events: &PageEvents) {
    loop {
        events.feed.has_progress.notified().await;
        events.publish_progress();
        sleep(PROGRESS_INTERVAL).await;
    }
}

async fn publish_states(events: &PageEvents) {
    let mut streams = events.uses.watch_streams();
    loop {
        // The sender lives as long as `events`, so the wait cannot fail.
        if streams.wait_for(|count| 0 < *count).await.is_err() {
            return;
        }
        let (mut marks, mut watched) = (StateMarks::default(), Instant::now());
        loop {
            marks.publish_changes(events).await;
            sleep(POLL_INTERVAL).await;
            let is_watched = 0 < *streams.borrow_and_update();
            if is_watched {
                watched = Instant::now();
            } else if ABSENCE <= watched.elapsed() && events.rest() {
                break;
            }
        }
    }
}

/// What the last frames said.
#[derive(Default)]
struct StateMarks {
    status: Option<String>,
    questions: Option<String>,
    recordings: Option<String>,
    tools: Option<String>,
    limits: Option<String>,
}

impl StateMarks {
    /// Makes a frame of each part that differs from the last one.
    async fn publish_changes(&mut self, events: &PageEvents) {
        let Some(state) = HubState::read(&events.source).await else { return };
        if differs(&mut self.tools, state.tools_mark()) {
            events.changes.add(PageChange::Tools);
        }
        if differs(&mut self.limits, state.limits_mark()) {
            events.changes.add(PageChange::Health);
        }
        if differs(&mut self.status, state.status_mark()) {
            events.push("status", &state.status);
        }
        if differs(&mut self.questions, state.questions_mark()) {
            events.push("questions", &state.questions_json());
        }
        if differs(&mut self.recordings, state.recordings_mark()) {
            events.push("recordings", &state.recordings);
        }
        if let Some(changed) = events.changes.take() {
            events.push("changed", &changed);
        }
    }
}

fn differs(last: &mut Option<String>, mark: Option<String>) -> bool {
    let differs = *last != mark;
    *last = mark;
    differs
}
