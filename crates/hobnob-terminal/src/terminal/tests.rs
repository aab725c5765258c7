//! Forms and pages, answered by a scripted person.

use super::asker::Asker;
use super::form::{Filled, fill, permission};
use super::page::visit;
use super::person::{NextPage, Person};
use super::{Consent, Terminal};
use hobnob_gateway::QuestionOrigin;
use hobnob_mcp_client::Host as _;
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitFormParams, ElicitUrlParams};
use hobnob_mcp_types::input::InputRequest;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc;

/// One answer of the script.
enum ScriptedAnswer {
    Text(&'static str),
    One(usize),
    Any(&'static [usize]),
    GivesUp,
}

struct ScriptedPerson {
    answers: VecDeque<ScriptedAnswer>,
    shown: Vec<String>,
    size: (usize, usize),
    pages: VecDeque<NextPage>,
}

impl ScriptedPerson {
    fn new(answers: impl IntoIterator<Item = ScriptedAnswer>) -> Self {
        let answers = answers.into_iter().collect();
        Self { answers, shown: Vec::new(), size: (24, 80), pages: VecDeque::new() }
    }
}

impl Person for ScriptedPerson {
    fn tell(&mut self, words: &str) {
        self.shown.push(words.into());
    }

    fn size(&self) -> (usize, usize) {
        self.size
    }

    fn next_page(&mut self, words: &str) -> NextPage {
        self.shown.push(words.into());
        self.pages.pop_front().unwrap_or(NextPage::Show)
    }

    fn text(&mut self, question: &str, default: Option<&str>) -> Option<String> {
        self.shown.push(question.into());
        match self.answers.pop_front() {
            Some(ScriptedAnswer::Text("")) => Some(default.unwrap_or_default().into()),
            Some(ScriptedAnswer::Text(text)) => Some(text.into()),
            Some(ScriptedAnswer::GivesUp) => None,
            _ => panic!("{question} was asked for as a text"),
        }
    }

    fn secret(&mut self, question: &str) -> Option<String> {
        panic!("{question} was asked for as a secret")
    }

    fn one_of(&mut self, question: &str, things: &[String], default: usize) -> Option<usize> {
        self.shown.push(question.into());
        match self.answers.pop_front() {
            // The person presses only Enter.
            Some(ScriptedAnswer::Text("")) => Some(default),
            Some(ScriptedAnswer::One(at)) if at < things.len() => Some(at),
            Some(ScriptedAnswer::GivesUp) => None,
            _ => panic!("{question} was asked for as a choice of {things:?}"),
        }
    }

    fn any_of(&mut self, question: &str, choices: &[(String, bool)]) -> Option<Vec<usize>> {
        self.shown.push(question.into());
        match self.answers.pop_front() {
            Some(ScriptedAnswer::Text("")) => {
                Some((0..choices.len()).filter(|at| choices[*at].1).collect())
            }
            Some(ScriptedAnswer::Any(picked)) => Some(picked.to_vec()),
            Some(ScriptedAnswer::GivesUp) => None,
            _ => panic!("{question} was asked for as a choice of several"),
        }
    }
}

/// The server that asks.
fn one() -> Asker {
    Asker::of(&QuestionOrigin::server("one"))
}

fn form(schema: Value) -> ElicitFormParams {
    serde_json::from_value(json!({"message": "Who are you?\x1b[2J", "requestedSchema": schema}))
        .unwrap()
}

fn everything() -> ElicitFormParams {
    form(json!({"type": "object", "required": ["name", "age", "color"], "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2},
        "mail": {"type": "string", "format": "email"},
        "age": {"type": "integer", "minimum": 18, "maximum": 120},
        "weight": {"type": "number", "default": 70.5},
        "news": {"type": "boolean", "default": true},
        "color": {"type": "string", "enum": ["red", "blue"]},
        "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
        "plan": {"type": "string", "enum": ["a", "b"], "enumNames": ["Plan A", "Plan B"], "default": "b"},
        "tags": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["x", "y", "z"]}},
        "kinds": {"type": "array", "items": {"anyOf": [{"const": "1", "title": "One"}, {"const": "2", "title": "Two"}]}, "default": ["2"]},
    }}))
}

#[test]
fn every_kind_of_field_can_be_filled_in() {
    let mut person = ScriptedPerson::new([
        ScriptedAnswer::Text("Ada"),
        ScriptedAnswer::Text("ada@example.org"),
        ScriptedAnswer::Text("36"),
        ScriptedAnswer::Text(""),
        ScriptedAnswer::Text(""),
        ScriptedAnswer::One(1),
        ScriptedAnswer::One(1),
        ScriptedAnswer::Text(""),
        ScriptedAnswer::Any(&[0, 2]),
        ScriptedAnswer::Text(""),
        ScriptedAnswer::One(0),
    ]);
    let Filled::Sent(content) = fill(&one(), &everything(), &mut person) else {
        panic!("not sent")
    };
    let wanted = json!({
        "name": "Ada", "mail": "ada@example.org", "age": 36, "weight": 70.5, "news": true,
        "color": "blue", "size": "l", "plan": "b", "tags": ["x", "z"], "kinds": ["2"],
    });
    assert_eq!(Value::Object(content), wanted);
    assert!(person.answers.is_empty());
    assert!(person.shown[0].contains("Who are you?\\u{1b}[2J"), "{:?}", person.shown);
}

#[test]
fn what_does_not_fit_is_asked_for_again_and_the_optional_left_out() {
    let mut person = ScriptedPerson::new([
        ScriptedAnswer::Text("A"),
        ScriptedAnswer::Text(""),
        ScriptedAnswer::Text("Ada"),
        ScriptedAnswer::Text("nobody"),
        ScriptedAnswer::Text(""),
        ScriptedAnswer::Text("old"),
        ScriptedAnswer::Text("17"),
        ScriptedAnswer::Text("36.5"),
        ScriptedAnswer::Text("36"),
        ScriptedAnswer::Text("heavy"),
        ScriptedAnswer::Text("71"),
        ScriptedAnswer::One(1),
        ScriptedAnswer::Text(""),
        ScriptedAnswer::Text(""),
        ScriptedAnswer::One(2),
        ScriptedAnswer::Any(&[0, 1, 2]),
        ScriptedAnswer::Any(&[]),
        ScriptedAnswer::Any(&[0]),
        ScriptedAnswer::One(0),
    ]);
    let Filled::Sent(content) = fill(&one(), &everything(), &mut person) else {
        panic!("not sent")
    };
    let wanted = json!({
        "name": "Ada", "age": 36, "weight": 71, "news": false, "color": "red", "kinds": ["1"],
    });
    assert_eq!(Value::Object(content), wanted);
    for words in ["at least 2 characters", "an e-mail address", "a whole number", "at least 18"] {
        assert!(person.shown.iter().any(|it| it.contains(words)), "{words}: {:?}", person.shown);
    }
}

#[test]
fn nothing_is_sent_against_the_persons_will() {
    let short = || form(json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    let mut declines = ScriptedPerson::new([ScriptedAnswer::Text("x"), ScriptedAnswer::One(1)]);
    assert_eq!(fill(&one(), &short(), &mut declines), Filled::Declined);
    for answers in
        [vec![ScriptedAnswer::GivesUp], vec![ScriptedAnswer::Text("x"), ScriptedAnswer::GivesUp]]
    {
        assert_eq!(fill(&one(), &short(), &mut ScriptedPerson::new(answers)), Filled::Cancelled);
    }
    let strange =
        form(json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "object"}}}));
    assert_eq!(fill(&one(), &strange, &mut ScriptedPerson::new([])), Filled::Declined);
}

#[test]
fn choosing_is_agreeing_where_a_tool_wants_to_run() {
    let asked = || {
        let choices = ["once", "always", "no"].map(|it| json!({"const": it, "title": it}));
        form(json!({"type": "object", "required": ["answer"],
            "properties": {"answer": {"type": "string", "oneOf": choices}}}))
    };
    for (says, wanted) in [
        (ScriptedAnswer::One(0), "once"),
        (ScriptedAnswer::One(2), "no"),
        (ScriptedAnswer::Text(""), "no"),
    ] {
        let Filled::Sent(content) = permission(&asked(), &mut ScriptedPerson::new([says])) else {
            panic!("not sent")
        };
        assert_eq!(Value::Object(content), json!({"answer": wanted}));
    }
    assert_eq!(
        permission(&asked(), &mut ScriptedPerson::new([ScriptedAnswer::GivesUp])),
        Filled::Cancelled
    );
}

#[test]
fn pages_are_shown_whole_and_only_if_they_are_pages() {
    let asked = |url: &str| ElicitUrlParams {
        message: "log in".into(),
        url: url.into(),
        ..ElicitUrlParams::default()
    };
    let good = "https://example.org/a?b=c#d";
    for (answer, wanted) in [
        (ScriptedAnswer::One(0), ElicitAction::Accept),
        (ScriptedAnswer::One(1), ElicitAction::Decline),
        (ScriptedAnswer::GivesUp, ElicitAction::Cancel),
    ] {
        let mut person = ScriptedPerson::new([answer]);
        assert_eq!(visit(&one(), &asked(good), &mut person), wanted);
        assert!(person.shown.iter().any(|it| it.contains(good)), "{:?}", person.shown);
    }
    for bad in [
        "",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://example.org/\x1b[2J",
        "https://examp\u{200b}le.org/",
        "https://example.org/ --help",
    ] {
        assert_eq!(
            visit(&one(), &asked(bad), &mut ScriptedPerson::new([])),
            ElicitAction::Decline,
            "{bad}"
        );
    }
}

#[test]
fn dates_and_addresses_are_checked() {
    let cases: [(&str, &[&str], &[&str]); 3] = [
        ("date", &["2024-02-29", "2026-12-31"], &["2023-02-29", "2026-13-01", "26-1-1", "today"]),
        (
            "date-time",
            &["2026-01-31T12:00:00Z", "2026-01-31t12:00:00.25+02:00"],
            &["2026-01-31", "2026-01-31T25:00:00Z", "2026-01-31T12:00:00", "2026-01-31T12:00Z"],
        ),
        ("uri", &["https://a", "urn:x"], &["a", "://", "1a:b", "https://a b"]),
    ];
    for (format, good, bad) in cases {
        let field = serde_json::from_value(json!({"type": "string", "format": format})).unwrap();
        for text in good {
            assert_eq!(super::check::text(&field, text), Ok(json!(text)), "{format}");
        }
        for text in bad {
            assert!(super::check::text(&field, text).is_err(), "{format}: {text}");
        }
    }
}

fn asking(message: &str, meta: Value) -> ElicitFormParams {
    serde_json::from_value(json!({"message": message, "_meta": meta, "requestedSchema": {
        "type": "object", "required": ["answer"], "properties": {"answer": {"type": "string",
            "oneOf": [{"const": "once", "title": "Yes, this once"}, {"const": "no", "title": "No"}]}}}}))
    .unwrap()
}

#[test]
fn a_long_question_is_shown_by_pages_that_fit() {
    let message = format!("May it?\n\n    {}END", "0123456789".repeat(300));
    for size in [(24, 80), (8, 20), (0, 0), (50, 200)] {
        let mut person = ScriptedPerson { size, ..ScriptedPerson::new([ScriptedAnswer::One(0)]) };
        let Filled::Sent(content) = permission(&asking(&message, json!({})), &mut person) else {
            panic!("not sent")
        };
        assert_eq!(Value::Object(content), json!({"answer": "once"}));
        let is_text = |it: &&String| {
            !it.starts_with("-- page") && !it.starts_with("(Enter") && *it != "answer"
        };
        let pages: Vec<&String> = person.shown.iter().filter(is_text).collect();
        let (height, width) = (size.0.max(8), size.1.max(20));
        for page in &pages {
            assert!(page.lines().count() < height, "{size:?} {page}");
            assert!(page.lines().all(|line| line.chars().count() <= width), "{size:?} {page}");
        }
        let all: String = pages.iter().flat_map(|it| it.lines()).collect();
        assert_eq!(all, message.replace('\n', ""), "{size:?}");
    }
    let refused = |pages: [NextPage; 2]| {
        let mut person =
            ScriptedPerson { pages: pages.into(), ..ScriptedPerson::new([ScriptedAnswer::One(0)]) };
        let filled = permission(&asking(&message, json!({})), &mut person);
        (filled == Filled::Declined, person.shown)
    };
    assert!(refused([NextPage::Show, NextPage::Refuse]).0);
    let (declined, lines) = refused([NextPage::Show, NextPage::Skip]);
    assert!(!declined && lines.iter().any(|it| it == "(skipped 1 of 3 pages)"), "{lines:?}");
}

#[test]
fn arguments_in_a_file_are_shown_whole_if_they_are_what_the_question_is_about() {
    let file = std::env::temp_dir().join(format!("hobnob-asked-{}", std::process::id()));
    let arguments = "{\"a\": \"\u{202e}all\"}";
    std::fs::write(&file, arguments).unwrap();
    let sum = hobnob_config::Digest::of(arguments.as_bytes()).to_string();
    let ask = |sha256: &str, bytes: usize, path: &str| {
        let about = json!({"sha256": sha256, "bytes": bytes, "file": path});
        let asked = asking("Who\nwhat\n\n    {\"a\"", json!({"hobnob/arguments": about}));
        let mut person = ScriptedPerson::new([ScriptedAnswer::One(0)]);
        let filled = permission(&asked, &mut person);
        (filled, person.shown.join("\n"))
    };
    let path = file.to_str().unwrap();
    let (filled, shown) = ask(&sum, arguments.len(), path);
    assert!(matches!(filled, Filled::Sent(_)), "{shown}");
    assert!(shown.contains("Who\nAll arguments:\n\n    {\"a\":\"\\u{202e}all\"}"), "{shown}");
    for (sum, bytes, path) in [
        ("0", arguments.len(), path),
        (sum.as_str(), 1, path),
        (sum.as_str(), arguments.len(), "/nowhere"),
        (sum.as_str(), 0, "/dev/stdin"),
    ] {
        let (filled, shown) = ask(sum, bytes, path);
        assert_eq!(filled, Filled::Declined, "{shown}");
        assert!(shown.contains("the arguments cannot be shown"), "{shown}");
    }
    std::fs::remove_file(file).unwrap();
}

/// Our own question whether a tool may run, with this metadata about its origin.
fn permission_question(meta: &Value) -> InputRequest {
    let choices = [("once", "Yes, this once"), ("no", "No")]
        .map(|(value, title)| json!({"const": value, "title": title}));
    let answer = json!({"type": "string", "title": "May it run?", "oneOf": choices});
    let schema =
        json!({"type": "object", "required": ["answer"], "properties": {"answer": answer}});
    let message = "Server `bank` would run its tool `pay` (mcp__bank__pay) without arguments.";
    let params = json!({"message": message, "requestedSchema": schema, "_meta": meta});
    serde_json::from_value(json!({"method": "elicitation/create", "params": params})).unwrap()
}

#[tokio::test]
async fn yes_answers_only_our_own_questions() {
    let terminal = Terminal::new(Path::new("/"), Consent::Once, "test");
    for (meta, action) in [
        (json!({"hobnob/asked-by": {"origin": "hobnob"}}), "accept"),
        (json!({"hobnob/asked-by": {"origin": "server", "server": "one"}}), "decline"),
        (json!({}), "decline"),
    ] {
        let answer = terminal.answer(&permission_question(&meta)).await.unwrap();
        let answer: Value = serde_json::from_str(answer.get()).unwrap();
        assert_eq!(answer["action"], action, "{meta}");
    }
}

#[test]
fn a_server_cannot_write_a_line_that_looks_like_ours() {
    let padding = " ".repeat(60);
    let fake = format!("May it run?{padding}May it run?");
    let asked: ElicitFormParams = serde_json::from_value(json!({
        "message": "Server `bank` would run its tool `pay`.\n\nMay it run?:\n> Yes, this once",
        "requestedSchema": {"type": "object", "required": ["a", "b"], "properties": {
            "a": {"type": "string", "title": "May it run?", "enum": ["once", "no"]},
            "b": {"type": "string", "title": fake.replace(' ', "\u{a0}"), "enum": ["once", "no"]},
        }},
    }))
    .unwrap();
    let answers = [0, 0, 1].map(ScriptedAnswer::One);
    let mut person = ScriptedPerson::new(answers);
    fill(&Asker::of(&QuestionOrigin::server("a`b\n")), &asked, &mut person);
    let shown = person.shown.join("\n");
    assert!(shown.starts_with("server `a\\u{60}b` asks:\n  │ Server `bank`"), "{shown}");
    for row in shown.lines().filter(|row| row.contains("May it run?") || row.contains("bank")) {
        let marked = row.starts_with("  │ ") || row.starts_with("server `a\\u{60}b`: ");
        assert!(marked && row.chars().count() <= 80, "{row:?} in {shown}");
    }
}

#[tokio::test]
async fn a_question_has_the_terminal_until_its_end_also_if_nobody_waits_for_it() {
    let terminal = Terminal::new(Path::new("/"), Consent::Ask, "test");
    let (end, ended) = mpsc::sync_channel::<()>(1);
    let (begin, begun) = tokio::sync::oneshot::channel();
    let asking = terminal.keyboard.ask(move |_| {
        let _begun = begin.send(());
        let _end = ended.recv();
    });
    tokio::select! {
        _ = asking => panic!("the question ended by itself"),
        begun = begun => begun.unwrap(),
    }
    let mut typing = std::pin::pin!(terminal.keyboard.for_typing());
    tokio::select! {
        biased;
        _ = &mut typing => panic!("two have the terminal"),
        () = std::future::ready(()) => {}
    }
    end.send(()).unwrap();
    let _guard = typing.await;
}
