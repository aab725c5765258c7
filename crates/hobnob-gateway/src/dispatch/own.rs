//! Hobnob's own resources: server status, server logs, results that were too large, and polls.

use crate::calls::record::CallRecord;
use crate::dispatch::service::GatewayService;
use crate::status::reader::log_of;
use crate::upstream::shown_connections::ShownConnections;
use crate::uris::is_own;
use crate::uris::{LOGS, OF_ALL, RESULTS};
use crate::view::snapshot::Snapshot;
use hobnob_mcp_engine::{Answer, Call, CallError, Caller, Notes, Outcome};
use hobnob_mcp_types::cache::CacheHint;
use hobnob_mcp_types::json::{object, write_string};
use std::time::Instant;

impl GatewayService {
    /// Reads one of Hobnob's own resources, or a built-in service's.
    pub(crate) async fn read_own(
        &self,
        snapshot: &Snapshot,
        uri: &str,
        call: Call,
        notes: Notes,
        record: &mut CallRecord<'_>,
    ) -> Result<Outcome, CallError> {
        let absent = || CallError::Resource(uri.into());
        if uri.starts_with(RESULTS) {
            let principal = &call.caller.principal;
            let page = self.context.spills().read(uri, principal, Instant::now());
            return page.map(complete).map_err(|_| absent());
        }
        if !is_own(uri) {
            return self.ask_built_in(snapshot, call, notes, record).await;
        }
        if !self.view.has_hobnob_tools() {
            return Err(absent());
        }
        if let Some(rest) = uri.strip_prefix(LOGS) {
            let (server, shown) = shown_at(rest, &call.caller);
            let log = log_of(&self.view, server, &shown).ok_or_else(absent)?;
            return Ok(complete(contents(uri, "text/plain", &log)));
        }
        let found = self.context.poller.polls.last(uri, &call.caller.principal, self.view.id);
        Ok(complete(contents(uri, "application/json", &found.ok_or_else(absent)?)))
    }

    /// The status of this view's servers, at one of the status addresses.
    pub(crate) fn read_status(&self, uri: &str, caller: &Caller) -> Result<Outcome, CallError> {
        if !self.view.has_hobnob_tools() {
            return Err(CallError::Resource(uri.into()));
        }
        self.context.config_reader.read_if_changed();
        let (_, shown) = shown_at(uri, caller);
        let status = self.context.status.read_view(&self.view, &shown);
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
