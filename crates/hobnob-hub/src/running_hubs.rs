//! The running hubs of this user: lists them and stops one.
//!
//! `hobnob hubs` and `hobnob stop` ask through the control sockets. A hub that does not answer in
//! time is left out.

use crate::control::{
    self, ControlAnswer, ControlRequest, ControlSocketKind, DescriptionAnswer, WhichHubs,
};
use crate::hub_description::HubDescription;
use hobnob_config::Places;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::time::timeout;

/// How long a hub may take to answer, even on a busy machine.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// Every kind of hub has one of these sockets.
const KINDS: [ControlSocketKind; 2] = [ControlSocketKind::Whole, ControlSocketKind::QuestionsOnly];

/// The running hubs, the newest first.
pub async fn running_hubs(places: &Places, which: WhichHubs) -> Vec<HubDescription> {
    let mut hubs = Vec::new();
    for mut stream in streams(places, which).await {
        hubs.extend(describe(&mut stream).await);
    }
    hubs.sort_by_key(|hub| hub.uptime_seconds);
    hubs
}

/// The process at the other end of a private socket, if the system reports it.
pub fn hub_process(connection: &UnixStream) -> Option<i32> {
    connection.peer_cred().ok()?.pid()
}

/// The hub of this project in this process, if it describes itself.
pub async fn hub_of_process(places: &Places, process: i32) -> Option<HubDescription> {
    let mut ours = control::connect(places, WhichHubs::Ours, &KINDS[..1]).await;
    let mut stream = ours.find(|stream| hub_process(stream) == Some(process))?;
    describe(&mut stream).await
}

/// Asks the hub with this process id to stop; returns whether it will.
pub async fn stop(places: &Places, pid: u32) -> bool {
    let request = ControlRequest::Stop { pid };
    for mut stream in streams(places, WhichHubs::All).await {
        let asking = control::exchange(&mut stream, &request);
        if matches!(timeout(ANSWER_TIMEOUT, asking).await, Ok(Ok(ControlAnswer::Done))) {
            return true;
        }
    }
    false
}

async fn streams(places: &Places, which: WhichHubs) -> Vec<UnixStream> {
    control::connect(places, which, &KINDS).await.collect()
}

async fn describe(stream: &mut UnixStream) -> Option<HubDescription> {
    let asking = control::exchange(stream, &ControlRequest::Describe);
    match timeout(ANSWER_TIMEOUT, asking).await {
        Ok(Ok(DescriptionAnswer::Description(hub))) => Some(hub),
        Ok(Ok(DescriptionAnswer::Failed(why))) => {
            tracing::debug!("a hub does not describe itself: {why}");
            None
        }
        Ok(Err(error)) => {
            tracing::debug!("a hub does not describe itself: {error:#}");
            None
        }
        Err(_) => None,
    }
}
