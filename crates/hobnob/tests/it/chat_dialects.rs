//! A chat on a terminal with each form of provider, in narrow and wide windows: parallel calls,
//! long answers, and providers that are overloaded, write nonsense or stop halfway.

use serde_json::json;

use crate::chat_setup::{LEAVE, READY, ROWS};
use crate::cli_hostile::on_terminal_with;
use crate::cone_dialects::{FORMS, Form, events};
use crate::cone_tools::SERVER;
use crate::faults_setup::{ALLOW, Setup};
use crate::model_server::{EVENTS, ModelServer, Step, status, stream, whole};

/// How many bytes of an answer arrive at once.
const PIECE_BYTES: usize = 11;
/// Words of a long answer.
const LONG_ANSWER_WORDS: usize = 400;

/// What a provider does in one chat, in the order of its requests.
fn script(form: &Form, long: &str) -> Vec<Vec<Step>> {
    let error = json!({"error": {"type": "overloaded", "message": "too busy"}}).to_string();
    let json = "content-type: application/json\r\n";
    let says = |text: &str| {
        let said: Vec<String> = form.says.iter().map(|it| it.replace("I see.", text)).collect();
        events(&said.iter().map(|it| &**it).collect::<Vec<_>>())
    };
    let half = says("Half of");
    // The stream stops right after the text.
    let half = &half[..half.find("Half of").unwrap() + "Half of\"}}\n\n".len() + 20];
    vec![
        status(429, &format!("{json}retry-after: 0\r\n"), &error),
        status(500, json, &error),
        whole(EVENTS, &events(form.wants), PIECE_BYTES),
        whole(EVENTS, &says(long), PIECE_BYTES),
        whole(EVENTS, "data: {nonsense\n\n", PIECE_BYTES),
        stream(EVENTS, half, PIECE_BYTES),
        whole(EVENTS, &says("All is well."), PIECE_BYTES),
    ]
}

async fn talk(form: &Form, columns: u16) {
    let long: String = (0..LONG_ANSWER_WORDS).map(|at| format!("word{at} ")).collect();
    let provider = ModelServer::start(script(form, long.trim())).await;
    let Some(mut setup) = Setup::new(&format!("chat-{}-{columns}", form.dialect)).await else {
        return;
    };
    setup.settings(&format!(
        "[models]\ndefault = \"test/m\"\n[providers.test]\ndialect = \"{}\"\nurl = \"{}\"\n\
         key = {{ variable = \"MODEL_KEY\" }}\nretries = 2\n{ALLOW}",
        form.dialect, provider.url
    ));
    setup.script("one", SERVER).write();
    let steps = [
        (READY, "both, please\r"),
        ("word399", ""),
        (READY, "nonsense?\r"),
        ("failed: ", ""),
        // The unanswered question is the draft of the next line.
        ("> nonsense?", "\u{15}half?\r"),
        ("failed: ", ""),
        (READY, "\u{15}and now?\r"),
        ("All is well.", ""),
        LEAVE,
    ];
    let variables = [("TERM", "xterm"), ("NO_COLOR", "1"), ("MODEL_KEY", "k")];
    let size = (ROWS, columns);
    let (code, shown) = on_terminal_with(&setup, &variables, size, &steps, &["chat"]).await;
    let what = format!("{} at {columns} columns", form.dialect);
    assert_eq!(code, 0, "{what}: {shown}");
    let seen = provider.seen();
    assert_eq!(seen.len(), 7, "{what}: {shown}");
    // The person learns of each try that failed.
    assert_eq!(shown.matches("asking again in").count(), 2, "{what}: {shown}");
    let told = (form.told)(&seen[3].body);
    for (id, said) in [("call_1", "Zürich"), ("call_2", "two")] {
        assert!(told.iter().any(|(at, text)| *at == id && text.contains(said)), "{what}: {told:?}");
    }
    // No word of a long answer is cut at the edge of the window.
    let words: Vec<String> = shown.split_whitespace().map(str::to_owned).collect();
    let all = (0..LONG_ANSWER_WORDS).all(|at| words.contains(&format!("word{at}")));
    assert!(all, "{what}: {shown}");
    let last = &seen[6].body.to_string();
    assert!(last.contains("and now?") && last.contains("both, please"), "{what}: {last}");
}

macro_rules! windows {
    ($($test:ident: $columns:literal;)*) => {
        $(#[tokio::test]
        async fn $test() {
            for form in &FORMS {
                talk(form, $columns).await;
            }
        })*
    };
}

windows! {
    a_narrow_window: 40;
    a_usual_window: 100;
    a_wide_window: 200;
}
