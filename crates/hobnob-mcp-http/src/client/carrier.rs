//! Streamable HTTP of both eras as a [`Carrier`]: every message is a POST of its own.
//!
//! The client crate sends through it. Closing it ends the legacy session, if there is one.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_transport::{Carrier, Outgoing, OutgoingKind, Receiver, SendError};
use hobnob_mcp_types::{Era, RequestId, Revision};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::client::exchange::{ask, tell};
use crate::client::limits::HttpClientLimits;
use crate::client::standing::listen;
use crate::client::target::{HttpTarget, TargetError};
use crate::client::wire::Wire;

/// How long the DELETE that ends a session may take.
const DELETE_TIMEOUT: Duration = Duration::from_secs(2);

/// The connection to one server over Streamable HTTP. Each message says which era it belongs to.
#[derive(Debug)]
pub struct HttpCarrier {
    wire: Arc<Wire>,
    /// Dropping the guard ends the standing stream of an earlier session.
    standing: Mutex<Option<DropGuard>>,
}

impl HttpCarrier {
    /// A carrier to `target`, which sends nothing yet. Must be called within a runtime, which also
    /// runs its tasks; the owner of `tasks` can wait for them.
    pub fn new(
        target: HttpTarget,
        limits: HttpClientLimits,
        receiver: Arc<dyn Receiver>,
        tasks: TaskTracker,
    ) -> Result<Arc<Self>, TargetError> {
        let wire = Arc::new(Wire::new(target, limits, receiver, tasks)?);
        Ok(Arc::new(Self { wire, standing: Mutex::default() }))
    }
}

impl Carrier for HttpCarrier {
    fn send(&self, message: Outgoing) -> Result<(), SendError> {
        let pass = self.wire.traffic.admit(&message.kind)?;
        let wire = Arc::clone(&self.wire);
        match message.kind {
            OutgoingKind::Request(head) => {
                self.wire.traffic.run(pass, ask(wire, head, message.text));
            }
            OutgoingKind::OneWay { revision } => {
                self.wire.traffic.run(pass, tell(wire, revision, message.text));
            }
        }
        Ok(())
    }

    fn abandon(&self, id: &RequestId) {
        self.wire.traffic.abandon(id);
    }

    fn greeted(&self, revision: Revision) {
        self.wire.session().revision = Some(revision);
        if revision.era() == Era::Modern {
            return;
        }
        let stop = CancellationToken::new();
        let opening = self.wire.traffic.open_stream();
        let listening = listen(Arc::clone(&self.wire), opening);
        let listening = stop.clone().run_until_cancelled_owned(listening);
        self.wire.traffic.run_beside(async move {
            let _stopped = listening.await;
        });
        *self.standing.lock() = Some(stop.drop_guard());
    }

    fn close(&self) {
        if !self.wire.traffic.end() {
            return;
        }
        let session = std::mem::take(&mut *self.wire.session());
        if session.id.is_some() {
            let wire = Arc::clone(&self.wire);
            self.wire.traffic.run_last(async move {
                let _the_server_may_find_out_itself =
                    tokio::time::timeout(DELETE_TIMEOUT, wire.delete(session)).await;
            });
        }
    }
}

impl Drop for HttpCarrier {
    fn drop(&mut self) {
        self.close();
    }
}
