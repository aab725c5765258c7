//! Which era a server speaks: its reaction to the discovery decides; after silence, both are tried.

use crate::script::{Opening, Script, discovered, initialized};
use crate::support::{LEGACY, MODERN, options};
use hobnob_mcp_client::{ClientOptions, ConnectError, EraHint, GreetError, Timeouts};
use hobnob_mcp_types::Revision;
use serde_json::{Value, json};

/// The scripted server's reaction to the modern discovery.
enum Reply {
    Result(Value),
    Error(i64, Value),
    Line(&'static str),
}

async fn reply(script: &mut Script, with: &Reply) {
    let id = script.expect("server/discover").await;
    match with {
        Reply::Result(result) => script.answer(&id, result.clone()).await,
        Reply::Error(code, data) => script.refuse(&id, *code, data.clone()).await,
        Reply::Line(line) => script.send_line(line.replace("ID", &id.to_string())).await,
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_answer_makes_a_modern_server() {
    for revisions in [vec!["2026-07-28"], vec!["2024-11-05", "2099-01-01", "2026-07-28"]] {
        let result = discovered(&revisions, json!({"tools": {}}));
        let play = async |script: &mut Script| {
            let asked = script.receive().await;
            let meta = &asked["params"]["_meta"];
            assert_eq!(asked["method"], "server/discover");
            assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
            assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "tester");
            assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
            script.answer(&asked["id"], result.clone()).await;
        };
        let (remote, mut script) = Opening::new().greet_by(play).await;
        let remote = remote.unwrap();
        assert_eq!(remote.hello().revision, MODERN);
        assert_eq!(remote.hello().implementation.name, "script");
        assert!(remote.hello().capabilities.tools.is_some());
        assert!(script.unread().await.is_empty(), "a modern server is not initialized");
    }
}

/// Every reaction of an older server to an unknown request leads to the handshake.
#[tokio::test(start_paused = true)]
async fn anything_else_leads_to_the_handshake() {
    let cases = [
        ("unknown method", Reply::Error(-32601, Value::Null), "2025-11-25"),
        ("invalid request", Reply::Error(-32600, Value::Null), "2025-11-25"),
        ("invalid params", Reply::Error(-32602, Value::Null), "2025-11-25"),
        ("internal", Reply::Error(-32603, Value::Null), "2025-11-25"),
        ("not initialized", Reply::Error(-32002, Value::Null), "2025-11-25"),
        ("a code of its own", Reply::Error(17, json!({"x": 1})), "2025-11-25"),
        ("an empty result", Reply::Result(json!({})), "2025-11-25"),
        ("no versions", Reply::Result(discovered(&[], json!({}))), "2025-11-25"),
        ("old versions", Reply::Result(discovered(&["2025-03-26"], json!({}))), "2025-03-26"),
        (
            "refused with old versions",
            Reply::Error(-32022, json!({"supported": ["2025-06-18"], "requested": "2026-07-28"})),
            "2025-06-18",
        ),
        (
            "refused without what was requested",
            Reply::Error(-32022, json!({"supported": ["2024-11-05", "2025-06-18"]})),
            "2025-06-18",
        ),
        (
            "both a result and an error",
            Reply::Line(
                r#"{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"x"}}"#,
            ),
            "2025-11-25",
        ),
    ];
    for (what, with, asked_for) in cases {
        let play = async |script: &mut Script| {
            reply(script, &with).await;
            let asked = script.receive().await;
            assert_eq!(asked["method"], "initialize", "{what}: {asked}");
            assert_eq!(asked["params"]["protocolVersion"], asked_for, "{what}");
            assert_eq!(asked["params"]["clientInfo"]["name"], "tester");
            script.answer(&asked["id"], initialized(asked_for, json!({}))).await;
            script.expect("notifications/initialized").await;
        };
        let (remote, mut script) = Opening::new().greet_by(play).await;
        assert_eq!(remote.expect(what).hello().revision.as_str(), asked_for, "{what}");
        assert!(script.unread().await.is_empty(), "{what}");
    }
}

/// Only a modern server gives these answers, so the handshake would tell nothing new.
#[tokio::test(start_paused = true)]
async fn what_only_a_modern_server_says_is_the_answer() {
    let unknown = json!({"supported": ["2031-01-01"], "requested": "2026-07-28"});
    let same = json!({"supported": ["2026-07-28"], "requested": "2026-07-28"});
    let cases = [
        (Reply::Error(-32022, unknown), 1, "no common revision"),
        // A revision that the server lists is asked for once more, and not again.
        (Reply::Error(-32022, same), 2, "refused"),
        (Reply::Error(-32022, Value::Null), 1, "refused"),
        (Reply::Error(-32021, json!({"requiredCapabilities": {"roots": {}}})), 1, "refused"),
        (Reply::Error(-32020, Value::Null), 1, "refused"),
        (Reply::Result(discovered(&["2031-01-01"], json!({}))), 1, "no common revision"),
    ];
    for (with, times, says) in cases {
        let play = async |script: &mut Script| {
            for _ in 0..times {
                reply(script, &with).await;
            }
        };
        let (remote, mut script) = Opening::new().greet_by(play).await;
        let error = remote.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert!(script.unread().await.is_empty());
    }
}

/// The handshake may end in any revision that has one, and in no other.
#[tokio::test(start_paused = true)]
async fn the_handshake_agrees_on_what_the_server_names() {
    for answered in
        ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01", ""]
    {
        let play = async |script: &mut Script| {
            let id = script.expect("initialize").await;
            script.answer(&id, initialized(answered, json!({}))).await;
        };
        let opening = Opening { options: hinted(EraHint::Legacy), ..Opening::new() };
        let (remote, mut script) = opening.greet_by(play).await;
        match Revision::parse(answered).filter(|revision| *revision != MODERN) {
            Some(revision) => {
                assert_eq!(remote.unwrap().hello().revision, revision);
                script.expect("notifications/initialized").await;
            }
            None => {
                let error = remote.unwrap_err();
                let unknown = matches!(error, ConnectError::Greet(GreetError::Revision(_)));
                assert!(unknown, "{answered}: {error}");
                assert!(script.unread().await.is_empty(), "nothing was agreed on");
            }
        }
    }
}

/// A client that wants one revision accepts no other.
#[tokio::test(start_paused = true)]
async fn only_means_only() {
    let play = async |script: &mut Script| {
        let id = script.expect("initialize").await;
        script.answer(&id, initialized("2025-03-26", json!({}))).await;
    };
    let only = hinted(EraHint::Only(Revision::V2025_06_18));
    let (remote, mut script) = Opening { options: only, ..Opening::new() }.greet_by(play).await;
    let error = remote.unwrap_err();
    assert!(matches!(error, ConnectError::Greet(GreetError::Revision(_))), "{error}");
    assert!(script.unread().await.is_empty());

    let play = async |script: &mut Script| {
        reply(script, &Reply::Error(-32601, Value::Null)).await;
    };
    let only = hinted(EraHint::Only(MODERN));
    let (remote, mut script) = Opening { options: only, ..Opening::new() }.greet_by(play).await;
    assert!(remote.is_err());
    assert!(script.unread().await.is_empty());
}

fn hinted(era: EraHint) -> ClientOptions {
    ClientOptions { era, ..options() }
}

/// A server that may still be starting gets both requests; the first suitable answer wins.
#[tokio::test(start_paused = true)]
async fn silence_opens_both_greetings() {
    enum First {
        Old,
        New,
        /// It refuses the handshake at once and answers the discovery later.
        OldRefused,
        /// It answers both requests together.
        Both,
        NewRefused,
    }
    for first in [First::Old, First::New, First::OldRefused, First::Both, First::NewRefused] {
        let wanted = match first {
            First::Old | First::NewRefused => LEGACY,
            First::New | First::OldRefused | First::Both => MODERN,
        };
        let play = async |script: &mut Script| {
            let modern = script.expect("server/discover").await;
            let legacy = script.expect("initialize").await;
            let old = initialized("2025-11-25", json!({}));
            let new = discovered(&["2026-07-28"], json!({}));
            match first {
                First::Old => script.answer(&legacy, old).await,
                First::New => script.answer(&modern, new).await,
                First::OldRefused => {
                    script.refuse(&legacy, -32601, Value::Null).await;
                    crate::script::settle().await;
                    script.answer(&modern, new).await;
                }
                First::Both => {
                    script.answer(&legacy, old).await;
                    script.answer(&modern, new).await;
                }
                First::NewRefused => {
                    script.refuse(&modern, -32601, Value::Null).await;
                    script.answer(&legacy, old).await;
                }
            }
        };
        let (remote, mut script) = Opening::new().greet_by(play).await;
        assert_eq!(remote.unwrap().hello().revision, wanted);
        let rest = script.unread().await;
        let rest: Vec<_> = rest.iter().map(|message| message["method"].as_str().unwrap()).collect();
        let expected: &[&str] = match first {
            First::Old => &["notifications/initialized", "notifications/cancelled"],
            First::NewRefused => &["notifications/initialized"],
            First::New | First::OldRefused | First::Both => &[],
        };
        assert_eq!(rest, expected, "a handshake is never cancelled");
    }
}

/// A server that refuses the handshake and never answers the discovery does not block the client.
#[tokio::test(start_paused = true)]
async fn a_refusal_after_silence_is_the_error() {
    let play = async |script: &mut Script| {
        script.expect("server/discover").await;
        let id = script.expect("initialize").await;
        script.refuse(&id, -32000, json!("no license")).await;
    };
    let (remote, _script) = Opening::new().greet_by(play).await;
    let error = remote.unwrap_err();
    assert!(matches!(error, ConnectError::Greet(GreetError::Refused(_))), "{error}");
}

#[tokio::test(start_paused = true)]
async fn silence_for_good_ends() {
    let begun = tokio::time::Instant::now();
    let (remote, _script) = Opening::new().greet_by(async |_: &mut Script| ()).await;
    let error = remote.unwrap_err();
    assert!(matches!(error, ConnectError::Greet(GreetError::Late(_))), "{error}");
    assert_eq!(begun.elapsed(), Timeouts::default().handshake);
}

/// The caller may start the server again and begin with the legacy handshake.
#[tokio::test(start_paused = true)]
async fn a_server_that_ends_over_the_question_says_so() {
    for silent_first in [false, true] {
        let play = async |script: &mut Script| {
            script.expect("server/discover").await;
            if silent_first {
                script.expect("initialize").await;
            }
            script.end();
        };
        let (remote, _script) = Opening::new().greet_by(play).await;
        let error = remote.unwrap_err();
        assert!(matches!(error, ConnectError::Greet(GreetError::EndedEarly(_))), "{error}");
    }
}

/// Programs print other lines before they speak the protocol.
#[tokio::test(start_paused = true)]
async fn banners_are_skipped() {
    let play = async |script: &mut Script| {
        script.send_line("Starting server on stdio...").await;
        script.send_line("").await;
        script.send_line("\u{feff}{not json").await;
        let id = script.expect("server/discover").await;
        script.send_line("[1, 2").await;
        script.send_line("null").await;
        script.refuse(&id, -32601, Value::Null).await;
        let id = script.expect("initialize").await;
        script.send_line("ready!").await;
        script.answer(&id, initialized("2025-06-18", json!({}))).await;
    };
    let (remote, _script) = Opening::new().greet_by(play).await;
    assert_eq!(remote.unwrap().hello().revision, Revision::V2025_06_18);
}

/// If a server sends a ping before its answer, the client answers it.
#[tokio::test(start_paused = true)]
async fn a_ping_before_the_greeting_is_answered() {
    let play = async |script: &mut Script| {
        let id = script.expect("server/discover").await;
        script.ask("p", "ping", json!({})).await;
        assert_eq!(script.receive().await, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
        script.answer(&id, discovered(&["2026-07-28"], json!({}))).await;
    };
    let (remote, _script) = Opening::new().greet_by(play).await;
    assert!(remote.is_ok());
}

/// Capabilities that an older revision does not know are not declared to it.
#[tokio::test(start_paused = true)]
async fn capabilities_fit_the_revision() {
    let cases = [
        (Revision::V2024_11_05, json!({"roots": {}, "sampling": {}})),
        (Revision::V2025_03_26, json!({"roots": {}, "sampling": {}})),
        (
            Revision::V2025_06_18,
            json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}, "url": {}}}),
        ),
        (
            Revision::V2025_11_25,
            json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}, "url": {}}}),
        ),
    ];
    for (revision, declared) in cases {
        let play = async |script: &mut Script| {
            let asked = script.receive().await;
            assert_eq!(asked["params"]["capabilities"], declared);
            script.answer(&asked["id"], initialized(revision.as_str(), json!({}))).await;
        };
        let mut opening = Opening::host(crate::support::Answering(crate::support::obliging));
        opening.options.era = EraHint::Only(revision);
        let (remote, _script) = opening.greet_by(play).await;
        assert!(remote.is_ok());
    }
}
