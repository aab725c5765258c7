//! The large part of a stored task: its open questions, or its end.
//!
//! `Tasks` writes it and `TaskView` reads it. The name of the only member says which of the two it
//! is. A result's body is stored and read back byte for byte.

use crate::end::{TaskEnd, lost, modern_reader};
use crate::phase::TaskPhase;
use hobnob_mcp_engine::{Answer, CallError, TaskStatus};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::json::{ObjectWriter, object};
use hobnob_mcp_types::{Revision, RpcError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The detail to store for a task in this phase, if there is any.
pub(crate) fn write(phase: &TaskPhase) -> Option<Box<str>> {
    let text = match phase {
        TaskPhase::Starting | TaskPhase::Working => return None,
        TaskPhase::Waiting { open, .. } => member("questions", open),
        TaskPhase::Ended(end) => match &**end {
            TaskEnd::Answer(answer) => write_answer(answer),
            TaskEnd::Error(error) => write_error(error),
            TaskEnd::Lost(text) => write_lost(text),
            TaskEnd::Cancelled => return None,
        },
    };
    Some(text.into())
}

/// The detail of a task whose process is gone.
pub(crate) fn write_lost(text: &str) -> String {
    member("error", &lost(text))
}

/// The content of a stored detail: open questions, or the end.
pub(crate) enum Detail {
    None,
    Questions(InputRequests),
    End(TaskEnd),
}

/// Reads a detail that [`write`] wrote for a task with this status.
pub(crate) fn read(status: TaskStatus, text: Option<&str>) -> Result<Detail, serde_json::Error> {
    match status {
        TaskStatus::Working => return Ok(Detail::None),
        TaskStatus::Cancelled => return Ok(Detail::End(TaskEnd::Cancelled)),
        TaskStatus::InputRequired | TaskStatus::Completed | TaskStatus::Failed => {}
    }
    let error = |error| Ok(Detail::End(TaskEnd::Error(error)));
    match serde_json::from_str(text.unwrap_or_default())? {
        StoredDetail::Questions(open) => Ok(Detail::Questions(open)),
        StoredDetail::Answer { body, meta, floor } => {
            let body = String::from(Box::<str>::from(body));
            Ok(Detail::End(TaskEnd::Answer(Answer { body, meta, cache: None, floor })))
        }
        StoredDetail::Error(rpc) => error(CallError::Other(rpc)),
        StoredDetail::Resource(uri) => error(CallError::Resource(uri)),
        StoredDetail::Capability(needed) => error(CallError::Capability(needed)),
    }
}

/// Errors that each era writes differently are stored by kind, not as JSON-RPC.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum StoredDetail {
    Questions(InputRequests),
    Answer { body: Box<RawValue>, meta: Option<Box<RawValue>>, floor: Revision },
    Error(RpcError),
    Resource(Box<str>),
    Capability(Box<ClientCapabilities>),
}

fn write_answer(answer: &Answer) -> String {
    object(|object| {
        let mut inner = ObjectWriter::new(object.key("answer"));
        inner.raw("body", &answer.body).string("floor", answer.floor.as_str());
        if let Some(meta) = &answer.meta {
            inner.raw("meta", meta.get());
        }
        inner.end();
    })
}

fn write_error(error: &CallError) -> String {
    match error {
        CallError::Resource(uri) => member("resource", uri),
        CallError::Capability(needed) => member("capability", needed),
        CallError::Method(_)
        | CallError::Params(_)
        | CallError::Arguments(_)
        | CallError::UnknownTool(_)
        | CallError::Header(_)
        | CallError::Late(_)
        | CallError::Internal
        | CallError::Other(_) => member("error", &error.to_rpc(&modern_reader())),
    }
}

fn member(key: &str, value: &impl Serialize) -> String {
    object(|object| {
        object.raw(key, &serde_json::to_string(value).unwrap_or_default());
    })
}
