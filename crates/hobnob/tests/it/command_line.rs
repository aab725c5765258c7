//! The command line: what it prints where, and which exit code it ends with.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use crate::program::output_of;

/// Exit code and both streams of a run that ends by itself.
async fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = output_of(arguments).await;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn version_names_the_program_and_its_release() {
    let (code, stdout, _) = run(&["--version"]).await;
    assert_eq!(code, Some(0));
    let build = stdout.strip_prefix(concat!("hobnob ", env!("CARGO_PKG_VERSION"))).unwrap();
    // An optimised build from a repository names its commit.
    let commit = build.strip_suffix(")\n").and_then(|it| it.strip_prefix(" (")?.split_once(" 20"));
    let is_hash = |hash: &str| hash.chars().take(8).all(|digit| digit.is_ascii_hexdigit());
    assert!(build == "\n" || commit.is_some_and(|(hash, _)| is_hash(hash)), "{stdout}");
}

#[tokio::test]
async fn help_names_what_there_is() {
    let cases: [(&[&str], &[&str]); 3] = [
        (&["--help"], &["serve", "completions"]),
        (&["help"], &["serve", "completions"]),
        (&["serve", "--help"], &["--http", "--allow-remote-without-auth"]),
    ];
    for (arguments, words) in cases {
        let (code, stdout, stderr) = run(arguments).await;
        assert_eq!(code, Some(0), "{arguments:?}: {stderr}");
        for word in words {
            assert!(stdout.contains(word), "{arguments:?} does not name {word}: {stdout}");
        }
    }
}

#[tokio::test]
async fn misuse_is_reported_on_stderr() {
    let cases: [&[&str]; 5] = [
        &["dance"],
        &["serve", "--tune"],
        &["serve", "--http", "nowhere"],
        &["completions", "abacus"],
        &["completions"],
    ];
    for arguments in cases {
        let (code, stdout, stderr) = run(arguments).await;
        assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
        assert!(stdout.is_empty(), "{arguments:?}: {stdout}");
        assert!(!stderr.is_empty(), "{arguments:?} says nothing");
    }
}

#[tokio::test]
async fn transport_and_port_mean_what_they_mean_elsewhere() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, _, stderr) = run(&["serve", "--transport", "http", "--port", &port]).await;
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{stderr}");
    // However it is typed, the error is about the port and nothing else.
    for typed in [&*port, &format!("localhost:{port}"), &format!("127.0.0.1:{port}")] {
        let (code, _, stderr) = run(&["serve", "--http", typed]).await;
        assert_eq!(code, Some(1), "{typed}: {stderr}");
        assert!(stderr.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{stderr}");
        assert!(stderr.contains("another program listens there"), "{stderr}");
        assert!(!stderr.contains("allow-remote"), "{stderr}");
    }
    let (code, stdout, stderr) = run(&["serve", "--transport", "stdio"]).await;
    assert_eq!((code, stdout.as_str()), (Some(0), ""), "{stderr}");
    for arguments in [
        &["serve", "--transport", "stdio", "--port", "1"][..],
        &["serve", "--port", "1"],
        &["serve", "--transport", "http", "--http"],
        &["serve", "--allow-host", "example.com"],
        &["serve", "--transport", "stdio", "--allow-remote-without-auth"],
    ] {
        let (code, _, stderr) = run(arguments).await;
        assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
    }
}

#[tokio::test]
async fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let (code, stdout, stderr) = run(&["completions", shell, "--fixed"]).await;
        assert_eq!(code, Some(0), "{shell}: {stderr}");
        for word in ["hobnob", "serve", "allow-remote-without-auth"] {
            assert!(stdout.contains(word), "{shell} does not complete {word}");
        }
        let (code, stdout, stderr) = run(&["completions", shell]).await;
        assert_eq!(code, Some(0), "{shell}: {stderr}");
        assert!(stdout.contains("COMPLETE"), "{shell} does not ask the program: {stdout}");
    }
}

#[tokio::test]
async fn every_command_has_a_manual_page() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man-pages");
    let (code, stdout, stderr) = run(&["man-pages", folder.to_str().unwrap()]).await;
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (Some(0), "", ""));
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let first = page("hobnob.1");
    let commands = first.lines().filter_map(|line| line.strip_suffix("(1)"));
    let commands: Vec<String> = commands.map(|name| name.replace('\\', "")).collect();
    assert!(commands.iter().any(|name| name == "hobnob-serve"), "{first}");
    for name in commands {
        assert!(page(&format!("{name}.1")).contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(page("hobnob-serve.1").contains("allow"), "no options of `serve`");
    assert!(page("hobnob-tasks-add.1").contains(".SH SYNOPSIS"), "no page below `tasks`");
}

#[tokio::test]
async fn a_busy_port_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, stdout, stderr) = run(&["serve", "--http", &address]).await;
    assert!(code.is_some_and(|code| code != 0), "{code:?}");
    assert!(stderr.contains(&address), "{stderr}");
    assert!(stdout.is_empty(), "{stdout}");
}

#[tokio::test]
async fn other_machines_are_refused_unless_asked_for() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let (code, stdout, stderr) = run(&["serve", "--http", address]).await;
        assert!(code.is_some_and(|code| code != 0), "{address}: {code:?}");
        assert!(stderr.contains("--allow-remote-without-auth"), "{address}: {stderr}");
        assert!(stdout.is_empty(), "{stdout}");
    }
}
