//! The parts that need no process: the environment, the lookup, the log.

use super::environment::choose;
use super::{ChildSpec, StderrLog, Supervision};
use std::ffi::OsString;
use std::io::ErrorKind;

fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

#[test]
fn only_what_a_program_needs_is_passed_on() {
    let needed = [
        "PATH",
        "HOME",
        "LC_ALL",
        "LC_TIME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_DIRS",
        "XDG_RUNTIME_DIR",
        "http_proxy",
        "HTTPS_PROXY",
        "no_proxy",
        "SSL_CERT_FILE",
        "REQUESTS_CA_BUNDLE",
        "TZ",
    ];
    let secret = [
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "LD_PRELOAD",
        "XDG_SESSION_ID",
        "Http_Proxy",
        "SSH_AUTH_SOCK",
        "path",
        "PATHEXT",
        "HOMEPAGE",
        "_HOME",
        "NODE_OPTIONS",
        "TERMINAL",
    ];
    for name in needed {
        let chosen = choose(pairs(&[(name, "1")]).into_iter(), |_| false, []);
        assert_eq!(chosen, pairs(&[(name, "1")]));
    }
    for name in secret {
        let chosen = choose(pairs(&[(name, "1")]).into_iter(), |_| false, []);
        assert_eq!(chosen, [], "{name}");
    }
}

#[test]
fn what_is_set_for_a_server_wins() {
    let ours = pairs(&[("PATH", "/bin"), ("TOKEN", "t"), ("OTHER", "o"), ("LANG", "C")]);
    let overrides = pairs(&[("PATH", "/opt"), ("NEW", "1"), ("NEW", "2")]);
    let chosen = choose(ours.into_iter(), |name| name == "TOKEN", overrides);
    let expected = [("LANG", "C"), ("NEW", "2"), ("PATH", "/opt"), ("TOKEN", "t")];
    assert_eq!(chosen, pairs(&expected));
}

fn spec(program: &str, path: &str, cwd: Option<&str>) -> ChildSpec {
    ChildSpec {
        program: program.into(),
        args: vec!["secret".into()],
        env: pairs(&[("PATH", path), ("KEY", "secret")]),
        cwd: cwd.map(Into::into),
        supervision: Supervision::Group,
    }
}

#[test]
fn a_program_is_looked_up_in_its_own_path() {
    for (program, path, cwd, expected) in [
        ("sh", "/nowhere:/bin", None, Ok("/bin/sh")),
        ("sh", "bin", Some("/"), Ok("/bin/sh")),
        ("./sh", "", Some("/bin"), Ok("/bin/./sh")),
        ("/bin/sh", "", None, Ok("/bin/sh")),
        (
            "sh",
            "/nowhere",
            None,
            Err((ErrorKind::NotFound, "`sh` was not found in PATH (/nowhere)")),
        ),
        ("sh", "", None, Err((ErrorKind::NotFound, "PATH is empty"))),
        ("", "/bin", None, Err((ErrorKind::NotFound, "the command is empty"))),
        ("/nowhere/sh", "/bin", None, Err((ErrorKind::NotFound, "`/nowhere/sh`"))),
        (
            "passwd",
            "/etc",
            None,
            Err((ErrorKind::PermissionDenied, "`/etc/passwd` is not an exec")),
        ),
        ("/etc", "", None, Err((ErrorKind::PermissionDenied, "`/etc` is not an exec"))),
        ("sh", "/bin", Some("/nowhere"), Err((ErrorKind::NotFound, "directory `/nowhere`"))),
    ] {
        match (spec(program, path, cwd).find_program(), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found.to_str(), Some(expected)),
            (Err(error), Err((kind, part))) => {
                assert_eq!(error.kind(), kind, "{error}");
                assert!(error.to_string().contains(part), "{error}");
            }
            (found, _) => panic!("{program} in {path}: {found:?}"),
        }
    }
}

#[test]
fn a_spec_does_not_show_its_secrets() {
    let shown = format!("{:?}", spec("sh", "/bin", None));
    assert!(shown.contains("KEY") && !shown.contains("secret"), "{shown}");
}

#[test]
fn the_log_keeps_the_end_as_whole_lines() {
    let log = StderrLog::default();
    for number in 0..100_000 {
        log.push(format!("line {number}\n").as_bytes());
    }
    assert_eq!(log.total(), 1_088_890);
    assert_eq!(log.tail(2), "line 99998\nline 99999");
    let all = log.tail(usize::MAX);
    assert!((60_000..=65_536).contains(&all.len()), "{}", all.len());
    assert!(all.starts_with("line "), "{}", &all[..20]);
    assert_eq!(log.tail(0), "");
}

#[test]
fn the_log_keeps_what_it_can_of_endless_lines() {
    let log = StderrLog::default();
    log.push(&vec![b'a'; 1 << 20]);
    assert_eq!(log.tail(1).len(), 65_536);
    log.push(b"b\n");
    assert!(log.tail(1).ends_with("ab"));
    log.push(b"end");
    assert_eq!(log.tail(2).len(), 3, "the first line no longer fits whole");
}

#[test]
fn nothing_in_the_log_moves_a_cursor() {
    let log = StderrLog::default();
    log.push(b"\x1b[1;31mred\x1b[0m\r\nten%\rall\ta\x07b\x1bc\xff\xe2\x80\xaeback");
    assert_eq!(log.tail(9), "red\nten%\nall\ta\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}back");
}

#[tokio::test]
async fn a_log_is_followed_to_its_end() {
    let log = StderrLog::default();
    log.push(b"one ");
    log.push(b"two\n");
    let part = log.next_part(0).await.unwrap();
    assert_eq!((&part.bytes[..], part.skipped, part.total), (&b"one two\n"[..], 0, 8));
    let waiting = async { log.next_part(8).await.unwrap() };
    let (part, ()) = tokio::join!(waiting, async { log.push(b"three") });
    assert_eq!((&part.bytes[..], part.total), (&b"three"[..], 13));
    log.push(&vec![b'x'; 1 << 20]);
    let part = log.next_part(13).await.unwrap();
    assert_eq!(part.skipped + part.bytes.len() as u64, 1 << 20, "nobody looked in time");
    log.end();
    assert_eq!(log.next_part(part.total).await, None);
}
