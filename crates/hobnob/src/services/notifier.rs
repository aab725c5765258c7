//! Tells the clients of every view what changed in the store, whichever process changed it.

use super::open::Services;
use hobnob_gateway::{Gateway, ViewId};
use hobnob_mcp_engine::{Change, ChangeHub};
use hobnob_services::Presentation;
use hobnob_services::memory::Touched;
use hobnob_store::changes::RecordChange;
use hobnob_store::sqlite::Heard;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long after a failure the store is listened to again.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// How long a namespace stays in lists after its last memory has gone.
const LATER: Duration = Duration::from_secs(1);

/// One view's clients.
pub(crate) struct ViewSubscriber {
    /// Which view.
    pub(crate) view: ViewId,
    /// How it shows the services.
    pub(crate) presentation: Presentation,
    /// Where its clients listen.
    pub(crate) hub: ChangeHub,
    /// Whether it shows memories.
    pub(crate) memory: bool,
}

/// Everybody who is to be told.
pub(crate) struct StoreNotifier {
    pub(crate) services: Services,
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) subscribers: Vec<ViewSubscriber>,
}

impl StoreNotifier {
    /// Tells until told to stop.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let listening = async {
            loop {
                if let Err(error) = self.listen().await {
                    self.services.note_failure(&error.context("changes cannot be followed"));
                }
                tokio::time::sleep(AFTER_FAILURE).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            never = listening => match never {},
        }
    }

    async fn listen(&self) -> anyhow::Result<()> {
        let Some(kept) = &self.services.kept else {
            return std::future::pending().await;
        };
        let mut feed = kept.store.feed().await?;
        // Since the kits were made, or since the last failure, anything may have changed.
        let mut heard = Heard::Changes(Vec::new());
        loop {
            let now = self.services.on_show().await?;
            if self.services.shown() != now {
                self.show_anew(&now);
            }
            self.services.show(now);
            let mut due = None;
            loop {
                match &heard {
                    Heard::Changes(changes) => self.tell(changes),
                    Heard::Everything => self.tell_all(),
                }
                heard = match due {
                    None => feed.next().await?,
                    Some(due) => match tokio::time::timeout_at(due, feed.next()).await {
                        Ok(heard) => heard?,
                        Err(_) => {
                            heard = Heard::Changes(Vec::new());
                            break;
                        }
                    },
                };
                match self.touched(&heard) {
                    Touched::Not => {}
                    Touched::Later => drop(due.get_or_insert_with(|| Instant::now() + LATER)),
                    Touched::Now => break,
                }
            }
        }
    }

    fn tell(&self, changes: &[RecordChange]) {
        for subscriber in &self.subscribers {
            let presentation = &subscriber.presentation;
            let memory = self.services.memory.iter().filter(|_| subscriber.memory);
            let of_memory =
                memory.flat_map(|it| changes.iter().flat_map(|one| it.news(presentation, one)));
            let tasks = self.services.tasks.iter();
            let of_tasks =
                tasks.flat_map(|it| changes.iter().flat_map(|one| it.uris_of(presentation, one)));
            let uris: BTreeSet<String> = of_memory.chain(of_tasks).collect();
            for uri in uris {
                subscriber.hub.publish(&Change::Resource(uri.into()));
            }
        }
    }

    /// So much changed that nobody knows what: whoever has a list reads it again.
    fn tell_all(&self) {
        let shown = self.services.shown();
        for subscriber in &self.subscribers {
            subscriber.hub.publish(&Change::Resources);
            let memory = self.services.memory.iter().filter(|_| subscriber.memory);
            let of_memory = memory.flat_map(|it| it.all_news(&subscriber.presentation, &shown));
            let tasks = self.services.tasks.iter();
            let of_tasks = tasks.flat_map(|it| it.all_news(&subscriber.presentation));
            for uri in of_memory.chain(of_tasks) {
                subscriber.hub.publish(&Change::Resource(uri.into()));
            }
        }
    }

    /// Whether the lists of prompts or resources may look different now.
    fn touched(&self, heard: &Heard) -> Touched {
        let Heard::Changes(changes) = heard else { return Touched::Now };
        let Some(memory) = &self.services.memory else { return Touched::Not };
        let shown = self.services.shown();
        let touched = changes.iter().map(|one| memory.touches(&shown, one));
        touched.max().unwrap_or(Touched::Not)
    }

    fn show_anew(&self, shown: &hobnob_services::memory::OnShow) {
        let Some(memory) = &self.services.memory else { return };
        for subscriber in self.subscribers.iter().filter(|subscriber| subscriber.memory) {
            let kit = memory.kit(&subscriber.presentation, shown);
            if let Err(error) = kit.and_then(|kit| self.gateway.replace_kit(subscriber.view, kit)) {
                tracing::warn!(%error, "stored prompts or namespaces cannot be listed");
            }
        }
    }
}
