//! Answers a request of another protocol that has an exchange for itself, as over HTTP.

use crate::other_methods::{OtherClient, OtherDelivery};
use crate::reply::PendingReply;
use crate::server::Server;
use crate::traffic;
use hobnob_mcp_transport::Outbox;
use hobnob_mcp_types::Request;
use std::sync::Arc;

/// Starts to answer one request; `None` if the server answers no other protocol. The returned
/// future finishes the outbox at its end, and dropping it cancels the request.
pub fn answer_other(
    server: &Server,
    request: Request,
    client: OtherClient,
    outbox: &Arc<Outbox>,
    delivery: OtherDelivery,
) -> Option<PendingReply> {
    traffic::received_request(client.client_id, &request);
    let calls = server.other_methods()?.open(server.service_calls(), client);
    let answering = calls.answer(request, Arc::clone(outbox), delivery);
    let outbox = Arc::clone(outbox);
    Some(Box::pin(async move {
        answering.await;
        calls.end();
        outbox.finish();
        None
    }))
}
