//! The large part of a persisted task: the questions of one that waits, or how one ended.
//!
//! `Tasks` writes it, `TaskView` reads it. One member says which of both it is; a result's body is
//! written as it is and comes back letter for letter.

use crate::end::{TaskEnd, lost, modern_reader};
use crate::phase::TaskPhase;
use hobnob_mcp_engine::{Answer, CallError, TaskStatus};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::json::{ObjectWriter, object};
use hobnob_mcp_types::{Revision, RpcError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The text that a task in this phase has to be stored with, if any.
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

/// The text for a task whose process is gone.
pub(crate) fn write_lost(text: &str) -> String {
    member("error", &lost(text))
}

/// What a stored text says: open questions, or the end.
pub(crate) enum Detail {
    None,
    Questions(InputRequests),
    End(TaskEnd),
}

/// Reads what [`write`] wrote for a task of this status.
pub(crate) fn read(status: TaskStatus, text: Option<&str>) -> Result<Detail, serde_json::Error> {
    match status {
        TaskStatus::Working => return Ok(Detail::None),
        TaskStatus::Cancelled => return Ok(Detail::End(TaskEnd::Cancelled)),
        TaskStatus::InputRequired | TaskStatus::Completed | TaskStatus::Failed => {}
    }
    let error = |error| Ok(Detail::End(TaskEnd::Error(error)));
    match serde_json::from_str(text.unwrap_or_default())? {
        Written::Questions(open) => Ok(Detail::Questions(open)),
        Written::Answer { body, meta, floor } => {
            let body = String::from(Box::<str>::from(body));
            Ok(Detail::End(TaskEnd::Answer(Answer { body, meta, cache: None, floor })))
        }
        Written::Error(rpc) => error(CallError::Other(rpc)),
        Written::Resource(uri) => error(CallError::Resource(uri)),
        Written::Capability(needed) => error(CallError::Capability(needed)),
    }
}

/// Errors that each era words in its own way are stored as what they are.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Written {
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
