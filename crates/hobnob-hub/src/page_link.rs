//! Asks the running hub of this project for a one-time link to its page, for `hobnob ui`.
//!
//! What must stay true: a hub that is too old for the request is recognised, and the answer says
//! how to restart it.

use crate::control::{
    ControlRequest, ControlSocketKind, PageAnswer, UNKNOWN_REQUEST, WhichHubs, connect, exchange,
};
use crate::hub_description::HubDescription;
use crate::running_hubs::{hub_of_process, hub_process};
use hobnob_config::Places;
use tokio::net::UnixStream;

/// The answer of a running hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageLink {
    /// The page can be opened once at this address.
    Url(String),
    /// The hub is older than this program and has no page; how it is restarted, if it says so.
    OldHub(Option<String>),
    /// The hub refuses, or cannot show the page.
    Failed(String),
}

/// Asks the newest hub that shows everything, or else the newest with one profile; `None` if no hub
/// runs, or none that accepts this program.
///
/// # Errors
/// When the hub ends meanwhile.
pub async fn ask(places: &Places) -> anyhow::Result<Option<PageLink>> {
    for kind in [ControlSocketKind::Whole, ControlSocketKind::QuestionsOnly] {
        if let Some(mut hub) = connect(places, WhichHubs::Ours, &[kind]).await.next() {
            return link_of(places, &mut hub).await.map(Some);
        }
    }
    Ok(None)
}

async fn link_of(places: &Places, hub: &mut UnixStream) -> anyhow::Result<PageLink> {
    Ok(match exchange(hub, &ControlRequest::OpenPage).await? {
        PageAnswer::Page { url } => PageLink::Url(url),
        PageAnswer::Failed(why) if why == UNKNOWN_REQUEST => {
            let about = match hub_process(hub) {
                Some(process) => hub_of_process(places, process).await,
                None => None,
            };
            let outdated = about.as_ref().and_then(HubDescription::outdated);
            PageLink::OldHub(outdated.map(|outdated| outdated.remedy))
        }
        PageAnswer::Failed(why) => PageLink::Failed(why),
    })
}
