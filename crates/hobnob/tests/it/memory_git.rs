//! Exchanging memories with git in an untrusted project: nothing of its configuration is run, a
//! person is asked once for each remote, and what git did is recorded.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::cli_config_home::{Home, Run, mode};
use crate::memory_client::{Client, ClientAbilities, Era};

/// A home with a hostile project, a repository on the "network" and an `ssh` that reaches it.
struct Setup {
    home: Home,
    path: String,
}

impl Setup {
    /// `None` where there is no git.
    fn new() -> Option<Self> {
        let home = Home::new();
        let bin = home.path("bin");
        fs::create_dir_all(&bin).unwrap();
        // The user's own ssh: it runs on this machine what it is asked to run on the other.
        program(&bin.join("ssh"), "for last; do :; done\neval \"$last\"");
        // A package manager puts the project's own programs first.
        let own = home.path("project/bin").display().to_string();
        let usual = std::env::var("PATH").unwrap();
        let path = format!("{own}:bin:{}:{usual}", bin.display());
        let setup = Self { home, path };
        for name in ["hub.git", "other.git"] {
            if setup.git(&["init", "--quiet", "--bare", name]).is_none() {
                eprintln!("SKIPPED: there is no git");
                return None;
            }
        }
        setup.make_hostile("hub.git");
        Some(setup)
    }

    fn git(&self, words: &[&str]) -> Option<()> {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.home.path(".")).args(words);
        command.env("HOME", self.home.path("home")).env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().ok()?;
        assert!(output.status.success(), "{words:?}: {output:?}");
        Some(())
    }

    fn url(&self, name: &str) -> String {
        format!("ssh://git.example{}", self.home.path(name).display())
    }

    fn canary(&self) -> PathBuf {
        self.home.path("canary")
    }

    /// A project whose every setting that names a program names one that leaves a trace.
    fn make_hostile(&self, remote: &str) {
        let evil = self.home.path("project/evil");
        program(&evil, &format!("touch '{}'\ncat >/dev/null", self.canary().display()));
        fs::create_dir_all(self.home.path("project/bin")).unwrap();
        for name in ["git", "ssh", "git-upload-pack", "git-receive-pack"] {
            fs::copy(&evil, self.home.path("project/bin").join(name)).unwrap();
        }
        let git = self.home.path("project/.git");
        for folder in ["objects/info", "objects/pack", "refs/heads", "hooks", "evil-hooks"] {
            fs::create_dir_all(git.join(folder)).unwrap();
        }
        for hooks in ["hooks", "evil-hooks"] {
            for hook in [
                "pre-push",
                "reference-transaction",
                "post-index-change",
                "fsmonitor-watchman",
                "pre-auto-gc",
                "post-checkout",
            ] {
                fs::copy(&evil, git.join(hooks).join(hook)).unwrap();
            }
        }
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        self.home.write("project/.gitattributes", "* filter=x diff=x merge=x\n");
        let evil = evil.display();
        self.home.write("project/.git/evil.config", &format!("[core]\n\tsshCommand = {evil}\n"));
        let url = self.url(remote);
        let config = format!(
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tsshCommand = {evil}\n\
             \tgitProxy = {evil}\n\tfsmonitor = {evil}\n\thooksPath = {hooks}\n\tpager = {evil}\n\
             \teditor = {evil}\n\taskPass = {evil}\n\talternateRefsCommand = {evil}\n\
             [include]\n\tpath = evil.config\n\
             [includeIf \"gitdir:/\"]\n\tpath = evil.config\n\
             [credential]\n\thelper = !{evil}\n\
             [protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n\
             [url \"ext::{evil} \"]\n\tinsteadOf = ssh://\n\tpushInsteadOf = ssh://\n\
             [ssh]\n\tvariant = simple\n\
             [gpg]\n\tprogram = {evil}\n[gpg \"ssh\"]\n\tprogram = {evil}\n\
             [push]\n\tgpgSign = true\n[commit]\n\tgpgSign = true\n\
             [filter \"x\"]\n\tclean = {evil}\n\tsmudge = {evil}\n\tprocess = {evil}\n\
             [diff]\n\texternal = {evil}\n[diff \"x\"]\n\ttextconv = {evil}\n\
             [merge \"x\"]\n\tdriver = {evil}\n\
             [uploadpack]\n\tpackObjectsHook = {evil}\n[gc]\n\trecentObjectsHook = {evil}\n\
             [alias]\n\tremote = !{evil}\n\tls-remote = !{evil}\n\
             [remote \"origin\"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
             \tuploadpack = {evil}\n\treceivepack = {evil}\n\tvcs = evil\n",
            hooks = git.join("evil-hooks").display(),
        );
        fs::write(git.join("config"), config).unwrap();
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.home.command(words);
        command.env("PATH", &self.path).env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    fn run(&self, words: &[&str]) -> Run {
        let output = self.command(words).output().unwrap();
        let run = Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!self.canary().exists(), "{words:?} ran a program of the project");
        run
    }

    fn ok(&self, words: &[&str]) -> String {
        let run = self.run(words);
        assert_eq!(run.code, 0, "{words:?}: {}{}", run.stdout, run.stderr);
        run.stdout
    }

    /// A client of a server in the project.
    async fn client(&self, era: Era, able: ClientAbilities) -> Client {
        let mut command = self.command(&["serve"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut command = tokio::process::Command::from(command);
        Client::start(command.kill_on_drop(true), era, able).await
    }

    fn project(&self) -> BTreeSet<PathBuf> {
        files(&self.home.path("project"))
    }

    /// What the audit log says of programs: the command and how it ended.
    fn recorded(&self) -> Vec<(String, String)> {
        let log = fs::read_to_string(self.home.path("hobnob/state/audit.jsonl")).unwrap();
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let programs = lines.filter(|line| line["program"].is_string());
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        programs.map(|line| (text(&line["program"]), text(&line["outcome"]))).collect()
    }
}

/// Every file in a folder and below.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let (mut files, mut folders) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => drop(files.insert(entry.path())),
            }
        }
    }
    files
}

fn program(file: &Path, script: &str) {
    fs::write(file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn no_command_runs_what_a_project_names() {
    let Some(setup) = Setup::new() else { return };
    let before = setup.project();
    setup.ok(&["memory", "capture", "Use PostgreSQL", "-n", "decisions"]);
    for words in [
        &["memory", "status"][..],
        &["memory", "list"],
        &["tasks", "list"],
        &["tools"],
        &["list"],
        &["status"],
        &["doctor"],
    ] {
        setup.run(words);
    }
    // Without a person at a terminal, there is no consent.
    let refused = setup.run(&["memory", "sync"]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("hobnob memory sync --yes"), "{}", refused.stderr);
    assert!(refused.stderr.contains(&setup.url("hub.git")), "{}", refused.stderr);
    assert_eq!(setup.recorded(), [], "git ran before anybody agreed");

    assert_eq!(setup.ok(&["memory", "sync", "--yes"]).trim(), "sent 1, received 0, conflicts 0");
    assert_eq!(setup.ok(&["memory", "sync"]).trim(), "sent 0, received 0, conflicts 0");
    let recorded = setup.recorded();
    let is_there = |words: &str| {
        recorded.iter().any(|(command, outcome)| command.starts_with(words) && outcome == "ok")
    };
    for words in ["git ls-remote", "git fast-import", "git push", "git fetch"] {
        assert!(is_there(words), "{words}: {recorded:?}");
    }
    let shown = setup.ok(&["audit"]);
    assert!(shown.contains("git push"), "{shown}");
    // Another remote needs a new consent.
    setup.make_hostile("other.git");
    let changed = setup.run(&["memory", "sync"]);
    assert!(changed.stderr.contains(&setup.url("other.git")), "{}", changed.stderr);
    assert_eq!(changed.code, 3);
    assert_eq!(setup.project(), before, "the project was written to");
    let ours = files(&setup.home.path("hobnob/state/sync"));
    assert!(ours.iter().any(|file| file.ends_with("approved.json")), "{ours:?}");
    for file in ours {
        assert_eq!(mode(&file) & 0o077, 0, "{}", file.display());
        assert_eq!(mode(file.parent().unwrap()), 0o700, "{}", file.display());
    }
}

#[test]
fn addresses_that_start_programs_are_refused() {
    let Some(setup) = Setup::new() else { return };
    let evil = setup.home.path("project/evil");
    for url in [
        format!("ext::{}", evil.display()),
        format!("--upload-pack={}", evil.display()),
        "ssh://-oProxyCommand=x/y".to_owned(),
        // A repository inside the project is as hostile as the project.
        setup.home.path("project").display().to_string(),
        ".".to_owned(),
    ] {
        let config = setup.home.path("project/.git/config");
        let text = fs::read_to_string(&config).unwrap();
        let (head, _) = text.split_once("[remote").unwrap();
        fs::write(&config, format!("{head}[remote \"origin\"]\n\turl = \"{url}\"\n")).unwrap();
        let run = setup.run(&["memory", "sync", "--yes"]);
        assert_eq!(run.code, 3, "{url}: {}", run.stderr);
        assert!(run.stderr.contains("sync failed"), "{url}: {}", run.stderr);
    }
}

#[tokio::test]
async fn a_client_is_asked_before_the_first_exchange() {
    for era in Era::ALL {
        let Some(setup) = Setup::new() else { return };
        let url = setup.url("hub.git");
        let folder = setup.home.path("project").display().to_string();
        for (answer, expected) in [("no", None), ("sync", Some(1)), ("never asked", Some(0))] {
            let (url, folder) = (url.clone(), folder.clone());
            let able = ClientAbilities::asked(json!({"elicitation": {}}), move |method, params| {
                assert_eq!(method, "elicitation/create");
                assert_ne!(answer, "never asked", "{params}");
                let message = params["message"].as_str().unwrap();
                assert!(message.contains(&url) && message.contains(&folder), "{message}");
                json!({"action": "accept", "content": {"answer": answer}})
            });
            let mut client = setup.client(era, able).await;
            let memory = json!({"content": "Use PostgreSQL", "namespace": "decisions"});
            client.call("memory_capture", memory).await;
            match expected {
                None => {
                    let failure = client.failure("memory_sync", json!({})).await;
                    assert!(failure.contains("nothing was exchanged"), "{failure}");
                }
                Some(sent) => {
                    let answer = client.call("memory_sync", json!({})).await;
                    assert_eq!(answer["sent"], sent, "{answer}");
                }
            }
            assert!(!setup.canary().exists());
            client.end().await;
        }
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_learns_what_to_run() {
    let Some(setup) = Setup::new() else { return };
    let mut client = setup.client(Era::Legacy, ClientAbilities::nothing()).await;
    let failure = client.failure("memory_sync", json!({})).await;
    assert!(failure.contains("hobnob memory sync"), "{failure}");
    assert!(!setup.canary().exists());
}

/// Git works with the keys of the person who runs the hub, so other callers cannot start an
/// exchange, not even with a remote that has consent.
#[tokio::test]
async fn others_do_not_have_memories_exchanged() {
    let Some(setup) = Setup::new() else { return };
    setup.ok(&["memory", "capture", "Use PostgreSQL", "-n", "decisions"]);
    assert_eq!(setup.ok(&["memory", "sync", "--yes"]).trim(), "sent 1, received 0, conflicts 0");
    let listener = "[listener]\nmode = \"token\"\npublic_url = \"https://hub.example.com\"\n";
    setup.home.write("hobnob/config/config.toml", listener);
    let token = crate::tokens::create(&setup.home, &["ann"]);
    let recorded = setup.recorded();
    let mut command = crate::program::hobnob(&["serve", "--http", "127.0.0.1:0"]);
    command
        .env("HOME", setup.home.path("home"))
        .env("HOBNOB_HOME", setup.home.path("hobnob"))
        .env("PATH", &setup.path)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .current_dir(setup.home.path("project"));
    let server = crate::program::listening(command).await;
    let call = async |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        let answer =
            crate::tokens::ask(&server, "/mcp", Some(&token), "tools/call", params).await.body;
        serde_json::from_str::<Value>(&answer).unwrap()["result"].clone()
    };
    let kept = call("memory_capture", json!({"content": "hers", "namespace": "decisions"})).await;
    assert_ne!(kept["isError"], true, "{kept}");
    let refused = call("memory_sync", json!({})).await;
    assert_eq!(refused["isError"], true, "{refused}");
    let said = refused["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("the person who runs Hobnob"), "{said}");
    assert_eq!(setup.recorded(), recorded, "git did nothing");
    assert!(!setup.canary().exists());
}
