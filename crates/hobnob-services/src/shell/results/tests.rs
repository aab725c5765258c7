//! The end of a command, as data and as text.

use super::{CommandResult, End};
use crate::commands::{CommandOutcome, StopCause, TextValidity};
use crate::shell::kept_output::KeptOutput;
use hobnob_mcp_engine::OutputStream;
use hobnob_mcp_process::LimitKind;
use hobnob_mcp_process::runner::{CommandEnd, SandboxState};
use std::time::Duration;

fn result(end: CommandEnd, stopped: Option<StopCause>, output: &str) -> CommandResult {
    let duration = Duration::from_millis(7);
    let outcome = CommandOutcome { end, stopped, validity: TextValidity::Valid, duration };
    let mut kept = KeptOutput::new(100);
    kept.push(OutputStream::Stdout, output);
    CommandResult::new(&outcome, kept, SandboxState::NotAsked)
}

#[test]
fn every_end_is_told_apart() {
    use StopCause::{Revoked, Timeout};
    let cases = [
        (CommandEnd::Code(0), None, "out\n", "out\n"),
        (CommandEnd::Code(0), None, "", ""),
        (CommandEnd::Code(3), None, "out", "out\n[exit code 3]\n"),
        (CommandEnd::Signal(11), None, "", "[ended by SIGSEGV]\n"),
        (CommandEnd::Code(0), Some(Timeout), "a\n", "a\n[exit code 0, limit: timeout]\n"),
        (CommandEnd::Signal(15), Some(Timeout), "", "[ended by SIGTERM, limit: timeout]\n"),
        (CommandEnd::Killed, Some(Timeout), "", "[ended by SIGKILL, limit: timeout]\n"),
        (CommandEnd::Killed, Some(Revoked), "", "[ended by SIGKILL, limit: revoked]\n"),
        (CommandEnd::Limit(LimitKind::Memory), None, "", "[ended by SIGKILL, limit: memory]\n"),
        (CommandEnd::Limit(LimitKind::Cpu), None, "", "[ended by SIGKILL, limit: cpu]\n"),
    ];
    for (end, stopped, output, text) in cases {
        let result = result(end, stopped, output);
        assert_eq!(result.text(), text, "{end:?} {stopped:?}");
        assert_eq!(result.timed_out, stopped == Some(Timeout));
        assert_eq!(result.exit_code.is_some(), matches!(end, CommandEnd::Code(_)));
    }
    let duration = Duration::ZERO;
    let end = CommandEnd::Limit(LimitKind::Processes);
    let outcome = CommandOutcome { end, stopped: None, validity: TextValidity::Valid, duration };
    assert_eq!(End::of(&outcome).limit, Some("processes"));
}
