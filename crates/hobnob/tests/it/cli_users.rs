//! Who may log in, from the command line: passwords come through a pipe and appear nowhere else.

use crate::cli_config_home::{Home, Run};
use serde_json::json;
use std::io::Write as _;
use std::process::Stdio;

/// Runs a command with one line on its standard input.
fn with_input(home: &Home, arguments: &[&str], input: &str) -> Run {
    let mut command = home.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that needs no input may have ended.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

const CANARY: &str = "canary horse battery";

#[test]
fn users_are_added_listed_changed_and_removed() {
    let home = Home::new();
    assert_eq!(home.json(0, &["user", "list"]), json!({ "users": [] }));
    let empty = home.ok(&["user", "list"]);
    assert!(empty.stdout.contains("hobnob user add NAME"), "{}", empty.stdout);
    let added = with_input(&home, &["user", "add", "ann"], &format!("{CANARY}\nmore\n"));
    assert_eq!((added.code, added.stderr.as_str()), (0, ""), "{}", added.stdout);
    let ops = home.json(0, &["user", "add", "ops", "--no-password"]);
    let expected = json!({ "user": "ops", "role": "member", "profiles": [], "groups": [], "approves_by": "terminal" });
    assert_eq!(ops, expected);
    let listed = home.json(0, &["user", "list"]);
    let names: Vec<_> = listed["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["name"], &it["approves_by"]))
        .collect();
    assert_eq!(names, [(&json!("ann"), &json!("password")), (&json!("ops"), &json!("terminal"))]);
    let refused = [
        (&["user", "add", "ann"][..], CANARY, 1, "a user of this name already"),
        (&["user", "add", "Ann B"], CANARY, 2, "a user's name has"),
        (&["user", "add", "bob"], "short", 2, "a password has at least"),
        (&["user", "add", "bob"], "", 2, "there is no password on standard input"),
        (&["user", "password", "eve"], CANARY, 1, "no user of this name"),
        (&["user", "remove", "eve"], "", 1, "no user of this name"),
        (&["user", "add", "bob", "password"], "", 2, "unexpected argument"),
        (&["user", "add", "bob", "--role", "owner"], CANARY, 2, "possible values: member, admin"),
        (&["user", "add", "bob", "--profile", "../x"], CANARY, 2, "'../x'"),
        (&["user", "logins", "eve"], "", 1, "no user of this name"),
        (&["user", "end-login", "0123456789ab"], "", 1, "no login with this id"),
        (&["user", "set", "ann"], "", 2, "required arguments"),
        (&["user", "set", "ann", "--profile", "a", "--all-profiles"], "", 2, "cannot be used with"),
        (&["user", "set", "eve", "--role", "admin"], "", 1, "no user of this name"),
    ];
    for (arguments, input, code, words) in refused {
        let run = with_input(&home, arguments, input);
        assert_eq!(run.code, code, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
    }
    let changed = with_input(&home, &["user", "password", "ops"], "another password\n");
    assert_eq!(changed.code, 0, "{}", changed.stderr);
    assert_eq!(home.json(0, &["user", "remove", "ops"]), json!({ "removed": "ops" }));
    let listed = home.json(0, &["user", "list"]);
    assert_eq!(listed["users"].as_array().unwrap().len(), 1);
    // Each change is in the audit log, and nothing of a password anywhere.
    let audit = home.ok(&["--json", "audit"]).stdout;
    for method in ["users/add", "users/password", "users/remove"] {
        assert!(audit.contains(method), "{audit}");
    }
    let found = holding(&home.path(""), CANARY);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn users_have_a_role_and_profiles() {
    let home = Home::new();
    let about = |home: &Home| {
        let user = home.json(0, &["user", "list"])["users"][0].clone();
        (user["role"].clone(), user["profiles"].clone())
    };
    let add = ["user", "add", "ann", "--no-password", "--role", "member", "--profile", "work"];
    let added = home.json(0, &add);
    assert_eq!((&added["role"], &added["profiles"]), (&json!("member"), &json!(["work"])));
    // What is not named stays as it was.
    let cases = [
        (&["--role", "admin"][..], "admin", json!(["work"])),
        (&["--profile", "home", "--profile", "work"], "admin", json!(["home", "work"])),
        (&["--role", "member", "--all-profiles"], "member", json!([])),
    ];
    for (change, role, profiles) in cases {
        let set = home.json(0, &[&["user", "set", "ann"], change].concat());
        let expected = json!({ "user": "ann", "role": role, "profiles": profiles, "groups": [] });
        assert_eq!(set, expected);
        assert_eq!(about(&home), (json!(role), profiles));
    }
    let listed = home.ok(&["user", "list"]).stdout;
    assert!(listed.contains("ROLE") && listed.contains("member"), "{listed}");
    let audit = home.ok(&["--json", "audit"]).stdout;
    assert!(audit.contains("users/set"), "{audit}");
}

#[test]
fn users_are_in_groups() {
    let home = Home::new();
    let groups = |home: &Home| home.json(0, &["user", "list"])["users"][0]["groups"].clone();
    home.ok(&["user", "add", "ann", "--no-password", "--group", "ops", "--group", "crew"]);
    assert_eq!(groups(&home), json!(["crew", "ops"]));
    let cases = [
        (&["--role", "admin"][..], json!(["crew", "ops"])),
        (&["--group", "night"], json!(["night"])),
        (&["--no-groups"], json!([])),
        (&["--group", "ops"], json!(["ops"])),
    ];
    for (change, expected) in cases {
        let set = home.json(0, &[&["user", "set", "ann"], change].concat());
        assert_eq!((&set["groups"], groups(&home)), (&expected, expected.clone()), "{change:?}");
    }
    let bad = home.run(&["user", "set", "ann", "--group", "a b"]);
    assert_eq!(bad.code, 2, "{}", bad.stderr);
    // A new user of the same name begins without the groups.
    home.ok(&["user", "remove", "ann"]);
    home.ok(&["user", "add", "ann", "--no-password"]);
    assert_eq!(groups(&home), json!([]));
    let audit = home.ok(&["--json", "audit"]).stdout;
    assert!(audit.contains("groups/write"), "{audit}");
}

#[test]
fn a_login_that_does_not_wait_cannot_be_approved() {
    let home = Home::new();
    let run = home.run(&["approve-login", "BBBB-BBBB"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("no login with this code waits"), "{}", run.stderr);
    home.ok(&["user", "add", "ops", "--no-password"]);
    let run = home.run(&["approve-login", "BBBB-BBBB", "--yes"]);
    assert!(run.stderr.contains("no login with this code waits"), "{}", run.stderr);
}

#[test]
fn a_program_that_a_hub_started_changes_no_user_and_approves_nothing() {
    let home = Home::new();
    for arguments in [
        &["user", "add", "eve", "--no-password"][..],
        &["user", "list"],
        &["user", "remove", "ann"],
        &["user", "set", "ann", "--role", "admin"],
        &["user", "logins"],
        &["user", "end-login", "0123456789ab"],
        &["approve-login", "BBBB-BBBB", "--yes"],
    ] {
        let output = home.command(arguments).env("HOBNOB_INSTANCES", "abc").output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{error}");
        assert!(error.contains("started by Hobnob"), "{error}");
    }
}

/// Files below a folder that hold these bytes.
fn holding(folder: &std::path::Path, text: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes.windows(text.len()).any(|part| part == text.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_profile_that_is_not_there_is_noted() {
    let home = Home::new();
    let note = "there is no profile `subcg` yet; did you mean `subcog`?";
    for words in [
        &["user", "add", "ann", "--no-password", "--profile", "subcg"][..],
        &["user", "set", "ann", "--profile", "subcog", "--profile", "subcg"],
    ] {
        let run = home.ok(words);
        assert_eq!(run.stderr.trim_end(), note, "{words:?}");
    }
    assert_eq!(home.ok(&["user", "set", "ann", "--profile", "subcog"]).stderr, "");
}
