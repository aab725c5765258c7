//! Which era a request belongs to, decided once per request at the server's edge.
//!
//! Sessions and the HTTP transport call [`choose_era`]. A request that names a revision in its
//! `_meta` is modern, no matter which method it calls.

use crate::arrival::Arrival;
use crate::caller::Caller;
use crate::client_id::{ClientId, Principal};
use crate::headers::{HeaderView, unsupported};
use hobnob_mcp_types::meta;
use hobnob_mcp_types::{
    Era, Method, MethodName, Params, ProgressToken, RequestId, Revision, RpcError,
};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// The era of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraChoice {
    /// The request needs a handshake first.
    Legacy,
    /// The request carries its own metadata and needs no handshake.
    Modern,
}

/// Decides by the request's `_meta`, then by the header, then by the method's own era.
pub fn choose_era(
    method: &MethodName,
    params: &Params,
    header: Option<&str>,
) -> Result<EraChoice, RpcError> {
    // Not by text search: some encoders write `\/`, and a value may quote the key.
    if params.meta(meta::PROTOCOL_VERSION).is_some() {
        return Ok(EraChoice::Modern);
    }
    if *method == MethodName::Known(Method::Initialize) {
        return Ok(EraChoice::Legacy);
    }
    match header.map(|version| (version, Revision::parse(version))) {
        Some((_, Some(revision))) if revision.era() == Era::Modern => Ok(EraChoice::Modern),
        Some((version, None)) => Err(unsupported(version)),
        Some((_, Some(_))) | None => Ok(match method {
            MethodName::Known(known) if known.facts().since.era() == Era::Modern => {
                EraChoice::Modern
            }
            _ => EraChoice::Legacy,
        }),
    }
}

/// The content of a modern request's `_meta`.
#[derive(Debug)]
pub struct ModernMeta {
    /// The caller, in the revision that the request names.
    pub caller: Caller,
    /// The token that progress notifications carry, if the caller wants any.
    pub progress: Option<ProgressToken>,
}

/// Checks `_meta`, and compares its revision with the header where there is one.
pub fn modern_caller(
    params: &Params,
    headers: Option<&HeaderView<'_>>,
    client_id: ClientId,
    principal: &Principal,
) -> Result<ModernMeta, RpcError> {
    if params.get("_meta").is_some_and(|text| !text.starts_with('{')) {
        return Err(RpcError::invalid_params("`params._meta` must be an object"));
    }
    let version = required_text(params, meta::PROTOCOL_VERSION)?;
    let raw = params.meta(meta::CLIENT_CAPABILITIES);
    let raw = raw.ok_or_else(|| missing(meta::CLIENT_CAPABILITIES))?;
    if let Some(headers) = headers {
        headers.check_version(&version)?;
    }
    let revision = Revision::parse(&version)
        .filter(|revision| revision.era() == Era::Modern)
        .ok_or_else(|| unsupported(&version))?;
    let capabilities = match raw {
        // Most callers declare no capabilities: share one value.
        "{}" => Arc::clone(&NO_CAPABILITIES),
        raw => Arc::new(decoded(raw, meta::CLIENT_CAPABILITIES)?),
    };
    let client = params.meta(meta::CLIENT_INFO);
    let client = client.map(|raw| decoded(raw, meta::CLIENT_INFO).map(Arc::new));
    let log_level = params.meta(meta::LOG_LEVEL);
    let log_level = log_level.map(|raw| decoded(raw, meta::LOG_LEVEL)).transpose()?;
    let caller = Caller {
        revision,
        capabilities,
        client: client.transpose()?,
        client_id,
        principal: principal.clone(),
        log_level,
        via: None,
        trace: None,
        arrival: Arrival::next(),
    };
    Ok(ModernMeta { caller, progress: progress_token(params) })
}

/// The progress token in any request's `_meta`.
pub fn progress_token(params: &Params) -> Option<ProgressToken> {
    params.meta(meta::PROGRESS_TOKEN).and_then(|raw| RequestId::from_json(raw).map(ProgressToken))
}

static NO_CAPABILITIES: LazyLock<Arc<hobnob_mcp_types::capabilities::ClientCapabilities>> =
    LazyLock::new(Arc::default);

fn required_text<'a>(params: &'a Params, key: &str) -> Result<Cow<'a, str>, RpcError> {
    let raw = params.meta(key).ok_or_else(|| missing(key))?;
    match raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
        _ => decoded(raw, key).map(Cow::Owned),
    }
}

fn decoded<T: serde::de::DeserializeOwned>(raw: &str, key: &str) -> Result<T, RpcError> {
    serde_json::from_str(raw)
        .map_err(|error| RpcError::invalid_params(format!("`_meta[\"{key}\"]`: {error}")))
}

fn missing(key: &str) -> RpcError {
    RpcError::invalid_params(format!("`params._meta[\"{key}\"]` is required"))
}
