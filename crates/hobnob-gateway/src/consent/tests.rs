//! Questions and consents without a server around them.

mod owner_questions;

use super::asked_tool::{AskedOrigin, AskedTool};
use super::file::ArgumentsFile;
use super::open::{CallDigest, ConsentStage, OpenConsents};
use super::question::{ConsentQuestion, LastingAnswers, UntilRestart};
use super::state::RequestState;
use crate::catalog::ToolRoute;
use crate::names::public_name;
use crate::pins::ToolDigest;
use crate::rewrite;
use crate::uris::PublicUris;
use hobnob_mcp_client::mirror::HeaderPlan;
use hobnob_mcp_engine::{ClientId, Principal, ShareKey};
use hobnob_mcp_types::apps::ToolAudience;
use hobnob_mcp_types::elicitation::ElicitParams;
use hobnob_mcp_types::tools::TaskSupport;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn route(server: &str, original: &str) -> ToolRoute {
    ToolRoute {
        server: server.into(),
        original: original.into(),
        original_json: rewrite::quoted(original).into(),
        usual: public_name(server, original).as_str().into(),
        uris: PublicUris::of(server),
        digest: ToolDigest::of("{}"),
        has_output_schema: false,
        task_support: TaskSupport::Forbidden,
        headers: HeaderPlan::None,
        audience: ToolAudience::Both,
    }
}

fn of_server<'a>(public: &'a str, route: &'a ToolRoute) -> AskedTool<'a> {
    AskedTool { public, origin: AskedOrigin::Server(route) }
}

fn digest(arguments: Option<&str>) -> CallDigest {
    CallDigest::of(0, "me", of_server("mcp__one__echo", &route("one", "echo")), arguments)
}

/// The share of a client on this machine.
fn client(number: usize) -> ShareKey {
    let id = ClientId::next_at(std::net::IpAddr::from([127, 0, 0, 1]));
    ShareKey::new(id, &Principal::default(), Some(&number.to_string()))
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hobnob-{name}-{}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    folder
}

#[test]
fn every_part_of_a_call_is_in_its_digest() {
    let plain = digest(Some("{}"));
    assert_eq!(plain, digest(Some("{}")));
    let (one, two) = (route("one", "echo"), route("one", "echoe"));
    let others = [
        digest(None),
        digest(Some("{ }")),
        CallDigest::of(1, "me", of_server("mcp__one__echo", &one), Some("{}")),
        CallDigest::of(0, "you", of_server("mcp__one__echo", &one), Some("{}")),
        CallDigest::of(0, "me", of_server("mcp__one__echo", &two), Some("{}")),
        CallDigest::of(0, "me", of_server("echo", &one), Some("{}")),
        CallDigest::of(
            0,
            "me",
            AskedTool { public: "mcp__one__echo", origin: AskedOrigin::BuiltIn("echo") },
            Some("{}"),
        ),
        // The digest covers the borders between parts.
        CallDigest::of(0, "mem", of_server("cp__one__echo", &one), Some("{}")),
    ];
    for other in others {
        assert_ne!(plain, other);
    }
}

#[test]
fn an_answer_counts_once_and_for_its_own_call() {
    let (open, now) = (OpenConsents::default(), Instant::now());
    let ask = || {
        open.open(ConsentStage::Asked, digest(Some("{}")), client(0), None, now)
            .expect("randomness")
    };
    let token = ask();
    assert!(open.take(&token, ConsentStage::Asked, digest(Some("{}")), now));
    assert!(!open.take(&token, ConsentStage::Asked, digest(Some("{}")), now));
    for (stage, call, later) in [
        (ConsentStage::Asked, digest(Some("{\"a\":1}")), 0),
        (ConsentStage::Granted, digest(Some("{}")), 0),
        (ConsentStage::Asked, digest(Some("{}")), 30 * 60),
    ] {
        let token = ask();
        assert!(!open.take(&token, stage, call, now + Duration::from_secs(later)));
        assert!(!open.take(&token, ConsentStage::Asked, digest(Some("{}")), now), "it is used up");
    }
    let token = ask();
    for forged in ["", ".", "x.y", "1.", &token[..token.len() - 1], "99.00"] {
        assert!(!open.take(forged, ConsentStage::Asked, digest(Some("{}")), now), "{forged}");
    }
    assert!(open.take(&token, ConsentStage::Asked, digest(Some("{}")), now));
}

#[test]
fn of_many_who_bring_the_same_answer_one_succeeds() {
    let (open, now) = (OpenConsents::default(), Instant::now());
    let token =
        open.open(ConsentStage::Asked, digest(None), client(0), None, now).expect("randomness");
    let succeeded: usize = std::thread::scope(|scope| {
        let takers: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| open.take(&token, ConsentStage::Asked, digest(None), now)))
            .collect();
        takers.into_iter().map(|taker| usize::from(taker.join().unwrap())).sum()
    });
    assert_eq!(succeeded, 1);
}

#[test]
fn open_questions_are_bounded_and_one_client_cannot_push_out_another() {
    let (open, now) = (OpenConsents::default(), Instant::now());
    let honest =
        open.open(ConsentStage::Asked, digest(None), client(0), None, now).expect("randomness");
    for _ in 0..2000 {
        open.open(ConsentStage::Asked, digest(None), client(1), None, now).expect("randomness");
    }
    assert_eq!(open.count(), 513);
    assert!(open.take(&honest, ConsentStage::Asked, digest(None), now));
    for number in 2..6000 {
        open.open(ConsentStage::Asked, digest(None), client(number), None, now)
            .expect("randomness");
    }
    assert_eq!(open.count(), 4096);
    open.open(ConsentStage::Asked, digest(None), client(0), None, now + Duration::from_secs(3600))
        .expect("randomness");
    assert_eq!(open.count(), 1);
}

#[test]
fn files_are_private_bounded_and_go_with_their_question() {
    let folder = folder("consent-files");
    let (open, now) = (OpenConsents::default(), Instant::now());
    let mut last = String::new();
    for _ in 0..5 {
        let file = ArgumentsFile::write(&folder, &"x".repeat(20 << 20)).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(file.path()), mode(folder.as_path())), (0o600, 0o700));
        }
        last = open
            .open(ConsentStage::Asked, digest(None), client(0), Some(file), now)
            .expect("randomness");
    }
    let files = || std::fs::read_dir(&folder).unwrap().count();
    assert_eq!((files(), open.count()), (3, 3));
    assert!(open.take(&last, ConsentStage::Asked, digest(None), now));
    assert_eq!(files(), 2);
    drop(open);
    assert_eq!(files(), 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_state_is_read_as_it_was_written() {
    let token = "1.abc";
    for foreign in [None, Some(""), Some("x"), Some("a:b"), Some("hobnob-permission:question:1.x")]
    {
        for state in [
            RequestState::Foreign(foreign),
            RequestState::Question(token),
            RequestState::Granted { token, foreign },
        ] {
            let written = state.write();
            assert_eq!(RequestState::read(written.as_deref()), state, "{written:?}");
        }
    }
}

#[test]
fn only_answers_that_can_hold_are_offered() {
    let rules = PathBuf::from("/home/me/config\u{202e}.toml");
    let cases = [
        (
            UntilRestart::Offered,
            Some(&*rules),
            vec!["once", "until_restart", "always", "no", "never"],
        ),
        (UntilRestart::Offered, None, vec!["once", "until_restart", "no"]),
        (UntilRestart::Pointless, Some(&*rules), vec!["once", "always", "no", "never"]),
        (UntilRestart::Pointless, None, vec!["once", "no"]),
    ];
    for (until_restart, rules, expected) in cases {
        let (route, folder) = (route("one", "echo"), folder("consent-answers"));
        let lasting = LastingAnswers { until_restart, rules };
        let asked =
            ConsentQuestion::new(of_server("p", &route), None, &folder, lasting, "x").unwrap();
        let ElicitParams::Form(form) = asked.form else { panic!("a form") };
        let form = serde_json::to_value(&form.requested_schema).unwrap();
        let offered = form["properties"]["answer"]["oneOf"].as_array().unwrap();
        let values: Vec<&str> = offered.iter().map(|it| it["const"].as_str().unwrap()).collect();
        assert_eq!(values, expected);
        let titles = form.to_string();
        assert_eq!(titles.contains("/home/me/config"), rules.is_some(), "{titles}");
        assert!(!titles.contains('\u{202e}'), "{titles}");
    }
}

#[test]
fn a_question_shows_the_whole_call_or_says_that_it_does_not() {
    let folder = folder("consent-questions");
    let ask = |server: &str, tool: &str, arguments: Option<&str>| {
        let lasting = LastingAnswers { until_restart: UntilRestart::Offered, rules: None };
        let route = route(server, tool);
        let asked =
            ConsentQuestion::new(of_server("p", &route), arguments, &folder, lasting, "x").unwrap();
        let ElicitParams::Form(form) = asked.form else { panic!("a form") };
        (form.message, asked.file)
    };
    let (message, file) = ask("one", "echo", Some(r#"{"message":"rm -rf /","n":1e400}"#));
    assert!(message.ends_with("\n\n    {\"message\":\"rm -rf /\",\"n\":1e400}"), "{message}");
    // A person compares no digests of what is shown whole; the form has it for programs.
    assert!(!message.contains("SHA-256") && file.is_none(), "{message}");
    assert!(ask("one", "echo", None).0.ends_with("without arguments."));
    let (message, _) = ask("a`b\n", "x` (p) without arguments.\u{202e}", Some("{}"));
    assert!(message.starts_with("Server `a\\u{60}b\\u{a}` would run its tool `x\\u{60} (p)"));
    let fits = format!("{{\"a\":\"{}\"}}", "x".repeat(16 * 1024 - 8));
    assert!(ask("one", "echo", Some(&fits)).0.ends_with(&fits));
    let long = format!("{{\"a\":\"{}é\"}}", "x".repeat(16 * 1024 - 8));
    let (message, file) = ask("one", "echo", Some(&long));
    let file = file.unwrap();
    assert!(message.contains("NOT show all") && message.contains("2 of 16386 bytes"));
    assert!(message.contains(file.path().to_str().unwrap()));
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), long);
    drop(file);
    std::fs::remove_dir_all(folder).unwrap();
}
