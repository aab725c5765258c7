//! The handshake: every phase against everything that can arrive in it.

use super::given::{code, params};
use crate::{ClientId, Dialogue, HandshakeRules, Principal};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Era, Revision};

const HELLO: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}"#;

/// The steps that lead from a new dialogue to each phase.
const PHASES: [(&str, &[Step]); 4] = [
    ("created", &[]),
    ("initializing", &[Step::Initialize]),
    ("operating", &[Step::Initialize, Step::Initialized]),
    ("shut down", &[Step::Initialize, Step::Initialized, Step::ShutDown]),
];

#[derive(Clone, Copy)]
enum Step {
    Initialize,
    Initialized,
    ShutDown,
}

fn take(dialogue: &mut Dialogue, step: Step) -> i64 {
    match step {
        Step::Initialize => code(dialogue.initialize(&params(HELLO), HandshakeRules::Strict)),
        Step::Initialized => {
            dialogue.initialized();
            0
        }
        Step::ShutDown => {
            dialogue.shut_down();
            0
        }
    }
}

fn reach(steps: &[Step]) -> Dialogue {
    let mut dialogue = Dialogue::default();
    for step in steps {
        assert_eq!(take(&mut dialogue, *step), 0);
    }
    dialogue
}

fn phase(dialogue: &Dialogue) -> &'static str {
    match dialogue {
        Dialogue::Created => "created",
        Dialogue::Initializing(_) => "initializing",
        Dialogue::Operating(_) => "operating",
        Dialogue::ShutDown => "shut down",
    }
}

#[test]
fn each_phase_takes_only_what_belongs_to_it() {
    // Per phase: (code, next phase) of `initialize`, then the phase after `initialized`.
    let rules = [
        ((0, "initializing"), "created"),
        ((-32600, "initializing"), "operating"),
        ((-32600, "operating"), "operating"),
        ((-32600, "shut down"), "shut down"),
    ];
    for ((name, steps), (initialize, after_initialized)) in PHASES.into_iter().zip(rules) {
        let mut dialogue = reach(steps);
        assert_eq!(phase(&dialogue), name);
        let answered = take(&mut dialogue, Step::Initialize);
        assert_eq!((answered, phase(&dialogue)), initialize, "initialize while {name}");

        let mut dialogue = reach(steps);
        take(&mut dialogue, Step::Initialized);
        assert_eq!(phase(&dialogue), after_initialized, "initialized while {name}");

        let mut dialogue = reach(steps);
        take(&mut dialogue, Step::ShutDown);
        assert_eq!(phase(&dialogue), "shut down", "the end while {name}");
    }
}

#[test]
fn requests_wait_for_the_handshake_and_the_revision_is_known_from_its_start() {
    let agreed = Some(Revision::V2025_06_18);
    let rules = [(-32600, None), (-32600, agreed), (0, agreed), (-32600, None)];
    for ((name, steps), (request, revision)) in PHASES.into_iter().zip(rules) {
        let dialogue = reach(steps);
        let answered = code(dialogue.answering(HandshakeRules::Strict));
        assert_eq!(answered, request, "a request while {name}");
        assert_eq!(dialogue.operating().is_some(), request == 0, "{name}");
        assert_eq!(dialogue.revision(), revision, "the revision while {name}");
    }
}

#[test]
fn a_bad_hello_leaves_room_for_a_good_one() {
    let bad = [
        "{}",
        r#"{"protocolVersion":"2025-06-18","capabilities":{}}"#,
        r#"{"protocolVersion":"2025-06-18","clientInfo":{"name":"c","version":"1"}}"#,
        r#"{"capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#,
        r#"{"protocolVersion":7,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#,
        r#"{"protocolVersion":"2025-06-18","capabilities":[],"clientInfo":{"name":"c"}}"#,
        r#"{"protocolVersion":"2025-06-18","capabilities":null,"clientInfo":{"name":"c","version":"1"}}"#,
    ];
    let mut dialogue = Dialogue::default();
    for hello in bad {
        assert_eq!(
            code(dialogue.initialize(&params(hello), HandshakeRules::Strict)),
            -32602,
            "{hello}"
        );
        assert_eq!(phase(&dialogue), "created", "{hello}");
    }
    assert_eq!(take(&mut dialogue, Step::Initialize), 0);
}

#[test]
fn legacy_revisions_are_echoed_and_nothing_else_is() {
    let asked = [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2024-10-07", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("v999.0.0", "2025-11-25"),
        (" 2025-06-18", "2025-11-25"),
        ("", "2025-11-25"),
    ];
    for (requested, answered) in asked {
        let hello = HELLO.replace("2025-06-18", requested);
        let mut dialogue = Dialogue::default();
        let peer = dialogue.initialize(&params(&hello), HandshakeRules::Strict).expect(requested);
        assert_eq!(peer.revision.as_str(), answered, "{requested:?}");
        assert_eq!(dialogue.revision(), Some(peer.revision), "{requested:?}");
    }
    let legacy = Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy);
    assert_eq!(legacy.count(), 4, "a new legacy revision needs a row above");
}

#[test]
fn the_caller_of_a_session_is_who_said_hello() {
    let mut dialogue = Dialogue::default();
    dialogue.initialize(&params(HELLO), HandshakeRules::Strict).expect("a good hello");
    dialogue.initialized();
    let peer = dialogue.operating().expect("operating");
    let caller = peer.caller(ClientId::next(), &Principal::named("ada"), Some(LoggingLevel::Error));
    assert_eq!(caller.revision, Revision::V2025_06_18);
    assert!(caller.capabilities.roots.is_some() && caller.capabilities.sampling.is_none());
    assert_eq!(caller.client.expect("a name").name, "c");
    assert_eq!(caller.principal.as_str(), "ada");
    assert_eq!(caller.log_level, Some(LoggingLevel::Error));
}

#[test]
fn a_lenient_handshake_needs_only_the_clients_name() {
    let client = r#""clientInfo":{"name":"c","version":"1"}"#;
    let accepted = [
        (String::new(), Revision::V2024_11_05),
        (r#","protocolVersion":null,"capabilities":null"#.to_owned(), Revision::V2024_11_05),
        (r#","protocolVersion":"2025-06-18""#.to_owned(), Revision::V2025_06_18),
        (r#","protocolVersion":"2001-01-01""#.to_owned(), Revision::NEWEST_LEGACY),
    ];
    for (rest, revision) in accepted {
        let hello = format!("{{{client}{rest}}}");
        let mut dialogue = Dialogue::default();
        assert_eq!(code(dialogue.initialize(&params(&hello), HandshakeRules::Strict)), -32602);
        let peer = dialogue.initialize(&params(&hello), HandshakeRules::Lenient).expect(&hello);
        assert_eq!((peer.revision, &*peer.client.name), (revision, "c"), "{hello}");
        assert!(dialogue.operating().is_some(), "{hello}: no `initialized` is waited for");
        dialogue.initialized();
        assert_eq!(phase(&dialogue), "operating", "{hello}: one that comes does no harm");
        assert_eq!(code(dialogue.initialize(&params(&hello), HandshakeRules::Lenient)), -32600);
    }
    for hello in [
        "{}",
        r#"{"protocolVersion":"2024-11-05","capabilities":{}}"#,
        r#"{"clientInfo":"c"}"#,
        r#"{"clientInfo":{"name":"c"}}"#,
        r#"{"clientInfo":{"name":"c","version":"1"},"capabilities":3}"#,
    ] {
        let mut dialogue = Dialogue::default();
        assert_eq!(code(dialogue.initialize(&params(hello), HandshakeRules::Lenient)), -32602);
        assert_eq!(phase(&dialogue), "created", "{hello}");
    }
}

#[test]
fn rules_of_known_revisions_refuse_the_others_and_say_what_is_missing() {
    let rules = HandshakeRules::KnownRevisions;
    let said = ["Server not initialized", "Server initializing", "", "Server shutting down"];
    for ((name, steps), said) in PHASES.into_iter().zip(said) {
        match reach(steps).answering(rules) {
            Ok(_) => assert_eq!(said, "", "{name}"),
            Err(error) => assert_eq!((error.code.0, &*error.message), (-32002, said), "{name}"),
        }
    }
    for (requested, is_known) in
        [("2024-11-05", true), ("2025-11-25", true), ("2026-07-28", false), ("1999-01-01", false)]
    {
        let mut dialogue = Dialogue::default();
        let hello = HELLO.replace("2025-06-18", requested);
        let answer = dialogue.initialize(&params(&hello), rules);
        let Err(error) = answer else {
            assert!(is_known, "{requested}");
            continue;
        };
        assert!(!is_known, "{requested}");
        assert_eq!((error.code.0, &*error.message), (-32602, "Unsupported protocol version"));
        let data: serde_json::Value =
            serde_json::from_str(error.data.expect("data").get()).expect("JSON");
        assert_eq!(data["requested"], requested);
        let legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
        assert_eq!(data["supported"], serde_json::json!(legacy));
        assert_eq!(phase(&dialogue), "created", "another attempt is possible");
    }
}
