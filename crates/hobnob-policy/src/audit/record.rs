//! One audit record and its line. Arguments, results and header values are not fields, so they
//! cannot be written; text that strangers chose is capped and escaped.

use std::fmt::Write as _;
use std::net::IpAddr;

use hobnob_text::{escape_utf16, is_display_hazard};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

use super::decision::AuditDecision;

/// Longest text that is written, in characters; a longer one is cut and ends in `…`.
const MAX_TEXT_CHARS: usize = 256;

const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// One thing that was done or refused. Its texts are borrowed: writing it costs one allocation.
#[derive(Debug, Clone)]
pub struct AuditRecord<'a> {
    /// When it was done: a call has the time of its beginning.
    pub at: Timestamp,
    /// The principal that made the call, as far as it was authenticated.
    pub principal: &'a str,
    /// The address of the caller's connection, if it has one.
    pub address: Option<IpAddr>,
    /// What the client says it is.
    pub client: Option<ClientInfo<'a>>,
    /// The part of Hobnob that made the call for the caller, such as a session with a model.
    pub via: Option<&'a str>,
    /// The protocol revision in use.
    pub revision: Option<&'a str>,
    /// Such as `tools/call`; `program/run` for a program of a service, `grants/…` for grants.
    pub method: &'a str,
    /// The target of the call, by its public name.
    pub target: AuditTarget<'a>,
    /// The upstream that was called; `None` for Hobnob's own work.
    pub server: Option<&'a str>,
    /// The name of the target at that server.
    pub original: Option<&'a str>,
    /// The decision of the rules and people, from the permit or the refusal.
    pub decision: AuditDecision,
    /// The duration in microseconds.
    pub duration_us: u64,
    /// How it ended, which says nothing about what allowed it.
    pub outcome: AuditOutcome,
    /// Bytes of the request.
    pub request_bytes: u64,
    /// Bytes of the result.
    pub result_bytes: u64,
}

/// What a client says about itself; Hobnob does not verify it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientInfo<'a> {
    /// The name as the client sends it, cut to a few hundred characters in the log.
    pub name: &'a str,
    /// The version as the client sends it, cut like the name.
    pub version: &'a str,
}

/// What a call was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditTarget<'a> {
    /// The method has no target.
    None,
    /// A tool's public name as the client called it.
    Tool(&'a str),
    /// A resource. Its user, query and fragment are left out: they may hold secrets.
    Uri(&'a str),
    /// A prompt's public name as the client called it.
    Prompt(&'a str),
    /// A program that was run, with its arguments; the caller leaves secrets out.
    Program(&'a str),
    /// A grant in one line, or a service and its access.
    Grant(&'a str),
}

/// How a call or a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditOutcome {
    /// It returned a result.
    Ok,
    /// It returned a result that says the tool failed.
    ToolError,
    /// It ended with this JSON-RPC error code.
    Error(i64),
    /// The caller cancelled it.
    Cancelled,
    /// It was not answered in time.
    Timeout,
    /// It did not run: a rule, a person or a limit refused it.
    Refused,
    /// The connection to the upstream was lost.
    UpstreamLost,
    /// It has only begun: in strict mode, this line is written before the call.
    Begun,
}

impl AuditOutcome {
    /// The outcome's word in the log; an error's code is a field of its own.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::Error(_) => "error",
            Self::Cancelled => "cancelled",
            Self::Timeout => "timeout",
            Self::Refused => "refused",
            Self::UpstreamLost => "upstream_lost",
            Self::Begun => "begun",
        }
    }
}

impl<'a> AuditRecord<'a> {
    /// A record of a success just now, without a client and without a target.
    #[must_use]
    pub fn event(method: &'a str) -> Self {
        Self {
            at: Timestamp::now(),
            principal: "",
            address: None,
            client: None,
            via: None,
            revision: None,
            method,
            target: AuditTarget::None,
            server: None,
            original: None,
            decision: AuditDecision::default(),
            duration_us: 0,
            outcome: AuditOutcome::Ok,
            request_bytes: 0,
            result_bytes: 0,
        }
    }

    /// Appends the record as one JSON line with its line break.
    pub fn write_line(&self, line: &mut String) {
        begin(line, self.at);
        text(line, "principal", self.principal);
        if let Some(address) = self.address {
            key(line, "address");
            // Writing to a string cannot fail, here and below.
            let _ = write!(line, "\"{address}\"");
        }
        if let Some(client) = self.client {
            text(line, "client", client.name);
            text(line, "client_version", client.version);
        }
        optional(line, "via", self.via);
        optional(line, "revision", self.revision);
        text(line, "method", self.method);
        match self.target {
            AuditTarget::None => {}
            AuditTarget::Tool(name) => text(line, "tool", name),
            AuditTarget::Prompt(name) => text(line, "prompt", name),
            AuditTarget::Program(command) => text(line, "program", command),
            AuditTarget::Grant(grant) => text(line, "grant", grant),
            AuditTarget::Uri(uri) => {
                text(line, "uri", &without_secrets(uri));
            }
        }
        optional(line, "server", self.server);
        optional(line, "original", self.original);
        text(line, "decision", self.decision.decision().as_str());
        optional(line, "rule", self.decision.rule());
        text(line, "outcome", self.outcome.as_str());
        if let AuditOutcome::Error(code) = self.outcome {
            key(line, "code");
            let _ = write!(line, "{code}");
        }
        number(line, "duration_us", self.duration_us);
        number(line, "request_bytes", self.request_bytes);
        number(line, "result_bytes", self.result_bytes);
        line.push_str("}\n");
    }
}

/// A record's line again, for `more` refusals like it.
pub(super) fn repeated_line(line: &str, first: Timestamp, last: Timestamp, more: u64) -> String {
    let mut repeated = String::with_capacity(line.len() + 80);
    begin(&mut repeated, last);
    number(&mut repeated, "repeated", more);
    key(&mut repeated, "since");
    repeated.push('"');
    let _ = PRINTER.print_timestamp(&first, &mut repeated);
    repeated.push('"');
    // Every line begins with its time, so the first comma comes right after it.
    let rest = line.find(',').map_or("}\n", |at| &line[at..]);
    repeated.push_str(rest);
    repeated
}

/// Writes the line that counts the records lost before it.
pub(crate) fn write_lost(line: &mut String, at: Timestamp, lost: u64) {
    begin(line, at);
    number(line, "lost", lost);
    line.push_str("}\n");
}

/// Writes the line that keeps the rest of a line that a crash cut short.
pub(super) fn write_torn(line: &mut String, at: Timestamp, left: &str) {
    begin(line, at);
    text(line, "torn", left);
    line.push_str("}\n");
}

/// Writes the line that says that the head record was missing or damaged when the log was
/// continued, so that lines before this one may be missing.
pub(super) fn write_lost_head(line: &mut String, at: Timestamp) {
    begin(line, at);
    text(line, "head", "lost");
    line.push_str("}\n");
}

fn begin(line: &mut String, at: Timestamp) {
    line.push_str("{\"at\":\"");
    // Printing into a string cannot fail.
    let _ = PRINTER.print_timestamp(&at, &mut *line);
    line.push('"');
}

fn key(line: &mut String, name: &str) {
    line.push_str(",\"");
    line.push_str(name);
    line.push_str("\":");
}

fn number(line: &mut String, name: &str, value: u64) {
    key(line, name);
    let _ = write!(line, "{value}");
}

fn optional(line: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        text(line, name, value);
    }
}

fn text(line: &mut String, name: &str, value: &str) {
    key(line, name);
    line.push('"');
    escape(line, value, MAX_TEXT_CHARS);
    line.push('"');
}

/// Writes at most `room` characters and returns how many more would fit.
fn escape(line: &mut String, value: &str, room: usize) -> usize {
    let plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    if value.len() <= room && value.bytes().all(plain) {
        line.push_str(value);
        return room - value.len();
    }
    for (count, letter) in value.chars().enumerate() {
        if count == room {
            line.push('…');
            return 0;
        }
        match letter {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\t' => line.push_str("\\t"),
            // The file may be printed on a terminal, so it holds no terminal controls.
            letter if is_display_hazard(letter) => escape_utf16(line, letter),
            letter => line.push(letter),
        }
    }
    room.saturating_sub(value.chars().count())
}

/// A URI without its parts that may be secret: user, query and fragment. A URI inside the path of
/// another one, as a gateway makes them, is treated the same.
#[must_use]
pub fn without_secrets(uri: &str) -> String {
    let end = uri.find(['?', '#']).unwrap_or(uri.len());
    let mut kept = String::with_capacity(end);
    let mut rest = &uri[..end];
    while let Some(slashes) = rest.find("://") {
        let (scheme, after) = rest.split_at(slashes + "://".len());
        let authority = after.find('/').unwrap_or(after.len());
        let host = after[..authority].rfind('@').map_or(0, |at| at + 1);
        kept.push_str(scheme);
        rest = &after[host..];
    }
    kept + rest
}
