//! The state of one legacy session, or of one pipe, which may speak both eras.
//!
//! [`Session`](crate::Session) owns it and changes it as messages come in; running calls read it.
//! Locks are held for a moment only, never across an `.await`.

use crate::handshake::Handshake;
use crate::open_questions::OpenQuestions;
use crate::roots::KnownRoots;
use crate::server::Server;
use crate::traffic;
use crate::watched::Watched;
use hobnob_mcp_engine::{
    Change, ChangeSink, ClientId, Dialogue, EndedSession, HandshakeRules, LegacyPeer, Principal,
    ShareKey, Subscriber, TaskOwner,
};
use hobnob_mcp_transport::{Merge, Outbox, SentMessages};
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Method, Params, Revision, RpcError, encode};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::time::Instant;

/// The state of one peer.
pub(crate) struct SessionState {
    server: Server,
    principal: Principal,
    client_id: ClientId,
    /// The owner of the tasks that this peer starts.
    owner: TaskOwner,
    /// The queue for messages that belong to no request.
    main: Arc<Outbox>,
    handshake: Handshake,
    /// When the handshake of a legacy session was made, and its revision; taken at the end.
    begun: Mutex<Option<(Instant, Revision)>>,
    watched: Watched,
    questions: OpenQuestions,
    roots: KnownRoots,
}

impl SessionState {
    pub(crate) fn new(
        server: &Server,
        principal: Principal,
        client_id: ClientId,
        owner: TaskOwner,
        main: Arc<Outbox>,
    ) -> Arc<Self> {
        Arc::new(Self {
            server: server.clone(),
            principal,
            client_id,
            owner,
            main,
            handshake: Handshake::default(),
            begun: Mutex::default(),
            watched: Watched::new(server),
            questions: OpenQuestions::default(),
            roots: KnownRoots::default(),
        })
    }

    /// Handles `initialize`; returns the result as JSON text.
    pub(crate) fn initialize(&self, params: &Params) -> Result<String, RpcError> {
        let max_bytes = self.server.limits().hello_bytes;
        if params.raw().len() > max_bytes {
            let message = format!("`params` of initialize are longer than {max_bytes} bytes");
            return Err(RpcError::invalid_params(message));
        }
        let meta = self.server.service().greet(params.get("_meta"))?;
        let rules = self.server.handshake();
        let revision = self.handshake.initialize(params, rules)?;
        *self.begun.lock() = Some((Instant::now(), revision));
        let offer = self.server.service().offer();
        Ok(object(|object| {
            object.string("protocolVersion", revision.as_str());
            object.raw(
                "capabilities",
                &self.server.identity().capabilities(&offer.capabilities, revision),
            );
            object.raw("serverInfo", &self.server.identity().implementation(revision));
            if let Some(text) = &offer.instructions {
                object.string("instructions", text);
            }
            if let Some(meta) = &meta {
                object.raw("_meta", meta);
            }
        }))
    }

    /// The peer after its handshake, and the log level it has set.
    pub(crate) fn operating(&self) -> Result<(LegacyPeer, Option<LoggingLevel>), RpcError> {
        let rules = self.server.handshake();
        // These rules report the state of the handshake, so they report shutdown too.
        if rules == HandshakeRules::KnownRevisions && self.server.parts().stopping.is_cancelled() {
            Dialogue::ShutDown.answering(rules)?;
        }
        self.handshake.answering(rules)
    }

    /// Makes the messages that belong to no request observable.
    pub(crate) fn observe_main(&self, observer: &Arc<dyn SentMessages>) {
        let _only_once = self.main.observer.set(Arc::clone(observer));
    }

    pub(crate) fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    /// Subscribes to a resource; idempotent.
    pub(crate) fn subscribe(&self, uri: &str) -> Result<(), RpcError> {
        let subscriber = Subscriber { client: self.client_id, principal: &self.principal };
        if !self.server.service().may_subscribe(subscriber, uri) {
            return Err(RpcError::invalid_params(format!("you may not subscribe to `{uri}`")));
        }
        self.watched.add(uri, self.share())
    }

    /// Removes a subscription, if there is one.
    pub(crate) fn unsubscribe(&self, uri: &str) -> Result<(), RpcError> {
        self.watched.remove(uri)
    }

    pub(crate) fn offers_subscriptions(&self) -> bool {
        let offer = self.server.service().offer().capabilities;
        offer.resources.is_some_and(|resources| resources.subscribe)
    }

    /// Subscribes the peer on a service's behalf, if it could have subscribed itself.
    pub(crate) fn watch(&self, uri: &str) {
        if self.offers_subscriptions()
            && let Err(error) = self.subscribe(uri)
        {
            tracing::debug!(%error, "a service could not subscribe its caller to a resource");
        }
    }

    /// Removes a subscription on a service's behalf.
    pub(crate) fn unwatch(&self, uri: &str) {
        // Only an overlong URI fails here, and that could never have been subscribed to.
        drop(self.watched.remove(uri));
    }

    /// Drops the cached roots and tells the service that the peer's roots have changed.
    pub(crate) fn roots_changed(&self) {
        self.roots().changed();
        self.server.service().roots_changed(self.client_id);
    }

    /// Drops what belongs to this peer: its tasks, its subscriptions, what the service keeps.
    pub(crate) fn end(&self) {
        self.watched.close();
        self.server.parts().tasks.forget(&self.owner);
        self.server.service().client_gone(self.client_id);
        if let Some((begun, revision)) = self.begun.lock().take() {
            let (client, duration) = (self.client_id, begun.elapsed());
            self.server.service().session_ended(EndedSession { client, revision, duration });
        }
        self.main.finish();
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn principal(&self) -> &Principal {
        &self.principal
    }

    pub(crate) fn client_id(&self) -> ClientId {
        self.client_id
    }

    pub(crate) fn owner(&self) -> &TaskOwner {
        &self.owner
    }

    pub(crate) fn roots(&self) -> &KnownRoots {
        &self.roots
    }

    pub(crate) fn questions(&self) -> &OpenQuestions {
        &self.questions
    }

    /// The key under which this peer's use of shared resources is counted.
    fn share(&self) -> ShareKey {
        self.handshake.share(self.client_id, &self.principal)
    }
}

impl ChangeSink for SessionState {
    fn changed(&self, change: &Change) {
        let Some(revision) = self.handshake.operating_revision() else { return };
        let plain = |method, key: &str| {
            Some((encode::notification(method, "{}"), Merge::Always(key.into())))
        };
        let note = match change {
            Change::Tools => plain(Method::ToolsListChanged, "tools"),
            Change::Prompts => plain(Method::PromptsListChanged, "prompts"),
            Change::Resources => plain(Method::ResourcesListChanged, "resources"),
            Change::Resource(uri) => self.watched.contains(uri).then(|| {
                let params = object(|object| {
                    object.string("uri", uri);
                });
                let merge = Merge::Always(format!("resource {uri}").into());
                (encode::notification(Method::ResourcesUpdated, &params), merge)
            }),
            Change::Task { id, owner }
                if *owner == self.owner && revision == Revision::V2025_11_25 =>
            {
                self.server.parts().tasks.view(id, &self.owner).map(|view| {
                    let params = object(|object| view.record.write_legacy(object));
                    let merge = Merge::Always(format!("task {id}").into());
                    (encode::notification(Method::TaskStatus, &params), merge)
                })
            }
            Change::Task { .. } => None,
        };
        if let Some((bytes, merge)) = note {
            traffic::note(&self.main, bytes, merge);
        }
    }
}
