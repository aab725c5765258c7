//! `grant`, `revoke`, `grants`, `enable` and `disable`: what they write, show and refuse.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::cli_config_home::{Home, mode, read_json};
use crate::program::OWNER_SECRET;

/// The services as `grants` shows them: access and texts, in their order.
fn shown(home: &Home) -> Value {
    let overview = home.json(0, &["grants"]);
    let services = overview["services"].as_array().unwrap().iter();
    let texts = |service: &Value| -> Vec<Value> {
        service["grants"].as_array().unwrap().iter().map(|it| it["text"].clone()).collect()
    };
    let row = |service: &Value| json!([service["name"], service["access"], texts(service)]);
    services.map(row).collect()
}

#[test]
fn nothing_is_granted_at_first() {
    let home = Home::new();
    let nothing = json!([
        ["shell", "disabled", []],
        ["files", "disabled", []],
        ["logs", "disabled", []],
        ["registry", "disabled", []],
        ["claudecode", "disabled", []],
    ]);
    assert_eq!(shown(&home), nothing);
    assert_eq!(home.json(0, &["status"])["services"][1]["access"], "disabled");
}

/// An assistant runs commands too, without a terminal; a script of the owner shows the secret.
#[test]
fn what_is_allowed_is_changed_at_a_terminal_or_with_the_owners_secret() {
    let home = Home::new();
    let file = home.path("hobnob/state/owner-secret");
    let run = |words: &[&str], secret: Option<&str>| {
        let mut command = home.command(words);
        if secret.is_none() {
            // Remove the secret that tests know; the program makes its own.
            std::fs::remove_file(&file).unwrap();
        }
        command.env_remove(OWNER_SECRET.0).envs(secret.map(|it| (OWNER_SECRET.0, it)));
        let output = command.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for words in [
        &["grant", "files", "."][..],
        &["enable", "files"],
        &["revoke", "files", "."],
        &["approve", "--all", "--yes"],
        &["allow", "*"],
        &["token", "create", "ci"],
        &["approve-login", "BCDF-GHJK", "--yes"],
        &["answer", "1", "yes"],
    ] {
        for secret in [None, Some(""), Some("wrong")] {
            let (code, said) = run(words, secret);
            assert!(code != 0 && said.contains("HOBNOB_OWNER_SECRET"), "{words:?}: {said}");
        }
    }
    assert_eq!(mode(&file), 0o600);
    let secret = std::fs::read_to_string(&file).unwrap();
    let (code, said) = run(&["grant", "files", "."], Some(secret.trim()));
    assert_eq!(code, 0, "{said}");
}

/// The error for a mistyped name suggests the right one.
#[test]
fn names_that_lead_nowhere_get_a_suggestion() {
    let home = Home::new();
    for (words, hint) in [
        (&["enable", "shel"][..], "did you mean `shell`?"),
        (&["enable", "fies", "--service"], "did you mean `files`?"),
        (&["serve", "--profile", "substrat"], "did you mean `substrate`?"),
        (&["grant", "logs", "System"], "no log of this system is called `System`: grant `journal`"),
    ] {
        let run = home.run(words);
        assert!(run.code != 0 && run.stderr.contains(hint), "{words:?}: {}", run.stderr);
    }
    home.write("hobnob/config/config.toml", "[services]\nmemry = false\n");
    let run = home.run(&["call", "health_check"]);
    assert!(run.stderr.contains("did you mean `memory`?"), "{}", run.stderr);
}

#[test]
fn command_lines_are_taken_back_whichever_shell_runs_them() {
    let home = Home::new();
    for shell in [&["--shell", "sh"][..], &["--shell", "bash"], &[]] {
        home.json(
            0,
            &[&["grant", "shell", "--line", "--in", ".", "--sandbox", "off"], shell].concat(),
        );
        home.json(0, &["grant", "shell", "--", "/bin/ls"]);
        let revoked = home.json(0, &["revoke", "shell", "--line"]);
        assert_eq!(revoked["revoked"].as_array().unwrap().len(), 1, "{shell:?}: {revoked}");
        home.json(0, &["revoke", "shell", "--", "/bin/ls"]);
    }
}

#[test]
fn each_kind_of_grant_is_made_listed_and_taken_back() {
    let home = Home::new();
    let project = home.path("project");
    let project = project.to_str().unwrap();
    let written = format!("files {project} write");
    let line = format!("shell /bin/sh (any command line), in {project}, without a sandbox");
    let key = r"registry HKCU\Software\Example write 64 for ann";
    let agent = format!("claudecode claude (/bin/ls), in {project}, without a sandbox for ann");
    let cases: [(&[&str], &str, &[&str]); 7] = [
        (&["files", ".", "--write"], &written, &["files", "."]),
        (&["shell", "--", "/bin/ls", "*"], "shell /bin/ls *", &["shell", "--", "/bin/ls", "*"]),
        (
            &["shell", "--line", "--shell", "sh", "--in", ".", "--sandbox", "off"],
            &line,
            &["shell", "--line"],
        ),
        (&["logs", "journal"], "logs journal", &["logs", "journal"]),
        (&["logs", "./"], &format!("logs {project}"), &["logs", "."]),
        (
            &["registry", r"HKCU\Software\Example", "--write", "--view", "64", "--for", "ann"],
            key,
            &["registry", r"hkcu\software\example", "--view", "64", "--for", "ann"],
        ),
        (
            &["agents", "claude", "--in", ".", "--program", "/bin/ls", "--for", "ann"],
            &agent,
            &["agents", "claude", "--for", "ann"],
        ),
    ];
    for (words, text, back) in cases {
        let granted = home.json(0, &[&["grant"], words].concat());
        // `sh` is found in the search path, and may be in another folder there.
        let found = granted["grant"].as_str().unwrap().replace("/usr/bin/sh", "/bin/sh");
        assert_eq!(found, text);
        assert_eq!(granted["change"], "added", "{words:?}");
        let again = home.json(0, &[&["grant"], words].concat());
        assert_eq!(again["change"], "unchanged", "{words:?}");
        let revoked = home.json(0, &[&["revoke"], back].concat());
        assert_eq!(revoked["revoked"], json!([granted["grant"]]), "{back:?}");
        assert_eq!(home.run(&[&["revoke"], back].concat()).code, 1, "{back:?}");
    }
}

#[test]
fn a_grant_of_the_same_folder_replaces_the_one_before() {
    let home = Home::new();
    home.ok(&["grant", "files", "."]);
    assert_eq!(home.json(0, &["grant", "files", ".", "--write"])["change"], "replaced");
    home.ok(&["grant", "files", ".", "--for", "ann"]);
    let project = home.path("project").display().to_string();
    let both = json!([format!("files {project} write"), format!("files {project} read for ann")]);
    assert_eq!(shown(&home)[1], json!(["files", "disabled", both]));
    home.ok(&["revoke", "all"]);
    assert_eq!(shown(&home)[1], json!(["files", "disabled", []]));
}

#[test]
fn a_service_is_switched_and_keeps_its_grants() {
    let home = Home::new();
    home.ok(&["grant", "logs", "journal"]);
    for (words, access) in [
        (&["enable", "logs", "--read-only"][..], "read-only"),
        (&["enable", "logs"], "read-write"),
        (&["disable", "logs"], "disabled"),
    ] {
        assert_eq!(home.json(0, words)["access"], access);
        assert_eq!(shown(&home)[2], json!(["logs", access, ["logs journal"]]));
    }
}

#[test]
fn a_name_of_a_server_and_a_service_needs_a_word_about_it() {
    let home = Home::new();
    home.ok(&["add", "files", "--", "first"]);
    let run = home.run(&["disable", "files"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--service or --server"), "{}", run.stderr);
    assert_eq!(home.json(0, &["disable", "files", "--server"])["state"], "off");
    assert_eq!(home.json(0, &["enable", "files", "--service"])["access"], "read-write");
    assert_eq!(home.run(&["enable", "files", "--server", "--read-only"]).code, 2);
    // Only a service can be read-only.
    assert_eq!(home.json(0, &["enable", "files", "--read-only"])["access"], "read-only");
}

#[test]
fn what_cannot_be_granted_is_refused_and_nothing_is_written() {
    let home = Home::new();
    home.write("project/note", "x");
    let program = crate::program::PROGRAM;
    let (state, all) = (home.path("hobnob/state"), home.path(""));
    let cases: [(&[&str], i32, &str); 11] = [
        (&["files", "missing"], 1, "No such file"),
        (&["files", "note"], 2, "is not a folder"),
        (&["files", state.to_str().unwrap()], 2, "belongs to Hobnob itself"),
        (&["files", "/proc"], 2, "file system of the kernel"),
        (&["shell", "--in", all.to_str().unwrap(), "--", "ls"], 2, "Hobnob's own folders"),
        (&["shell", "--in", "/", "--", "ls"], 2, "Hobnob's own folders"),
        (&["shell", "--", program, "grants"], 2, "Hobnob itself cannot be granted"),
        (&["shell", "--", "no-such-program-here"], 2, "there is no program"),
        (&["shell", "--env", "A=B", "--", "ls"], 2, "A=B"),
        (&["registry", "Software"], 2, "a key begins with"),
        (&["shell"], 2, "required"),
    ];
    for (words, code, text) in cases {
        let run = home.run(&[&["grant"], words].concat());
        assert_eq!(run.code, code, "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(text), "{words:?}: {}", run.stderr);
    }
    assert!(!home.path("hobnob/state/grants.json").exists());
}

#[test]
fn a_program_that_hobnob_started_changes_nothing() {
    let home = Home::new();
    for words in [&["grant", "logs", "journal"][..], &["enable", "files"], &["revoke", "all"]] {
        let output = home.command(words).env("HOBNOB_INSTANCES", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{words:?}");
    }
    assert!(!home.path("hobnob/state/grants.json").exists());
}

#[test]
fn a_folder_that_was_replaced_is_shown_as_such() {
    let home = Home::new();
    home.write("project/inner/file", "x");
    home.ok(&["grant", "files", "inner"]);
    let problem = |home: &Home| {
        let overview = home.json(0, &["grants"]);
        overview["services"][1]["grants"][0]["problem"].as_str().map(str::to_owned)
    };
    assert_eq!(problem(&home), None);
    let inner = home.path("project/inner");
    fs::rename(&inner, home.path("project/moved")).unwrap();
    assert_eq!(problem(&home).as_deref(), Some("the folder is gone"));
    fs::create_dir(&inner).unwrap();
    assert!(problem(&home).unwrap().starts_with("another folder is in its place"));
    home.ok(&["revoke", "files", "inner"]);
}

#[test]
fn a_damaged_file_grants_nothing_and_is_set_aside_by_the_next_grant() {
    let home = Home::new();
    home.ok(&["enable", "logs"]);
    home.ok(&["grant", "logs", "journal"]);
    let file = home.path("hobnob/state/grants.json");
    assert_eq!(mode(&file), 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let overview = home.json(0, &["grants"]);
    assert!(overview["problem"].as_str().unwrap().contains("chmod 600"), "{overview}");
    assert_eq!(overview["services"][2]["access"], "disabled");
    fs::write(&file, "{").unwrap();
    let run = home.ok(&["grant", "logs", "kernel.service"]);
    assert!(run.stderr.contains("set aside"), "{}", run.stderr);
    assert_eq!(shown(&home)[2], json!(["logs", "disabled", ["logs kernel.service"]]));
    assert_eq!(read_json(&file)["version"], 1);
}

#[test]
fn grants_that_add_up_to_more_are_warned_of() {
    let home = Home::new();
    home.write("project/inner/tool", "#!/bin/sh\n");
    let tool = home.path("project/inner/tool");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    home.ok(&["grant", "files", "inner"]);
    let run = home.ok(&["grant", "files", ".", "--write"]);
    assert!(run.stderr.contains("grants add up"), "{}", run.stderr);
    let run = home.ok(&["grant", "shell", "--", tool.to_str().unwrap()]);
    assert!(run.stderr.contains("assistants can replace"), "{}", run.stderr);
    let run = home.ok(&["grant", "shell", "--env", "LD_PRELOAD", "--", "/bin/ls"]);
    assert!(run.stderr.contains("with LD_PRELOAD"), "{}", run.stderr);
}

#[test]
fn every_change_is_in_the_audit_log() {
    let home = Home::new();
    home.ok(&["enable", "logs"]);
    home.ok(&["grant", "logs", "journal"]);
    home.ok(&["grant", "logs", "journal"]);
    home.ok(&["revoke", "logs", "journal"]);
    home.ok(&["deny", "health_check"]);
    home.ok(&["deny", "health_check"]);
    home.ok(&["add", "git", "--allow", "--", "git-server"]);
    home.ok(&["approve", "git", "--trust", "--yes"]);
    home.ok(&["approve", "git", "--no-trust"]);
    let run = home.ok(&["--json", "audit"]);
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<_> = lines.iter().map(|it| json!([it["method"], it["grant"]])).collect();
    let wanted = [
        json!(["grants/access", "logs read-write"]),
        json!(["grants/grant", "logs journal"]),
        json!(["grants/revoke", "logs journal"]),
        json!(["rules/write", "health_check deny"]),
        json!(["rules/write", "git/* allow"]),
        json!(["approvals/trust", "git"]),
        json!(["approvals/distrust", "git"]),
    ];
    assert_eq!(found, wanted);
}
