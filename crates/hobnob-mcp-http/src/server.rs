//! The server side, on hyper's HTTP/1.
//!
//! The first group of modules knows HTTP and nothing of MCP sessions: listening, connections,
//! limits, header checks and bodies. The second knows MCP: routes, sessions, resumable streams, and
//! the choice between one JSON answer and a stream.

mod limits;

mod accept;
pub mod guard;
mod single_header;

mod body;
mod body_error;
mod budget;
mod client_stream;
mod linger;
mod reply;
mod shutdown;
mod tls;
mod upgrade;

mod connection;
mod handler;
mod listen;
mod load;

mod authentication;
mod open_routes;
mod options;
mod peer_check;
mod refused_request;
mod throttle;
mod trusted_proxies;

mod answers;
mod cors;
mod gate;
mod replay;
mod request_rate;
mod requester;
mod sessions;
mod sources;
mod streams;
#[cfg(test)]
mod test_identity;
mod token_gate;
mod watched_events;

mod endpoint;
mod event_ids;
mod exchange;
mod legacy_sse;
mod post;
mod posted_message;
mod request_headers;
mod request_trace;
mod routes;
mod session_routes;
mod websocket;

mod open_site;
mod site;

pub use options::{HttpOptions, Mount, OpenServer, SessionLimits};
pub use site::{bind, serve_http};

pub use accept::{Accepts, is_json};
pub use authentication::{Authentication, ChallengeReason, Identity, IdentityRefusal};
pub use body::{ReadBody, read_body};
pub use body_error::BodyError;
pub use budget::{BodyBudget, BodyReservation};
pub use guard::{BindRefused, Exposure, OriginPolicy, Refusal};
pub use handler::Handler;
pub use limits::HttpLimits;
pub use listen::{Served, serve};
pub use load::{HttpLoad, HttpUse, UsedHttpLimit};
pub use open_routes::{OpenRequest, OpenRoutes};
pub use open_site::{OpenSiteOptions, serve_open_routes};
pub use peer_check::PeerCheck;
pub use refused_request::{RefusalObserver, RefusedRequest, RequestRefusal};
pub use reply::{EventSource, ReplyBody, json_reply};
pub use throttle::Throttle;
pub use tls::{TlsCertificate, TlsFault, TlsFiles, TlsReload, TlsWarning};
pub use token_gate::{TokenBearer, TokenDenied, TokenGate};
pub use trusted_proxies::{NoNetwork, TrustedProxies};
