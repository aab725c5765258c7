//! `hobnob chat` as a person meets it: on a pseudo-terminal, with a provider on this machine and a
//! real server behind the hub.

use serde_json::json;

use crate::chat_setup::{LEAVE, READY, ROWS, chat, chat_home, results, screen};
use crate::cli_hostile::on_terminal;
use crate::cone_service::piece;
use crate::cone_tools::{SERVER, says, settings, wants};
use crate::faults_setup::Setup;
use crate::model_server::{LINES, ModelServer, Step};

async fn setup(name: &str, provider: &ModelServer) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings(&settings(provider)).script("one", SERVER).write();
    Some(setup)
}

#[tokio::test]
async fn a_person_talks_is_asked_and_looks_around() {
    let steps = [
        (READY, "please ask\r"),
        ("would run its tool `ask`", ""),
        ("> No", "y\r"),
        ("two", ""),
        (READY, "/mcp\r"),
        ("one", ""),
        (READY, "/cost\r"),
        ("context:", ""),
        (READY, "/nonsense\r"),
        ("/help lists the commands", ""),
        LEAVE,
    ];
    for columns in [120, 60] {
        let provider = ModelServer::start(vec![
            wants(&[("mcp__one__ask", json!({"m": "hi \u{1b}[31m"}))]),
            says("It *said* **hi**.\n\n- one\n- two\n"),
        ])
        .await;
        let Some(setup) = setup("chat-pty", &provider).await else { return };
        let (code, shown) = on_terminal(&setup, (ROWS, columns), &steps, &["chat"]).await;
        assert_eq!(code, 0, "{shown}");
        assert!(shown.contains("mcp__one__ask"), "{shown}");
        // The whole call was shown, and none of its escapes reached the terminal.
        assert!(!shown.contains("\u{1b}[31m"), "{shown}");
        assert!(shown.contains("said hi"), "{shown}");
        let screen = screen(&shown, columns);
        assert!(screen.contains("ready"), "{screen}");
        // No spinner stays behind, and lines keep their order.
        assert!(!screen.contains("thinking") && !screen.contains("mcp__one__ask 0s"), "{screen}");
        let order =
            ["please ask", "● mcp__one__ask", "May it run?", "│ said hi", "• two", "tokens"];
        let places: Vec<_> = order.iter().map(|text| screen.find(text).unwrap_or(0)).collect();
        assert!(places.is_sorted() && places[0] != 0, "{places:?}\n{screen}");
    }
}

#[tokio::test]
async fn a_built_in_that_a_rule_asks_about_runs_only_if_the_person_agrees() {
    let check = || wants(&[("health_check", json!({}))]);
    let turns = vec![check(), says("Not."), check(), says("Once."), check(), says("Always.")];
    let last = vec![check(), says("At last.")];
    let provider = ModelServer::start([turns, last].concat()).await;
    let rules = [("health_check", "ask")];
    let Some(setup) = chat_home("chat-built-in", &provider, &rules).await else { return };
    const ASKS: (&str, &str) = ("Hobnob would run its own tool `health_check`", "");
    let steps = [
        [(READY, "first\r"), ASKS, ("> No", "\r"), ("Not.", "")],
        [(READY, "second\r"), ASKS, ("> No", "y\r"), ("Once.", "")],
        // `y` moves from one agreeing answer to the next; the third one lasts.
        [(READY, "third\r"), ASKS, ("> No", "yyy\r"), ("Always.", "")],
        [(READY, "fourth\r"), ("At last.", ""), (READY, "/quit\r"), ("", "")],
    ];
    let shown = chat(&setup, &steps.concat()).await;
    assert_eq!(shown.matches(ASKS.0).count(), 3, "{shown}");
    assert!(shown.contains("May it run? (rule `health_check ask` (config.toml, rule 1) asks):"));
    let results = results(&provider.seen().pop().unwrap());
    assert!(results[0].contains("refused by a person"), "{results:?}");
    for result in &results[1..] {
        assert!(result.contains("status") && !result.contains("refused"), "{results:?}");
    }
    let settings = std::fs::read_to_string(setup.home.join("config/config.toml")).unwrap();
    assert!(settings.contains("tool = \"health_check\"\naction = \"allow\""), "{settings}");
}

#[tokio::test]
async fn a_person_who_refuses_always_is_not_asked_again() {
    let say = || wants(&[("mcp__one__echo", json!({"message": "hi"}))]);
    let provider = ModelServer::start(vec![say(), says("Not."), say(), says("Never.")]).await;
    let Some(setup) = chat_home("chat-never", &provider, &[]).await else { return };
    let steps = [
        (READY, "first\r"),
        ("would run its tool `echo`", ""),
        ("> No", "r\r"),
        ("Not.", ""),
        (READY, "second\r"),
        ("Never.", ""),
        LEAVE,
    ];
    let shown = chat(&setup, &steps).await;
    assert_eq!(shown.matches("would run its tool").count(), 1, "{shown}");
    let results = results(&provider.seen().pop().unwrap());
    assert!(results[0].contains("refused by a person"), "{results:?}");
    assert!(results[1].contains("denied by rule"), "{results:?}");
    let settings = std::fs::read_to_string(setup.home.join("config/config.toml")).unwrap();
    let rule = "server = \"one\"\ntool = \"echo\"\naction = \"deny\"";
    assert!(settings.contains(rule), "{settings}");
}

#[tokio::test]
async fn a_refusal_reaches_the_model_and_ctrl_c_stops_the_turn() {
    let ask = || wants(&[("mcp__one__ask", json!({"m": "hi"}))]);
    let holds = vec![Step::Head(LINES), piece("I am still "), piece("thinking\n\n"), Step::Hold];
    let provider =
        ModelServer::start(vec![ask(), says("Then not."), ask(), holds, says("On we go.")]).await;
    let Some(setup) = setup("chat-stop", &provider).await else { return };
    let steps = [
        (READY, "first\r"),
        ("would run its tool `ask`", ""),
        ("> No", "n\r"),
        ("Then not.", ""),
        // Ctrl-C at a question stops the turn.
        (READY, "second\r"),
        ("would run its tool `ask`", ""),
        ("> No", "\u{3}"),
        ("interrupted", ""),
        // So does Ctrl-C while the model speaks, and the next turn works.
        (READY, "third\r"),
        ("I am still", "\u{3}"),
        ("interrupted", ""),
        (READY, "fourth\r"),
        ("On we go.", ""),
        LEAVE,
    ];
    let (code, shown) = on_terminal(&setup, (ROWS, 100), &steps, &["chat"]).await;
    assert_eq!(code, 0, "{shown}");
    let last = provider.seen().pop().unwrap();
    let said = last.body["messages"].to_string();
    assert!(said.contains("refused by a person"), "{said}");
    assert!(said.contains("interrupted by the person"), "{said}");
    assert!(said.contains("I am still"), "{said}");
    // A question hides the cursor, and its end shows the cursor again.
    assert_eq!(
        shown.matches("\u{1b}[?25l").count(),
        shown.matches("\u{1b}[?25h").count(),
        "{shown}"
    );
}

#[tokio::test]
async fn conversations_are_branched_compacted_and_resumed() {
    let provider = ModelServer::start(vec![
        says("answer one"),
        says("answer two"),
        says("answer three"),
        says("they talked"),
        says("answer four"),
    ])
    .await;
    let Some(setup) = setup("chat-tree", &provider).await else { return };
    let steps = [
        (READY, "question one\r"),
        ("answer one", ""),
        (READY, "question two\r"),
        ("answer two", ""),
        (READY, "/branch 2\r"),
        // The question is the draft of the next line: the person types its end.
        ("question two", " again\r"),
        ("answer three", ""),
        (READY, "/compact\r"),
        ("a summary from here on", ""),
        (READY, "question four\r"),
        ("answer four", ""),
        (READY, "/save talk.md\r"),
        ("written to", ""),
        (READY, "/clear\r"),
        ("a new conversation", ""),
        LEAVE,
    ];
    let (code, shown) = on_terminal(&setup, (ROWS, 100), &steps, &["chat", "-s", "mine"]).await;
    assert_eq!(code, 0, "{shown}");
    let seen = provider.seen();
    let said = |at: usize| seen[at].body["messages"].to_string();
    assert!(said(2).contains("answer one") && !said(2).contains("answer two"), "{}", said(2));
    assert!(said(2).contains("question two again"), "{}", said(2));
    assert!(said(4).contains("they talked") && !said(4).contains("answer three"), "{}", said(4));
    let saved = std::fs::read_to_string(setup.home.join("project/talk.md")).unwrap();
    assert!(saved.contains("answer one") && saved.contains("answer four"), "{saved}");
}

/// A hook that logs the name of each question's conversation.
const NAMES: &str =
    "import json, sys\nopen(sys.argv[1], 'a').write(json.load(sys.stdin)['session'] + '\\n')";

#[tokio::test]
async fn hooks_hear_the_name_of_the_conversation_that_goes_on() {
    let provider = ModelServer::start(vec![says("said.")]).await;
    let Some(mut setup) = setup("chat-hook-names", &provider).await else { return };
    let log = setup.file("names");
    let hook = json!(["python3", "-c", NAMES, log]);
    setup.settings(&format!("{}\n[chat.hooks]\nquestion = {hook}\n", settings(&provider))).write();
    let steps = [
        (READY, "one\r"),
        ("said.", ""),
        (READY, "/clear\r"),
        ("a new conversation", ""),
        (READY, "two\r"),
        ("said.", ""),
        (READY, "/resume mine\r"),
        ("going on with mine", ""),
        (READY, "three\r"),
        ("said.", ""),
        LEAVE,
    ];
    let (code, shown) = on_terminal(&setup, (ROWS, 100), &steps, &["chat", "-s", "mine"]).await;
    assert_eq!(code, 0, "{shown}");
    let names = std::fs::read_to_string(log).unwrap();
    let names: Vec<&str> = names.lines().collect();
    assert!(names[1].starts_with("chat-"), "{names:?}");
    assert_eq!([names[0], names[2]], ["mine", "mine"], "{names:?}");
}
