//! Hobnob's own resources: server status, server logs, results that were too large, and polls.
//!
//! `contents` reads them for clients. Each reader sees what is theirs.

use crate::dispatch::results::LargeResults;
use crate::reload::ConfigReader;
use crate::status::reader::{StatusReader, log_of};
use crate::upstream::shown_connections::ShownConnections;
use crate::uris::{LOGS, OF_ALL, RESULTS};
use crate::view::View;
use crate::watch::poller::Poller;
use hobnob_mcp_engine::{Answer, CallError, Caller, Outcome};
use hobnob_mcp_types::cache::CacheHint;
use hobnob_mcp_types::json::{object, write_string};
use std::sync::Arc;

/// What the gateway itself offers as resources.
pub(crate) struct OwnResources {
    pub(crate) results: Arc<LargeResults>,
    pub(crate) config_reader: Arc<ConfigReader>,
    pub(crate) poller: Arc<Poller>,
    pub(crate) status: Arc<StatusReader>,
}

impl OwnResources {
    /// Reads one of them at its address, except the status.
    pub(super) fn read(
        &self,
        view: &View,
        uri: &str,
        caller: &Caller,
    ) -> Result<Outcome, CallError> {
        let found = self.find(view, uri, caller);
        found.map(complete).ok_or_else(|| CallError::Resource(uri.into()))
    }

    fn find(&self, view: &View, uri: &str, caller: &Caller) -> Option<String> {
        if uri.starts_with(RESULTS) {
            return self.results.read(uri, &caller.principal);
        }
        if !view.has_hobnob_tools() {
            return None;
        }
        if let Some(rest) = uri.strip_prefix(LOGS) {
            let (server, shown) = shown_at(rest, caller);
            return Some(contents(uri, "text/plain", &log_of(view, server, &shown)?));
        }
        let found = self.poller.polls.last(uri, &caller.principal, view.id)?;
        Some(contents(uri, "application/json", &found))
    }

    /// The status of a view's servers, at one of the status addresses.
    pub(super) fn read_status(
        &self,
        view: &View,
        uri: &str,
        caller: &Caller,
    ) -> Result<Outcome, CallError> {
        if !view.has_hobnob_tools() {
            return Err(CallError::Resource(uri.into()));
        }
        self.config_reader.read_if_changed();
        let (_, shown) = shown_at(uri, caller);
        let status = self.status.read_view(view, &shown);
        let status = serde_json::to_string(&status).map_err(CallError::internal)?;
        Ok(complete(contents(uri, "application/json", &status)))
    }
}

/// Splits an address into its subject and the connections that its reader may see. An edge that
/// knows its callers lets only admins ask for all connections; a caller with a `via`, such as a
/// model, cannot ask for them, since no edge has checked that.
fn shown_at<'a>(address: &'a str, caller: &Caller) -> (&'a str, ShownConnections) {
    match address.strip_suffix(OF_ALL) {
        Some(about) if caller.via.is_none() => (about, ShownConnections::All),
        Some(_) | None => (address, ShownConnections::of(&caller.principal)),
    }
}

fn complete(body: String) -> Outcome {
    Outcome::Complete(Answer {
        body,
        meta: None,
        cache: Some(CacheHint::NONE),
        floor: hobnob_mcp_types::Revision::V2024_11_05,
    })
}

fn contents(uri: &str, mime_type: &str, text: &str) -> String {
    object(|result| {
        let list = result.key("contents");
        list.push_str("[{\"uri\":");
        write_string(list, uri);
        list.push_str(",\"mimeType\":");
        write_string(list, mime_type);
        list.push_str(",\"text\":");
        write_string(list, text);
        list.push_str("}]");
    })
}
