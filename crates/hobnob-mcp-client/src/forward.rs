//! Writes a call of the engine as the request that this server understands.
//!
//! `Remote` writes every call with it, in one pass from the caller's text to the wire: members are
//! copied unchanged, except the name of the thing asked for and the protocol's own `_meta`.

use crate::declared::{DeclaredCapabilities, declared};
use crate::options::ClientOptions;
use hobnob_mcp_engine::{Call, Notes};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::json::{ObjectWriter, object, write_string};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::trace_context::{TRACEPARENT, TRACESTATE, TraceParent, tracestate_of};
use hobnob_mcp_types::{Era, Method, RequestId, Revision, meta};

/// What `Client` or a gateway changes or adds when it forwards a call to the server.
#[derive(Debug, Default)]
pub struct ForwardOptions<'a> {
    /// The thing asked for has this other name on the server.
    pub rename: Option<Rename<'a>>,
    /// Parameters to repeat in HTTP headers, for a modern server.
    pub mirrored: Vec<(Box<str>, String)>,
    /// How the server is to run the call.
    pub mode: ExecutionMode,
}

/// A member of the parameters, and its new value.
#[derive(Debug, Clone, Copy)]
pub struct Rename<'a> {
    /// The member: `name`, `uri` or `ref`.
    pub key: &'static str,
    /// Its value on the server, as JSON.
    pub value: &'a str,
}

/// How a call is to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExecutionMode {
    /// As a plain call, unless the server decides otherwise.
    #[default]
    Call,
    /// As a task, because the server requires that for this tool (2025-11-25).
    Task,
}

/// Protocol members of the parameters, which are never copied: we write or omit them ourselves.
const PROTOCOL_MEMBERS: [&str; 4] = ["_meta", "task", "inputResponses", "requestState"];

/// The keys of `_meta` that are valid for one hop only.
const HOP_KEYS: [&str; 7] = [
    meta::PROTOCOL_VERSION,
    meta::CLIENT_INFO,
    meta::CLIENT_CAPABILITIES,
    meta::LOG_LEVEL,
    meta::PROGRESS_TOKEN,
    meta::RELATED_TASK,
    meta::SUBSCRIPTION_ID,
];

/// Our identity, and the capabilities of the caller.
pub(crate) struct SenderIdentity<'a> {
    /// Our name and version, as JSON.
    pub(crate) implementation: &'a str,
    pub(crate) capabilities: &'a DeclaredCapabilities,
}

/// Writes the whole message, in the server's revision.
pub(crate) fn write(
    id: &RequestId,
    call: &Call,
    forward: &ForwardOptions<'_>,
    notes: &Notes,
    revision: Revision,
    sender: &SenderIdentity<'_>,
) -> String {
    let mut out = String::with_capacity(call.params.raw().len() + 512);
    out.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    id.write(&mut out);
    out.push_str(",\"method\":");
    write_string(&mut out, call.method.as_str());
    out.push_str(",\"params\":");
    let mut params = ObjectWriter::new(&mut out);
    for (key, value) in call.params.members() {
        match &forward.rename {
            Some(rename) if rename.key == key => drop(params.raw(key, rename.value)),
            _ if PROTOCOL_MEMBERS.contains(&key) => {}
            _ => drop(params.raw(key, value)),
        }
    }
    // In no other revision does the caller decide.
    if forward.mode == ExecutionMode::Task && revision == Revision::V2025_11_25 {
        params.raw("task", "{}");
    }
    if revision.era() == Era::Modern {
        write_answers(&mut params, call);
    }
    // Progress extends a tool's time limit, so ask for it even if the caller does not.
    let wanted = call.method == Method::ToolsCall || notes.wants_progress();
    let progress = wanted.then_some(id);
    match revision.era() {
        Era::Modern => {
            write_modern_meta(params.key("_meta"), call, progress, revision, sender);
        }
        Era::Legacy => write_legacy_meta(&mut params, call, progress),
    }
    params.end();
    out.push('}');
    out
}

/// Writes the caller's answers of the newest round, and the server's own state from that round.
fn write_answers(params: &mut ObjectWriter<'_>, call: &Call) {
    let mut fresh = call.answers.fresh().peekable();
    if fresh.peek().is_some() {
        let mut responses = ObjectWriter::new(params.key("inputResponses"));
        for (key, answer) in fresh {
            responses.raw(key, answer.get());
        }
        responses.end();
    }
    if let Some(state) = call.answers.state() {
        params.string("requestState", state);
    }
}

fn write_modern_meta(
    out: &mut String,
    call: &Call,
    progress: Option<&RequestId>,
    revision: Revision,
    sender: &SenderIdentity<'_>,
) {
    let mut meta = ObjectWriter::new(out);
    meta.string(meta::PROTOCOL_VERSION, revision.as_str());
    meta.raw(meta::CLIENT_INFO, sender.implementation);
    meta.raw(meta::CLIENT_CAPABILITIES, &sender.capabilities.text(&call.caller.capabilities));
    if let Some(level) = call.caller.log_level {
        meta.raw(meta::LOG_LEVEL, &level_text(level));
    }
    if let Some(id) = progress {
        id.write(meta.key(meta::PROGRESS_TOKEN));
    }
    copy_meta(&mut meta, call);
    meta.end();
}

fn write_legacy_meta(params: &mut ObjectWriter<'_>, call: &Call, progress: Option<&RequestId>) {
    let carried = call.params.meta_members().any(|(key, _)| !HOP_KEYS.contains(&&*key));
    if !carried && progress.is_none() && call.caller.trace.is_none() {
        return;
    }
    let mut meta = ObjectWriter::new(params.key("_meta"));
    if let Some(id) = progress {
        id.write(meta.key(meta::PROGRESS_TOKEN));
    }
    copy_meta(&mut meta, call);
    meta.end();
}

/// Copies the keys that the caller put into `_meta` for the server, such as a vendor's own keys.
/// The span of a traced call replaces the caller's context.
fn copy_meta(meta: &mut ObjectWriter<'_>, call: &Call) {
    for (key, value) in call.params.meta_members() {
        let passes = match &*key {
            TRACEPARENT | TRACESTATE => passes_trace(&key, call),
            key => !HOP_KEYS.contains(&key),
        };
        if passes {
            meta.raw(&key, value);
        }
    }
    if let Some(trace) = &call.caller.trace {
        meta.string(TRACEPARENT, &trace.to_upstream().to_string());
        if let Some(state) = &trace.tracestate {
            meta.string(TRACESTATE, state);
        }
    }
}

/// Whether the caller's own context passes. W3C Trace Context, section 3.3: a `tracestate` without
/// a valid `traceparent` is discarded, too.
fn passes_trace(key: &str, call: &Call) -> bool {
    call.caller.trace.is_none()
        && TraceParent::of(&call.params).is_some()
        && (key == TRACEPARENT || tracestate_of(&call.params).is_some())
}

/// The `_meta` of a request that no caller made.
pub(crate) fn modern_meta(
    revision: Revision,
    able: &ClientCapabilities,
    options: &ClientOptions,
) -> String {
    object(|meta| {
        meta.string(meta::PROTOCOL_VERSION, revision.as_str());
        meta.raw(
            meta::CLIENT_INFO,
            &serde_json::to_string(&options.implementation).unwrap_or_else(|_| "{}".into()),
        );
        meta.raw(meta::CLIENT_CAPABILITIES, &declared(able));
        if let Some(extra) = &options.meta {
            meta.members_of(&extra.text());
        }
    })
}

/// The value of the header `Mcp-Name` for a call; `None` for methods without that header.
pub(crate) fn header_name(call: &Call, forward: &ForwardOptions<'_>) -> Option<Box<str>> {
    let key = match call.method {
        Method::ToolsCall | Method::PromptsGet => "name",
        Method::ResourcesRead => "uri",
        Method::TasksGet | Method::TasksUpdate | Method::TasksCancel => "taskId",
        _ => return None,
    };
    match &forward.rename {
        Some(rename) if rename.key == key => {
            serde_json::from_str::<String>(rename.value).ok().map(Into::into)
        }
        _ => call.params.string(key).ok().map(|name| name.as_ref().into()),
    }
}

fn level_text(level: LoggingLevel) -> String {
    serde_json::to_string(&level).unwrap_or_else(|_| "\"info\"".into())
}
