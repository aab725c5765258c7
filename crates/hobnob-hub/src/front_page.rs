//! The page at `/` for a person who opens the hub in a browser: what this is, and what to write
//! into an assistant's settings.
//!
//! `serve` adds it to the open routes. What must stay true: it is the same for all visitors and
//! names no server, user or tool, and programs that request `/` get the same answer as without it.

use bytes::Bytes;
use hobnob_mcp_auth::{escape_html, web_page};
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_mcp_http::{OpenRequest, OpenRoutes, ReplyBody};
use http::header::{ACCEPT, HOST, ORIGIN};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// The credential that requests to this hub need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerProof {
    /// None: every caller who reaches the listener is accepted.
    Nothing,
    /// The secret of the user who runs the hub.
    Secret,
    /// A token that the owner created.
    Token,
    /// The token of a login, or one that the owner created.
    Login,
}

/// Answers browsers that request `/`.
#[derive(Debug)]
pub struct FrontPage {
    proof: CallerProof,
    origin: HubOrigin,
}

/// The origin of the addresses on the page.
#[derive(Debug)]
pub enum HubOrigin {
    /// The public URL in the settings.
    Public(Box<str>),
    /// This scheme, with the host that the visitor has requested.
    Visited(&'static str),
}

impl FrontPage {
    /// A page for callers who need this credential.
    pub fn new(proof: CallerProof, origin: HubOrigin) -> Self {
        Self { proof, origin }
    }

    fn address(&self, headers: &HeaderMap) -> String {
        let origin = match &self.origin {
            HubOrigin::Public(origin) => origin.trim_end_matches('/').to_owned(),
            HubOrigin::Visited(scheme) => {
                // The host check let the request through, so this is a name of the hub.
                let host = headers.get(HOST).and_then(|host| host.to_str().ok());
                format!("{scheme}://{}", host.unwrap_or("localhost"))
            }
        };
        format!("{origin}/mcp")
    }

    fn page(&self, address: &str) -> Response<Bytes> {
        let header = match self.proof {
            CallerProof::Nothing | CallerProof::Login => None,
            CallerProof::Secret => Some("Bearer SECRET"),
            CallerProof::Token => Some("Bearer TOKEN"),
        };
        let option =
            header.map(|value| format!(" --header \"Authorization: {value}\"")).unwrap_or_default();
        let body = format!(
            "<p>This is a hub of tools for AI assistants. It speaks MCP, the Model Context \
             Protocol: assistants connect to it, and there is no more to see in a browser.</p>\
             <h2>Connect an assistant</h2><p>The address is</p>\
             <pre><code>{address}</code></pre>{proof}\
             <p>Claude Code:</p>\
             <pre><code>claude mcp add --transport http hobnob {address}{option}</code></pre>\
             <p>Other clients, in their <code>mcp.json</code> or settings:</p>\
             <pre><code>{entry}</code></pre>\
             <h2>Documentation</h2><p>On the computer where it runs, <code>hobnob --help</code> lists \
             the commands, <code>hobnob status</code> says how it is, and <code>hobnob connect</code> \
             writes the settings of your assistants for you. The guide is in <code>docs/</code> of \
             Hobnob’s source code.</p>",
            address = escape_html(address),
            proof = self.proof.sentence(),
            option = escape_html(&option),
            entry = escape_html(&entry(address, header)),
        );
        web_page(StatusCode::OK, "Hobnob", &body, "")
    }
}

impl CallerProof {
    fn sentence(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Secret => {
                "<p>Every request carries a secret, in place of <code>SECRET</code> below. Its file, \
                 <code>listener-secret</code>, can only be read by the user who runs the hub.</p>"
            }
            Self::Token => {
                "<p>Every request carries a token, in place of <code>TOKEN</code> below. The owner of \
                 the hub makes one with <code>hobnob token create NAME</code>.</p>"
            }
            Self::Login => {
                "<p>You log in: clients that know OAuth show you the page for it. Scripts carry a \
                 token instead, which the owner of the hub makes with <code>hobnob token create \
                 NAME</code>.</p>"
            }
        }
    }
}

/// The entry for a client's settings.
fn entry(address: &str, header: Option<&str>) -> String {
    let mut server = json!({ "type": "http", "url": address });
    if let Some(header) = header {
        server["headers"] = json!({ "Authorization": header });
    }
    let entry: Value = json!({ "mcpServers": { "hobnob": server } });
    format!("{entry:#}")
}

impl OpenRoutes for FrontPage {
    fn has(&self, request: OpenRequest<'_>) -> bool {
        // A request from a web page goes to the origin check, as on every other route.
        let is_visit = *request.method == Method::GET && !request.headers.contains_key(ORIGIN);
        request.path == "/" && is_visit && wants_page(request.headers)
    }

    fn answer(
        &self,
        request: Request<Bytes>,
        _from: ClientId,
    ) -> BoxFuture<'_, Response<ReplyBody>> {
        let page = self.page(&self.address(request.headers()));
        Box::pin(std::future::ready(page.map(ReplyBody::full)))
    }
}

/// Whether `Accept` names HTML; `*/*` does not count, nor do clients that read events.
fn wants_page(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<&str> = values
        .flat_map(|value| value.split(','))
        .map(|range| range.split(';').next().unwrap_or_default().trim())
        .collect();
    let has = |wanted: &str| ranges.iter().any(|range| range.eq_ignore_ascii_case(wanted));
    has("text/html") && !has("text/event-stream")
}
