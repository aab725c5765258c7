//! `hobnob chat` as a person meets it: on a pseudo-terminal, with a provider on this machine and a real
//! server behind the hub.

use std::num::NonZeroU16;

use serde_json::json;

use crate::cli_hostile::on_terminal;
use crate::cone_service::piece;
use crate::cone_tools::{SERVER, says, settings, wants};
use crate::faults_setup::Setup;
use crate::model_server::{LINES, ModelServer, Step};

/// Enough for a whole conversation of these tests.
const ROWS: NonZeroU16 = NonZeroU16::new(80).unwrap();
const READY: &str = "> ";
const LEAVE: (&str, &str) = (READY, "/quit\r");

async fn setup(name: &str, provider: &ModelServer) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings(&settings(provider)).script("one", SERVER).write();
    Some(setup)
}

/// What a terminal shows in the end.
fn screen(shown: &str, columns: u16) -> String {
    let mut terminal = vt100::Parser::new(ROWS, columns.try_into().unwrap(), 0);
    terminal.process(shown.as_bytes());
    terminal.screen().contents()
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
        let (code, shown) = on_terminal(&setup, (ROWS.get(), columns), &steps, &["chat"]).await;
        assert_eq!(code, 0, "{shown}");
        assert!(shown.contains("mcp__one__ask"), "{shown}");
        // The whole call was shown, and nothing of it reached the terminal as it is.
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
    let (code, shown) = on_terminal(&setup, (ROWS.get(), 100), &steps, &["chat"]).await;
    assert_eq!(code, 0, "{shown}");
    let last = provider.seen().pop().unwrap();
    let said = last.body["messages"].to_string();
    assert!(said.contains("refused by a person"), "{said}");
    assert!(said.contains("interrupted by the person"), "{said}");
    assert!(said.contains("I am still"), "{said}");
    // A question hides the cursor; it is there again for the next line.
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
        // It is there to be changed: the end of the line is typed.
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
    let (code, shown) =
        on_terminal(&setup, (ROWS.get(), 100), &steps, &["chat", "-s", "mine"]).await;
    assert_eq!(code, 0, "{shown}");
    let seen = provider.seen();
    let said = |at: usize| seen[at].body["messages"].to_string();
    assert!(said(2).contains("answer one") && !said(2).contains("answer two"), "{}", said(2));
    assert!(said(2).contains("question two again"), "{}", said(2));
    assert!(said(4).contains("they talked") && !said(4).contains("answer three"), "{}", said(4));
    let saved = std::fs::read_to_string(setup.home.join("project/talk.md")).unwrap();
    assert!(saved.contains("answer one") && saved.contains("answer four"), "{saved}");
}

/// A hook that writes down in which conversation a question is asked.
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
    let (code, shown) =
        on_terminal(&setup, (ROWS.get(), 100), &steps, &["chat", "-s", "mine"]).await;
    assert_eq!(code, 0, "{shown}");
    let names = std::fs::read_to_string(log).unwrap();
    let names: Vec<&str> = names.lines().collect();
    assert!(names[1].starts_with("chat-"), "{names:?}");
    assert_eq!([names[0], names[2]], ["mine", "mine"], "{names:?}");
}
