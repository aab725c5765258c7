//! A line of the audit log as the principal whose request it is about sees it.
//!
//! What must stay true: every field is listed here, so that a new one is shown to no principal by
//! itself; what counts the lines of others, and the owner's rules and grants, are left out.

use hobnob_policy::audit::AuditEntry;

pub(super) fn shown_line(line: AuditEntry) -> AuditEntry {
    AuditEntry {
        at: line.at,
        repeated: line.repeated,
        since: line.since,
        principal: line.principal,
        address: line.address,
        client: line.client,
        client_version: line.client_version,
        via: line.via,
        revision: line.revision,
        method: line.method,
        tool: line.tool,
        uri: line.uri,
        prompt: line.prompt,
        program: line.program,
        server: line.server,
        decision: line.decision,
        outcome: line.outcome,
        code: line.code,
        duration_us: line.duration_us,
        request_bytes: line.request_bytes,
        result_bytes: line.result_bytes,
        lost: None,
        torn: None,
        head: None,
        grant: None,
        original: None,
        rule: None,
        seq: None,
        prev: None,
    }
}
