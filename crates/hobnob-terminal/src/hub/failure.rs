//! Maps errors of calls and lists to exit codes and messages.
//!
//! Every command that talks to servers uses it.

use crate::ended::{Code, Ended};
use hobnob_mcp_client::{CallFailed, ListError, RequestError};
use hobnob_mcp_types::{ErrorCode, RpcError};

/// The end of a command whose call has no result.
pub fn failed(error: &CallFailed) -> Ended {
    match error {
        CallFailed::Refused(error) => refused(error),
        CallFailed::NoAnswer(failure) => Ended::new(failure_code(failure), failure.to_string()),
        CallFailed::Tool(_)
        | CallFailed::Arguments(_)
        | CallFailed::Unreadable(_)
        | CallFailed::Endless => Ended::new(Code::Failed, error.to_string()),
    }
}

/// The end of a command that cannot read a list.
pub fn listing_failed(error: &ListError) -> Ended {
    match error {
        ListError::Failed(RequestError::Rpc(error)) => refused(error),
        ListError::Failed(failure) => Ended::new(failure_code(failure), failure.to_string()),
        ListError::Late(_) => Ended::new(Code::Timeout, error.to_string()),
        ListError::Endless(_) | ListError::Shapeless(_) | ListError::Entry(..) => {
            Ended::new(Code::Failed, error.to_string())
        }
    }
}

fn refused(error: &RpcError) -> Ended {
    let code = match error.code {
        ErrorCode::UPSTREAM | ErrorCode::BUSY => Code::Unavailable,
        ErrorCode::TIMEOUT => Code::Timeout,
        _ => code_of_refusal(&error.message).unwrap_or(Code::Failed),
    };
    Ended::new(code, error.message.to_string())
}

fn failure_code(failure: &RequestError) -> Code {
    match failure {
        RequestError::Late(_) => Code::Timeout,
        RequestError::Unsent(_)
        | RequestError::Busy(_)
        | RequestError::Lost(_)
        | RequestError::Ended(_) => Code::Unavailable,
        RequestError::Rpc(_) | RequestError::Unreadable(_) => Code::Failed,
    }
}

/// The exit code for a refusal of the gateway's guard, recognised by its text.
pub fn code_of_refusal(message: &str) -> Option<Code> {
    let head = |text: &str| message.starts_with(text);
    let denied = head("denied by ")
        || head("refused by a person")
        || head("refused because nobody")
        || head("refused by the owner of this hub")
        || head("not run yet: ")
        || (message.contains("` is denied by ") && (head("tool `") || head("server `")));
    denied.then_some(Code::Denied)
}
