//! Hobnob's own resources: how the servers are, results that were too large, and polls.

use crate::calls::record::CallRecord;
use crate::dispatch::service::GatewayService;
use crate::status::reader::log_of;
use crate::uris::is_own;
use crate::uris::{LOGS, RESULTS, STATUS};
use crate::view::snapshot::Snapshot;
use hobnob_mcp_engine::{Answer, Call, CallError, Notes, Outcome};
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
        if let Some(server) = uri.strip_prefix(LOGS) {
            let log = log_of(&self.view, server).ok_or_else(absent)?;
            return Ok(complete(contents(uri, "text/plain", &log)));
        }
        let found = self.context.poller.polls.last(uri, &call.caller.principal, self.view.id);
        Ok(complete(contents(uri, "application/json", &found.ok_or_else(absent)?)))
    }

    /// How the servers of this view are.
    pub(crate) fn read_status(&self) -> Result<Outcome, CallError> {
        if !self.view.has_hobnob_tools() {
            return Err(CallError::Resource(STATUS.into()));
        }
        self.context.config_reader.read_if_changed();
        let status = serde_json::to_string(&self.context.status.read_view(&self.view))
            .map_err(CallError::internal)?;
        Ok(complete(contents(STATUS, "application/json", &status)))
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
