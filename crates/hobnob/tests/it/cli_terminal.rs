//! Commands of a test's home on a pseudo-terminal of a given size. The tests of what people see use
//! it.
//!
//! What must stay true: nothing is typed before its text was seen, however slow the machine is.

use std::process::Command;

use crate::cli_config_home::{Home, Run};

/// Runs a command with these variables on a terminal with this many columns, and types the answers
/// to its questions. Standard output and standard error are one screen, with plain line breaks.
pub(crate) fn on_terminal_with(
    home: &Home,
    columns: u16,
    steps: &[(&str, &str)],
    words: &[&str],
    variables: &[(&str, &str)],
) -> Run {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/upstreams/terminal.py");
    let command = home.command(words);
    let mut terminal = Command::new("python3");
    terminal.arg(script).arg("50").arg(columns.to_string());
    terminal.arg(serde_json::to_string(steps).unwrap());
    terminal.arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => terminal.env(key, value),
            None => terminal.env_remove(key),
        };
    }
    terminal.env("TERM", "xterm").current_dir(home.path("project"));
    terminal.envs(variables.iter().copied());
    let output = terminal.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    // The byte that the script waits with is echoed before the program begins.
    let shown = shown.strip_prefix('\n').unwrap_or(&shown).to_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(stderr, "", "{shown}");
    Run { code: output.status.code().unwrap(), stdout: shown, stderr }
}
