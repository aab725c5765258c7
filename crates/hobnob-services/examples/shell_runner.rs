//! The runner of the tests: what Hobnob's own program is when it is started with the argument of a
//! supervisor. Cargo builds it along with the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The first argument says that it is a supervisor; this program is nothing else.
    hobnob_mcp_process::supervisor::run(std::env::args_os().skip(2))
}
