//! The exit codes of the process. `report.rs` asks for them, and no other file knows the numbers.

use hobnob_terminal::ended::Code;

/// The section on exit codes that `--help` ends with.
pub(crate) const HELP: &str = "\
Exit codes:
  0    success
  1    failure
  2    usage error
  3    the tool reported an error
  4    a rule or a person denied the call, or nobody could be asked
  5    a server is unavailable
  N    with `run`: the exit code of the program that the method ran
  124  timeout
  130  interrupted";

/// The number that the shell sees.
pub(crate) fn number(code: Code) -> u8 {
    match code {
        Code::Done => 0,
        Code::Failed => 1,
        Code::Usage => 2,
        Code::ToolError => 3,
        Code::Denied => 4,
        Code::Unavailable => 5,
        Code::Timeout => 124,
        Code::Interrupted => 130,
        Code::Program(code) => code,
    }
}
