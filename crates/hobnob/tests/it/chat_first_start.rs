//! The first chat of a newcomer: with a key in the environment, with Ollama, with neither, and in a folder
//! that no chat was in before.

use serde_json::json;

use crate::chat_setup::{COLUMNS, LEAVE, READY, ROWS, last_said, results};
use crate::cli_hostile::on_terminal_with;
use crate::cone_dialects;
use crate::cone_tools::{says, wants};
use crate::faults_setup::Setup;
use crate::model_server::{EVENTS, ModelServer, Step, status, whole};

pub(crate) const LIST: &str =
    r#"{"models": [{"name": "nomic-embed-text:latest"}, {"name": "llama3.2:latest"}]}"#;
/// What a dialect of events says as an answer.
const ANTHROPIC: [&str; 5] = [
    r#"{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":5,"output_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello there."}}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#,
    r#"{"type":"message_stop"}"#,
];

pub(crate) fn events(payloads: &[&str]) -> Vec<Step> {
    whole(EVENTS, &cone_dialects::events(payloads), 64)
}

/// A home without settings.
pub(crate) async fn newcomer(name: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.settings("").write();
    Some(setup)
}

pub(crate) async fn on_first_terminal(
    setup: &Setup,
    columns: u16,
    variables: &[(&str, &str)],
    steps: &[(&str, &str)],
) -> String {
    let usual = [("TERM", "xterm"), ("NO_COLOR", "1"), ("OLLAMA_HOST", "127.0.0.1:1")];
    let variables = [&usual, variables].concat();
    let (code, shown) =
        on_terminal_with(setup, &variables, (ROWS, columns), steps, &["chat"]).await;
    assert_eq!(code, 0, "{shown}");
    shown
}

const HELLO: [(&str, &str); 3] = [(READY, "hello\r"), ("Hello there.", ""), LEAVE];

#[tokio::test]
async fn a_key_in_the_environment_is_enough() {
    let provider = ModelServer::start(vec![events(&ANTHROPIC)]).await;
    let Some(setup) = newcomer("first-key").await else { return };
    let variables = [("ANTHROPIC_API_KEY", "k-1"), ("ANTHROPIC_BASE_URL", &*provider.url)];
    let shown = on_first_terminal(&setup, COLUMNS, &variables, &HELLO).await;
    assert!(shown.contains("ANTHROPIC_API_KEY is set, so anthropic/claude-sonnet-5-5 answers"));
    let asked = provider.seen().pop().unwrap();
    assert!(asked.head.contains("x-api-key: k-1"), "{}", asked.head);
    assert_eq!(asked.body["model"], "claude-sonnet-5-5");
}

#[tokio::test]
async fn a_running_ollama_is_enough() {
    let list = status(200, "content-type: application/json\r\n", LIST);
    let provider = ModelServer::start(vec![list, says("Hello there.")]).await;
    let Some(setup) = newcomer("first-ollama").await else { return };
    let shown = on_first_terminal(&setup, COLUMNS, &[("OLLAMA_HOST", &provider.url)], &HELLO).await;
    assert!(shown.contains("so ollama/llama3.2:latest answers"), "{shown}");
    assert_eq!(provider.seen().pop().unwrap().body["model"], "llama3.2:latest");
}

#[tokio::test]
async fn without_either_a_model_is_set_up_with_the_person() {
    let json = "content-type: application/json\r\n";
    let refused = status(401, json, "{}");
    let list = status(200, json, r#"{"data": [{"id": "small"}, {"id": "large"}]}"#);
    let answer = [
        r#"{"id":"c","model":"large","choices":[{"index":0,"delta":{"content":"Hello there."}}]}"#,
        r#"{"id":"c","model":"large","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ];
    let provider = ModelServer::start(vec![refused, list, events(&answer)]).await;
    let Some(setup) = newcomer("first-set-up").await else { return };
    let address = format!("{}\r", provider.url);
    let steps = [
        ("Which models should answer?", "3\r"),
        ("Its address", &address),
        ("API key", "wrong-key\r"),
        ("refuses this key (status 401)", ""),
        ("API key", "right-key\r"),
        ("Which model should answer?", "2\r"),
        ("is the model from now on", ""),
    ];
    let steps = [&steps[..], &HELLO].concat();
    let shown = on_first_terminal(&setup, COLUMNS, &[], &steps).await;
    assert!(!shown.contains("right-key") && !shown.contains("wrong-key"), "{shown}");
    let asked = provider.seen().pop().unwrap();
    assert!(asked.head.contains("authorization: bearer right-key"), "{}", asked.head);
    assert_eq!((&asked.body["model"], last_said(&asked)), (&json!("large"), "hello"));
    let settings = setup.settings_text();
    assert!(settings.contains("default = \"other/large\"") && !settings.contains("right-key"));
    use std::os::unix::fs::PermissionsExt as _;
    let key = setup.home.join("config/keys/other");
    let mode = std::fs::metadata(&key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{mode:o}");
    // The second start asks nothing.
    let again = ModelServer::start(vec![events(&answer)]).await;
    let settings = settings.replace(&provider.url, &again.url);
    std::fs::write(setup.home.join("config/config.toml"), settings).unwrap();
    on_first_terminal(&setup, COLUMNS, &[], &HELLO).await;
}

#[tokio::test]
async fn a_script_without_a_model_is_told_what_to_do_and_a_missing_key_shows_at_once() {
    let Some(mut setup) = newcomer("first-script").await else { return };
    let ask = async |setup: &Setup| {
        let mut command = setup.hobnob(&["chat", "-p", "hello"]);
        command.env("OLLAMA_HOST", "127.0.0.1:1").stdin(std::process::Stdio::null());
        let output = crate::program::within("chat", command.output()).await.unwrap();
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let told = ask(&setup).await;
    assert!(told.contains("set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama"), "{told}");
    let settings = "[models]\ndefault = \"a/b\"\n[providers.a]\ndialect = \"anthropic\"\n\
                    key = { variable = \"HOBNOB_TEST_NO_KEY\" }\n";
    setup.settings(settings).write();
    let told = ask(&setup).await;
    assert!(told.contains("provider `a`: ") && told.contains("HOBNOB_TEST_NO_KEY"), "{told}");
}

#[tokio::test]
async fn the_first_chat_in_a_folder_offers_its_files() {
    const FIRST: &str = "May the assistant work in this folder?";
    let read = || wants(&[("files_read", json!({"path": "notes.txt"}))]);
    let write = || wants(&[("files_write", json!({"path": "new.txt", "content": "new"}))]);
    for (number, answer) in ["1", "2", "3", "4"].into_iter().enumerate() {
        let turns = vec![read(), write(), says("Hello there.")];
        let provider = ModelServer::start(turns).await;
        let name = format!("first-folder-{answer}");
        let Some(mut setup) = Setup::new(&name).await else { return };
        setup.settings(&crate::chat_setup::chat_settings(&provider, &[])).write();
        std::fs::remove_file(setup.home.join("state/chat-folders")).unwrap();
        std::fs::write(setup.home.join("project/notes.txt"), "remember the milk").unwrap();
        let keys = format!("{answer}\r");
        let asked = [("would run its own tool `files_write`", ""), ("> No", "y\r")];
        let begin = [(FIRST, &*keys), (READY, "hello\r")];
        let end = [("Hello there.", ""), LEAVE];
        let steps = match number {
            0 => [&begin[..], &asked, &end].concat(),
            _ => [&begin[..], &end].concat(),
        };
        let shown = on_first_terminal(&setup, COLUMNS, &[], &steps).await;
        let results = results(&provider.seen().pop().unwrap());
        assert_eq!(results[0].contains("remember the milk"), number < 3, "{answer}: {results:?}");
        let written = setup.home.join("project/new.txt").exists();
        assert_eq!(written, number < 2, "{answer}: {results:?}\n{shown}");
        // Each folder is asked about once.
        let again = ModelServer::start(vec![says("Hello there.")]).await;
        let text = setup.settings_text().replace(&provider.url, &again.url);
        std::fs::write(setup.home.join("config/config.toml"), text).unwrap();
        let shown = on_first_terminal(&setup, COLUMNS, &[], &HELLO).await;
        assert!(!shown.contains(FIRST), "{answer}: {shown}");
    }
}

#[tokio::test]
async fn the_home_folder_and_those_that_hold_hobnobs_files_are_never_offered() {
    for (project, home) in [("project", "project"), ("project", "project/deep"), (".", "elsewhere")]
    {
        let provider = ModelServer::start(vec![says("Hello there.")]).await;
        let Some(mut setup) = Setup::new("first-refused").await else { return };
        setup.settings(&crate::chat_setup::chat_settings(&provider, &[])).write();
        std::fs::remove_file(setup.home.join("state/chat-folders")).unwrap();
        let folder = |name: &str| {
            let folder = setup.home.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            folder.canonicalize().unwrap().display().to_string()
        };
        let (project, home) = (folder(project), folder(home));
        let variables = [("TERM", "xterm"), ("NO_COLOR", "1"), ("HOME", &*home)];
        let words = ["chat", "--project", &*project];
        let (code, shown) =
            on_terminal_with(&setup, &variables, (ROWS, COLUMNS), &HELLO, &words).await;
        assert_eq!(code, 0, "{shown}");
        assert!(!shown.contains("May the assistant work"), "{project} {home}: {shown}");
    }
}
