//! One audit record and its line. Arguments, results and header values are not fields, so they
//! cannot be written; the text of strangers is capped and escaped.

use std::fmt::Write as _;
use std::net::IpAddr;

use hobnob_text::{escape_utf16, is_display_hazard};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

use super::decision::AuditDecision;

/// Characters of any one text that are written; a cut text ends in `…`.
const LONGEST: usize = 256;

const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// One thing that was done or refused. Texts are borrowed: writing it down costs one allocation.
#[derive(Debug, Clone)]
pub struct AuditRecord<'a> {
    /// When it was done: calls are dated by their beginning.
    pub at: Timestamp,
    /// Who asked for it, as far as was proved.
    pub principal: &'a str,
    /// The address of the caller's connection, where there is one.
    pub address: Option<IpAddr>,
    /// What the client says it is.
    pub client: Option<ClientInfo<'a>>,
    /// What of Hobnob made the call for the caller, such as a session with a model.
    pub via: Option<&'a str>,
    /// The protocol revision in use.
    pub revision: Option<&'a str>,
    /// Such as `tools/call`; `program/run` for a program of a service, `grants/…` for grants.
    pub method: &'a str,
    /// What it was done to, by its public name.
    pub target: AuditTarget<'a>,
    /// The upstream it went to; none for what Hobnob does itself.
    pub server: Option<&'a str>,
    /// The name of the target at that server.
    pub original: Option<&'a str>,
    /// What the rules and people decided, as the permit or the refusal says it.
    pub decision: AuditDecision,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// How it ended, which says nothing about who allowed it.
    pub outcome: AuditOutcome,
    /// Bytes of the request.
    pub request_bytes: u64,
    /// Bytes of the result.
    pub result_bytes: u64,
}

/// What a client says about itself; nobody checks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientInfo<'a> {
    /// As it introduced itself, cut to a few hundred characters in the log.
    pub name: &'a str,
    /// As it introduced itself, cut like the name.
    pub version: &'a str,
}

/// What something was done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditTarget<'a> {
    /// The method is about nothing in particular.
    None,
    /// A tool's public name as the client called it.
    Tool(&'a str),
    /// A resource. Its user, query and fragment are left out: they may hold secrets.
    Uri(&'a str),
    /// A prompt's public name as the client called it.
    Prompt(&'a str),
    /// A program that was run, with its arguments; whoever records it leaves secrets out.
    Program(&'a str),
    /// A grant in one line, or a service and its access.
    Grant(&'a str),
}

/// How a call or a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditOutcome {
    /// It gave a result.
    Ok,
    /// With a result that says the tool failed.
    ToolError,
    /// With this JSON-RPC error code.
    Error(i64),
    /// By the caller's wish.
    Cancelled,
    /// Without an answer in time.
    Timeout,
    /// Nothing ran: a rule, a person or a limit was against it.
    Refused,
    /// With the loss of the upstream.
    UpstreamLost,
    /// Not yet: where calls have to be recorded, a line says that it begins.
    Begun,
}

impl AuditOutcome {
    /// The word in the log; an error's code stands beside it.
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
    /// Something that happened just now and succeeded, by no client and to nothing in particular.
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

/// A record's line once more, for as many that were like it.
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

/// The line that says how many records were lost before it.
pub(crate) fn write_lost(line: &mut String, at: Timestamp, lost: u64) {
    begin(line, at);
    number(line, "lost", lost);
    line.push_str("}\n");
}

/// The line that has what a crash left of the line before it.
pub(super) fn write_torn(line: &mut String, at: Timestamp, left: &str) {
    begin(line, at);
    text(line, "torn", left);
    line.push_str("}\n");
}

/// The line that says that the head record was gone or damaged when the log was continued, so that
/// lines before this one may be missing.
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
    escape(line, value, LONGEST);
    line.push('"');
}

/// Writes at most `room` characters and says how much room is left.
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
            // The file may be shown on a terminal, so it holds nothing a terminal acts on.
            letter if is_display_hazard(letter) => escape_utf16(line, letter),
            letter => line.push(letter),
        }
    }
    room.saturating_sub(value.chars().count())
}

/// An address without what may be secret in it: user, query and fragment. An address inside the
/// path of another one, as a gateway makes them, is treated the same.
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
