//! The supervisor of shells in the tests: does what Hobnob's own program does when it is started
//! with the argument for a supervisor. Cargo builds it along with the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Skips the program's name and the argument for a supervisor: this program is always one.
    hobnob_mcp_process::supervisor::run(std::env::args_os().skip(2))
}
