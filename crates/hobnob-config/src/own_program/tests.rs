//! Command lines that start Hobnob again, and others.

use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use super::OwnProgram;
use crate::places::Places;

fn places(folder: &Path) -> Places {
    Places {
        home: folder.into(),
        config_dir: folder.join("config"),
        data_dir: folder.join("data"),
        state_dir: folder.join("state"),
        runtime_dir: folder.join("run"),
        project: folder.into(),
    }
}

/// A stand-in for our program in a folder, with a link, a copy and another program beside it.
fn folder() -> TempDir {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    std::fs::create_dir_all(folder.join("config")).unwrap();
    std::fs::write(folder.join("program"), "the program").unwrap();
    std::fs::write(folder.join("copy"), "the program").unwrap();
    std::fs::write(folder.join("other"), "the_program").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.join("program"), folder.join("link")).unwrap();
    #[cfg(not(unix))]
    std::fs::copy(folder.join("program"), folder.join("link")).unwrap();
    temporary
}

fn check(expected: bool, entries: &[serde_json::Value], folder: &Path) {
    let own = OwnProgram::new(folder.join("program"), &places(folder));
    for entry in entries {
        assert_eq!(own.is_started_by_entry(entry), expected, "{entry}");
    }
}

#[test]
fn a_command_line_that_serves_ourselves_is_recognised() {
    let temporary = folder();
    let folder = temporary.path();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let entries = [
        json!({"command": "hobnob", "args": ["serve"]}),
        json!({"command": "/opt/bin/hobnob", "args": ["-v", "serve", "--profile", "x"]}),
        json!({"command": "hobnob", "args": ["--project", "/elsewhere", "serve"]}),
        json!({"command": path("program"), "args": ["serve"]}),
        json!({"command": path("link"), "args": ["serve"]}),
        json!({"command": path("copy"), "args": ["serve"]}),
        json!({"command": "env", "args": ["A=1", "hobnob", "serve"]}),
        json!({"command": "/usr/bin/env", "args": ["-u", "X", "nice", "-n", "5", path("copy"), "serve"]}),
        json!({"command": "sh", "args": ["-c", "cd /x && exec hobnob serve"]}),
        json!({"command": "bash", "args": ["-lc", format!("'{}' 'serve'", path("link"))]}),
        json!({"command": "env", "args": ["sh", "-c", "A=1 hobnob serve"]}),
        json!({"command": "npx", "args": ["-y", "hobnob@1.2.3", "serve"]}),
        json!({"command": "uvx", "args": ["--from", "hobnob==1", "hobnob", "serve"]}),
        json!({"command": "cargo", "args": ["run", "-q", "-p", "hobnob", "--", "serve"]}),
        json!({"command": "hobnob", "args": ["serve"], "env": {"HOBNOB_HOME": folder}}),
        json!({"command": "hobnob", "args": ["serve", "--config-dir", folder.join("config")]}),
        json!({"command": "hobnob", "args": [format!("--config-dir={}/./config", folder.display()), "serve"]}),
    ];
    check(true, &entries, folder);
}

#[test]
fn another_program_or_a_hobnob_with_settings_of_its_own_is_not_us() {
    let temporary = folder();
    let folder = temporary.path();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let entries = [
        json!({"url": "http://127.0.0.1:1/mcp"}),
        json!({"command": "hobnob", "args": ["completions", "bash"]}),
        json!({"command": path("other"), "args": ["serve"]}),
        json!({"command": "node", "args": ["server.js", "hobnob", "serve"]}),
        json!({"command": "npx", "args": ["-y", "some-server", "serve"]}),
        json!({"command": "sh", "args": ["-c", "echo hobnob; some-server serve"]}),
        json!({"command": "docker", "args": ["run", "-i", "example/hobnob", "serve"]}),
        json!({"command": "ssh", "args": ["host", "hobnob", "serve"]}),
        json!({"command": "hobnob", "args": ["serve"], "env": {"HOBNOB_HOME": "/elsewhere"}}),
        json!({"command": "hobnob", "args": ["serve", "--config-dir", "/elsewhere"]}),
        json!({"command": "env", "args": ["HOBNOB_HOME=/elsewhere", "hobnob", "serve"]}),
        json!({"command": "sh", "args": ["-c", "XDG_CONFIG_HOME=/elsewhere exec hobnob serve"]}),
    ];
    check(false, &entries, folder);
}
