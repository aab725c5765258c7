//! Reads the message in the body of a POST within the limits, decodes it once, and refuses what
//! the sender's token does not allow.
//!
//! Streamable HTTP and HTTP+SSE both begin here. The reservation must live as long as the work that
//! the message causes, since it limits the memory of all bodies together.

use crate::server::accept::is_json;
use crate::server::answers;
use crate::server::body::{ReadBody, read_body};
use crate::server::budget::BodyReservation;
use crate::server::endpoint::Endpoint;
use crate::server::reply::RefusalReply;
use crate::server::requester::Requester;
use hobnob_mcp_transport::log_replaced;
use hobnob_mcp_types::Incoming;
use http::{HeaderMap, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming as HttpBody;

/// A message, and its body's share of the budget.
pub(crate) struct PostedMessage {
    pub(crate) message: Incoming,
    pub(crate) reservation: Option<BodyReservation>,
}

/// The message in a body, if the token allows it.
pub(crate) async fn read_message(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    body: HttpBody,
    requester: &Requester<'_>,
) -> Result<PostedMessage, RefusalReply> {
    if !is_json(headers) {
        let message = "the body must be JSON; send Content-Type: application/json";
        return Err(Box::new(answers::problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)));
    }
    let is_announced = body.size_hint().exact().is_some();
    let limits = &endpoint.options.limits;
    let read = read_body(body, limits, &endpoint.bodies).await;
    let ReadBody { bytes, reservation } = read.map_err(|error| Box::new(error.response()))?;
    if !is_announced {
        requester.count_unannounced(bytes.len());
    }
    let decoded = Incoming::decode_bytes_noting(&bytes, log_replaced);
    let message = decoded.map_err(|refused| {
        let id = refused.answer_id();
        Box::new(answers::refusal(StatusCode::BAD_REQUEST, id, &refused.error))
    })?;
    requester.check(&message)?;
    Ok(PostedMessage { message, reservation })
}
