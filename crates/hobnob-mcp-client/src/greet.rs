//! The handshake: finds out which era a server speaks, and what it reports about itself.
//!
//! `connect` performs it once, before any other request. The modern discovery comes first. Nearly
//! every reaction of an older server to it (an error of any code, silence, the end) leads to the
//! legacy handshake; the exceptions are answers that only a modern server would give.

use crate::error::RequestError;
use crate::exchange::{Exchange, NewRequest};
use crate::forward::modern_meta;
use crate::options::{ClientOptions, EraHint};
use crate::peer::Peer;
use crate::peer::pending_requests::RequestResult;
use hobnob_mcp_engine::downgrade_implementation;
use hobnob_mcp_transport::Loss;
use hobnob_mcp_types::capabilities::ServerCapabilities;
use hobnob_mcp_types::hello::{DiscoverResult, Implementation, InitializeResult};
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::meta::ResultMeta;
use hobnob_mcp_types::{Era, ErrorCode, Method, Revision, RpcError, encode};
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

/// What a server reported about itself.
#[derive(Debug, Clone)]
pub struct Hello {
    /// The revision to speak with the server.
    pub revision: Revision,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// The server's name and version, as it reports them. Never a basis for trust.
    pub implementation: Implementation,
    /// How to use the server, in words for a model.
    pub instructions: Option<String>,
    /// The `_meta` of its answer to the handshake.
    pub meta: Option<Box<str>>,
}

/// Why the handshake with a server failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum GreetError {
    /// The server refused the handshake with an error.
    #[error("the server refused the handshake: {0}")]
    Refused(RpcError),
    /// The server's answer to the handshake cannot be read.
    #[error("the server's greeting cannot be read: {0}")]
    Unreadable(Box<str>),
    /// The two sides have no revision in common; holds those of the server.
    #[error("no common revision: the server speaks {0}")]
    Revision(Box<str>),
    /// The handshake took longer than [`Timeouts::handshake`](crate::Timeouts).
    #[error("no greeting within {0:?}")]
    Late(std::time::Duration),
    /// HTTP 401 or 403: the headers in the settings do not satisfy the server.
    #[error("the server wants credentials (HTTP 401 or 403): set them in its `headers`")]
    Unauthorized,
    /// An authorizer has no credentials for the server; the text says why and what to do.
    #[error("{0}")]
    AuthorizationFailed(Box<str>),
    /// The server has no Streamable HTTP, so it may be one of the oldest (HTTP+SSE).
    #[error("the server does not take POST here: {0}")]
    NoStreamable(Loss),
    /// The server ended at the modern discovery; it may survive the legacy handshake.
    #[error("the server ended during the greeting: {0}")]
    EndedEarly(Box<str>),
    /// The server cannot be reached.
    #[error("{0}")]
    Unreachable(Box<str>),
}

/// Performs the handshake; when this returns, calls may be made.
pub(crate) async fn greet(peer: &Arc<Peer>, options: &ClientOptions) -> Result<Hello, GreetError> {
    let end = Instant::now() + options.timeouts.handshake;
    let greeting = async {
        match options.era {
            EraHint::Only(revision) if revision.era() == Era::Legacy => {
                initialize(peer, options, revision, Acceptable::Only).await
            }
            EraHint::Legacy => {
                initialize(peer, options, Revision::NEWEST_LEGACY, Acceptable::AnyLegacy).await
            }
            EraHint::Only(_) => modern_only(peer, options).await,
            EraHint::Unknown | EraHint::Modern => modern_first(peer, options).await,
        }
    };
    let hello = timeout_at(end, greeting)
        .await
        .map_err(|_| GreetError::Late(options.timeouts.handshake))??;
    peer.sender.agree(hello.revision);
    peer.sender.greeted(hello.revision);
    Ok(hello)
}

/// Which revisions are acceptable as the answer to the handshake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Acceptable {
    /// Every revision that has a handshake.
    AnyLegacy,
    /// Only the revision that was asked for.
    Only,
}

/// What the answer to `server/discover` says about the server's era.
enum EraVerdict {
    Modern(Box<Hello>),
    /// The server needs the legacy handshake, which asks for this revision.
    Legacy(Revision),
}

async fn modern_only(peer: &Arc<Peer>, options: &ClientOptions) -> Result<Hello, GreetError> {
    let mut discovering = discover(peer, options)?;
    let done = discovering.answer().await;
    match judge(discover_again(peer, options, done).await?)? {
        EraVerdict::Modern(hello) => Ok(*hello),
        EraVerdict::Legacy(_) => Err(GreetError::Revision("only legacy revisions".into())),
    }
}

async fn modern_first(peer: &Arc<Peer>, options: &ClientOptions) -> Result<Hello, GreetError> {
    let mut discovering = discover(peer, options)?;
    let probe = tokio::time::timeout(options.timeouts.probe, discovering.answer()).await;
    let verdict = match probe {
        Ok(done) => judge(discover_again(peer, options, done).await?)?,
        // No answer yet. The server may still be starting, so both requests stay open from here on.
        Err(_) => return both(peer, options, discovering).await,
    };
    match verdict {
        EraVerdict::Modern(hello) => Ok(*hello),
        EraVerdict::Legacy(revision) => {
            initialize(peer, options, revision, Acceptable::AnyLegacy).await
        }
    }
}

async fn both(
    peer: &Arc<Peer>,
    options: &ClientOptions,
    mut discovering: Exchange,
) -> Result<Hello, GreetError> {
    let old = initialize(peer, options, Revision::NEWEST_LEGACY, Acceptable::AnyLegacy);
    let mut initializing = Box::pin(old);
    let refused = tokio::select! {
        // If both have answered, the modern answer says more, especially if the server has ended.
        biased;
        done = discovering.answer() => return match judge(done)? {
            EraVerdict::Modern(hello) => Ok(*hello),
            EraVerdict::Legacy(_) => initializing.await,
        },
        hello = &mut initializing => match hello {
            Err(error @ (GreetError::Refused(_) | GreetError::Revision(_))) => error,
            done => return done,
        },
    };
    // A modern server refuses the legacy handshake; its answer to the discovery may still come.
    match tokio::time::timeout(options.timeouts.probe, discovering.answer()).await {
        Ok(done) => match judge(done)? {
            EraVerdict::Modern(hello) => Ok(*hello),
            EraVerdict::Legacy(_) => Err(refused),
        },
        Err(_) => Err(refused),
    }
}

fn discover(peer: &Arc<Peer>, options: &ClientOptions) -> Result<Exchange, GreetError> {
    let capabilities = peer.host.capabilities();
    let meta = modern_meta(Revision::NEWEST, &capabilities, options);
    let request = NewRequest {
        revision: Some(Revision::NEWEST),
        ..NewRequest::own(Method::Discover, move |id| {
            encode::request(
                id,
                Method::Discover,
                &object(|object| {
                    object.raw("_meta", &meta);
                }),
            )
        })
    };
    Exchange::begin(peer, request).map_err(unreachable)
}

fn judge(done: RequestResult) -> Result<EraVerdict, GreetError> {
    let legacy = Ok(EraVerdict::Legacy(Revision::NEWEST_LEGACY));
    match done {
        Ok(result) => match serde_json::from_str::<DiscoverResult>(&result) {
            Ok(found) if !found.supported_versions.is_empty() => {
                let revision = choose(&found.supported_versions)?;
                if revision.era() == Era::Legacy {
                    return Ok(EraVerdict::Legacy(revision));
                }
                let read = found.meta.as_deref().and_then(|meta| ResultMeta::read(meta).ok());
                let implementation = read.and_then(|meta| meta.server_info);
                Ok(EraVerdict::Modern(Box::new(Hello {
                    revision,
                    capabilities: found.capabilities,
                    implementation: implementation.unwrap_or_default(),
                    instructions: found.instructions,
                    meta: found.meta.map(|meta| meta.get().into()),
                })))
            }
            // An older server that answers every request with some result.
            _ => legacy,
        },
        Err(RequestError::Rpc(error)) if error.code == ErrorCode::UNSUPPORTED_VERSION => {
            let data = error.data.as_deref().map(|data| data.get()).unwrap_or_default();
            // The member that repeats the requested revision does not matter here.
            let supported = field(data, "supported").map(serde_json::from_str::<Vec<String>>);
            let Some(Ok(supported)) = supported else {
                return Err(GreetError::Refused(error));
            };
            match choose(&supported)? {
                revision if revision.era() == Era::Legacy => Ok(EraVerdict::Legacy(revision)),
                // It lists the revision it has just refused; there is nothing to fall back to.
                _ => Err(GreetError::Refused(error)),
            }
        }
        Err(RequestError::Rpc(error))
            if error.code == ErrorCode::HEADER_MISMATCH
                || error.code == ErrorCode::MISSING_CLIENT_CAPABILITY =>
        {
            Err(GreetError::Refused(error))
        }
        Err(RequestError::Lost(Loss::Unauthorized { .. })) => Err(GreetError::Unauthorized),
        Err(RequestError::Lost(Loss::AuthorizationFailed(why))) => {
            Err(GreetError::AuthorizationFailed(why))
        }
        Err(RequestError::Ended(why)) => Err(GreetError::EndedEarly(why)),
        Err(RequestError::Lost(Loss::Unsent(why))) | Err(RequestError::Unsent(why)) => {
            Err(GreetError::Unreachable(why))
        }
        Err(_) => legacy,
    }
}

/// Spec 2026-07-28, versioning: a client whose revision is refused chooses one of the listed ones
/// and asks again. If that is the very same revision, it is asked for only once more.
async fn discover_again(
    peer: &Arc<Peer>,
    options: &ClientOptions,
    done: RequestResult,
) -> Result<RequestResult, GreetError> {
    let again = match &done {
        Err(RequestError::Rpc(error)) if error.code == ErrorCode::UNSUPPORTED_VERSION => {
            let data = error.data.as_deref().map(|data| data.get()).unwrap_or_default();
            let supported = field(data, "supported").map(serde_json::from_str::<Vec<String>>);
            let supported = supported.and_then(Result::ok).unwrap_or_default();
            supported.iter().any(|version| Revision::parse(version) == Some(Revision::NEWEST))
        }
        _ => false,
    };
    if !again {
        return Ok(done);
    }
    Ok(discover(peer, options)?.answer().await)
}

/// The newest revision that both sides know.
fn choose(supported: &[String]) -> Result<Revision, GreetError> {
    let known = supported.iter().filter_map(|version| Revision::parse(version)).max();
    known.ok_or_else(|| GreetError::Revision(supported.join(", ").into()))
}

async fn initialize(
    peer: &Arc<Peer>,
    options: &ClientOptions,
    revision: Revision,
    acceptable: Acceptable,
) -> Result<Hello, GreetError> {
    let capabilities = serde_json::to_string(&peer.host.capabilities()).unwrap_or_default();
    let implementation = serde_json::to_string(&options.implementation).unwrap_or_default();
    let params = object(|object| {
        object.string("protocolVersion", revision.as_str());
        object.raw("capabilities", &legacy_capabilities(&capabilities, revision));
        object.raw("clientInfo", &downgrade_implementation(&implementation, revision));
        if let Some(extra) = &options.meta {
            object.raw("_meta", &extra.text());
        }
    });
    let method = Method::Initialize;
    let request = NewRequest::own(method, |id| encode::request(id, method, &params));
    let mut exchange = Exchange::begin(peer, request).map_err(unreachable)?;
    let result = exchange.answer().await.map_err(|error| match error {
        RequestError::Rpc(error) => GreetError::Refused(error),
        RequestError::Lost(Loss::Unauthorized { .. }) => GreetError::Unauthorized,
        RequestError::Lost(Loss::AuthorizationFailed(why)) => GreetError::AuthorizationFailed(why),
        RequestError::Lost(loss @ Loss::Status { status: 400 | 404 | 405 | 406 | 415, .. }) => {
            GreetError::NoStreamable(loss)
        }
        other => unreachable(other),
    })?;
    let unreadable = |error: serde_json::Error| GreetError::Unreadable(error.to_string().into());
    let result: InitializeResult = serde_json::from_str(&result).map_err(unreadable)?;
    let agreed = Revision::parse(&result.protocol_version)
        .filter(|agreed| agreed.era() == Era::Legacy)
        .filter(|agreed| *agreed == revision || acceptable == Acceptable::AnyLegacy)
        .ok_or_else(|| GreetError::Revision(result.protocol_version.as_str().into()))?;
    peer.sender.agree(agreed);
    peer.sender.notify(Method::Initialized, "{}");
    Ok(Hello {
        revision: agreed,
        capabilities: result.capabilities,
        implementation: result.server_info,
        instructions: result.instructions,
        meta: result.meta.map(|meta| meta.get().into()),
    })
}

fn unreachable(error: RequestError) -> GreetError {
    GreetError::Unreachable(error.to_string().into())
}

/// Our capabilities, without those that the legacy revision does not know.
fn legacy_capabilities(text: &str, revision: Revision) -> String {
    object(|object| {
        for (key, value) in hobnob_mcp_types::json::entries(text) {
            let known = match &*key {
                "elicitation" => revision >= Revision::V2025_06_18,
                "tasks" => revision >= Revision::V2025_11_25,
                _ => true,
            };
            if known {
                object.raw(&key, value);
            }
        }
    })
}
