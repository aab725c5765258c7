//! Hobnob's own resources: how the servers are, results that were too large, and polls.

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
    /// Reads one of our own resources, or one of a built-in.
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

    /// How the servers of this view are, at one of the addresses of the status.
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

/// What an address is about, and whose connections its reader is shown. An edge that knows its callers
/// lets only admins ask for everybody's; nobody asks on a caller's behalf, such as a model, since an edge
/// has not seen that.
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
