//! The cursor of a page of lines: what tells its last line from all others of both chains.

use hobnob_policy::audit::AuditEntry;

/// How many digits of the chain's hash a cursor has: enough to tell two lines of one moment apart.
const HASH_DIGITS: usize = 16;

/// The text that names a line. A page gets it from one answer and sends it with its next request. It
/// has no number, since that would count the lines of other principals.
pub(super) fn cursor_of(line: &AuditEntry) -> String {
    let hash = line.prev.as_deref().and_then(|hash| hash.get(..HASH_DIGITS)).unwrap_or("-");
    format!("{}.{hash}", line.at.as_microsecond())
}
