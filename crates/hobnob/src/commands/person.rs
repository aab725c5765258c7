//! Refuses a command that changes what is allowed, if Hobnob itself started the program that runs it:
//! a server or a command of an assistant could otherwise grant itself what it likes.
//!
//! Every such command calls it first. A variable can be unset, so the ancestors of the process count.

use hobnob_gateway::INSTANCES;
use hobnob_terminal::ended::{Code, Ended};

/// Fails unless a person typed the command. `what` begins the sentence, such as `rules are`.
pub(super) fn require_person(what: &str) -> anyhow::Result<()> {
    if std::env::var_os(INSTANCES).is_none() && !is_started_by_hub() {
        return Ok(());
    }
    let message = format!(
        "{what} changed by a person, and this program was started by Hobnob; type the command in a \
         terminal of your own"
    );
    Err(Ended::new(Code::Denied, message).into())
}

#[cfg(target_os = "linux")]
fn is_started_by_hub() -> bool {
    hobnob_mcp_process::is_started_by_hub()
}

/// Elsewhere only the variable says so.
#[cfg(not(target_os = "linux"))]
fn is_started_by_hub() -> bool {
    false
}
