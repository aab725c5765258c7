//! An update replaces the program of a hub that runs: the commands say so, and what to do.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::cli_config_home::Home;
use crate::program::PROGRAM;

/// A hub on a pipe that runs this file, as soon as it answers.
fn hub(home: &Home, program: &Path) -> Child {
    let like = home.command(&["serve"]);
    let mut command = Command::new(program);
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(like.get_args()).current_dir(like.get_current_dir().unwrap());
    let mut hub = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    writeln!(hub.stdin.as_mut().unwrap(), "{hello}").unwrap();
    let mut answer = String::new();
    BufReader::new(hub.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
    assert!(answer.contains("serverInfo"), "{answer}");
    hub
}

#[test]
fn commands_say_that_the_program_of_a_hub_was_replaced() {
    const REPLACED: &str = "was replaced or removed since it started";
    let home = Home::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("hobnob");
    fs::hard_link(PROGRAM, &program).unwrap();
    let mut hub = hub(&home, &program);
    assert_eq!(home.json(0, &["hubs"])[0]["replaced"], false);
    let before = home.ok(&["status"]);
    assert!(before.stdout.contains("serves") && !before.stderr.contains(REPLACED));
    let update = folder.path().join("update");
    fs::write(&update, "another program").unwrap();
    fs::rename(&update, &program).unwrap();
    assert_eq!(home.json(0, &["hubs"])[0]["replaced"], true);
    for words in [&["hubs"][..], &["status"], &["tools"]] {
        let stderr = home.ok(words).stderr;
        assert!(stderr.contains(REPLACED), "{words:?}: {stderr}");
        assert!(stderr.contains("restart the clients that use it"), "{words:?}: {stderr}");
    }
    let report = home.run(&["--json", "doctor"]).stdout;
    assert!(report.contains(REPLACED), "{report}");
    drop(hub.stdin.take());
    assert!(hub.wait().unwrap().success());
    assert_eq!(home.json(0, &["hubs"]), json!([]));
}
