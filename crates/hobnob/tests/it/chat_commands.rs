//! What a person can see and decide within a chat: earlier chats, the model's thinking, pictures,
//! rules, approvals, prompts that want arguments; and what a chat reports unasked.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;

use crate::chat_setup::{
    ALL_ALLOWED, COLUMNS, LEAVE, READY, ROWS, chat, chat_home, chat_settings, chat_with, last_said,
    person_runs, screen,
};
use crate::cli_hostile::{on_terminal, on_terminal_with};
use crate::cone_service::end;
use crate::cone_tools::{SERVER, says, settings, wants};
use crate::faults_setup::{Setup, until};
use crate::model_server::{LINES, ModelServer, Step};

const TIMEOUT: Duration = Duration::from_secs(40);

#[tokio::test]
async fn earlier_chats_are_listed_by_their_first_question_and_gone_on_with() {
    let provider = ModelServer::start(vec![
        says("Roses are *red*."),
        says("Tulips too."),
        says("It rains."),
        says("Indeed."),
        says("Still red."),
    ])
    .await;
    let Some(setup) = chat_home("chat-resume", &provider, &[]).await else { return };
    let steps = [
        (READY, "Which colour have roses?\r"),
        ("red", ""),
        (READY, "And tulips?\r"),
        ("Tulips too.", ""),
        LEAVE,
    ];
    chat_with(&setup, &steps, &["-s", "flowers"]).await;
    chat(&setup, &[(READY, "What is the weather?\r"), ("It rains.", ""), LEAVE]).await;
    // A chat without a question does not count as the last chat.
    chat(&setup, &[LEAVE]).await;
    let steps = [("It rains.", ""), (READY, "really?\r"), ("Indeed.", ""), LEAVE];
    chat_with(&setup, &steps, &["-c"]).await;
    assert!(provider.seen().pop().unwrap().body.to_string().contains("What is the weather?"));

    let steps = [
        (READY, "/resume\r"),
        ("/resume NUMBER", ""),
        (READY, "/resume 7\r"),
        ("/resume lists your chats", ""),
        (READY, "/resume 2\r"),
        ("going on with flowers", ""),
        ("Tulips too.", ""),
        (READY, "still?\r"),
        ("Still red.", ""),
        LEAVE,
    ];
    let shown = screen(&chat(&setup, &steps).await, COLUMNS);
    let row = |first: &str, count: &str, name: &str| {
        let fits = |line: &&str| {
            let words: Vec<&str> =
                line.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect();
            words.get(1) == Some(&first) && words[2..].contains(&count) && line.contains(name)
        };
        assert!(shown.lines().any(|line| fits(&line)), "{first}: {shown}");
    };
    row("What is the weather?", "2", "chat-");
    row("Which colour have roses?", "2", "flowers");
    assert!(shown.contains("> Which colour have roses?\nRoses are *red*.\n"), "{shown}");
    let last = provider.seen().pop().unwrap();
    assert!(last.body.to_string().contains("And tulips?"), "{}", last.body);
}

#[tokio::test]
async fn a_saved_conversation_says_who_said_what() {
    let provider = ModelServer::start(vec![
        wants(&[("mcp__one__echo", json!({"message": "from the tool"}))]),
        says("Answered."),
        says("in short"),
        says("Once more."),
    ])
    .await;
    let Some(setup) = chat_home("chat-save", &provider, ALL_ALLOWED).await else { return };
    let steps = [
        (READY, "question one\r"),
        ("Answered.", ""),
        (READY, "/compact\r"),
        ("a summary from here on", ""),
        (READY, "question two\r"),
        ("Once more.", ""),
        (READY, "/save talk.md\r"),
        ("written to", ""),
        LEAVE,
    ];
    chat(&setup, &steps).await;
    let saved = std::fs::read_to_string(setup.home.join("project/talk.md")).unwrap();
    let order = [
        "## Instructions",
        "## You\n\nquestion one\n",
        "## Tool\n\n[Result of mcp__one__echo] from the tool\n",
        "## Assistant\n\nAnswered.\n",
        "## Summary\n\nin short\n",
        "## You\n\nquestion two\n",
        "## Assistant\n\nOnce more.\n",
    ];
    let places: Vec<_> = order.iter().map(|text| saved.find(text)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{saved}");
}

#[tokio::test]
async fn thinking_is_shown_if_the_person_wants_it() {
    let thinks = |answer: &str| {
        let thought = json!({"message": {"content": "", "thinking": "Hm, roses."}, "done": false});
        let thought = Step::Piece(format!("{thought}\n").into_bytes());
        let said = crate::cone_service::piece(answer);
        [vec![Step::Head(LINES), thought, said], end().to_vec()].concat()
    };
    let provider = ModelServer::start(vec![thinks("One."), thinks("Two."), thinks("Three.")]).await;
    let Some(setup) = chat_home("chat-thinking", &provider, &[]).await else { return };
    let steps = [
        (READY, "first\r"),
        ("One.", ""),
        (READY, "/thinking\r"),
        ("is shown", ""),
        (READY, "second\r"),
        ("Two.", ""),
        (READY, "/thinking\r"),
        ("is not shown", ""),
        (READY, "third\r"),
        ("Three.", ""),
        LEAVE,
    ];
    let shown = screen(&chat(&setup, &steps).await, COLUMNS);
    assert_eq!(shown.matches("Hm, roses.").count(), 1, "{shown}");
    assert!(shown.contains("> second\nHm, roses.\n\nTwo."), "{shown}");
}

/// The smallest picture: a GIF of one pixel.
const PIXEL: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

#[tokio::test]
async fn pictures_and_files_that_are_mentioned_go_along_or_are_missed() {
    for sees in [true, false] {
        let provider = ModelServer::start(vec![says("I see."), says("Still.")]).await;
        let Some(mut setup) = Setup::new("chat-pictures").await else { return };
        let capabilities = if sees { r#"["tools", "images"]"# } else { r#"["tools"]"# };
        let model = format!("\n[providers.test.models.m]\ncapabilities = {capabilities}\n");
        setup.settings(&(chat_settings(&provider, &[]) + &model)).write();
        std::fs::write(setup.home.join("project/pixel.gif"), PIXEL).unwrap();
        std::fs::write(setup.home.join("project/broken.png"), "no picture").unwrap();
        let steps = [
            (READY, "what is @pixel.gif, @broken.png or @mising.txt?\r"),
            ("I see.", ""),
            (READY, "and now?\r"),
            ("Still.", ""),
            LEAVE,
        ];
        let shown = chat(&setup, &steps).await;
        assert!(shown.contains("@mising.txt: there is no such file here"), "{shown}");
        assert!(shown.contains("@broken.png: models take PNG, JPEG, GIF and WebP"), "{shown}");
        assert_eq!(shown.contains("is not known to take pictures"), !sees, "{shown}");
        for request in provider.seen() {
            // Every request of the chat repeats the picture.
            let messages = request.body["messages"].as_array().unwrap();
            let asked = messages.iter().find(|it| it["role"] == "user").unwrap();
            let pictures = asked["images"].as_array().map_or(0, Vec::len);
            assert_eq!(pictures, usize::from(sees), "{asked}");
            assert!(asked["content"].as_str().unwrap().contains("@mising.txt"), "{asked}");
        }
    }
}

#[tokio::test]
async fn rules_are_shown_and_written_and_what_is_held_back_is_approved() {
    let say = |tool: &str| wants(&[(tool, json!({"m": "hi"}))]);
    let provider = ModelServer::start(vec![
        say("mcp__one__say"),
        says("First."),
        say("mcp__one__held"),
        says("Second."),
    ])
    .await;
    let Some(mut setup) = Setup::new("chat-approve").await else { return };
    setup.settings(&settings(&provider)).script("one", SERVER).write();
    person_runs(&setup, &["tools"]).await;
    // From here on, the description of `held` differs.
    std::fs::write(setup.file("script"), "").unwrap();
    person_runs(&setup, &["call", "one/say", "m=x"]).await;
    let steps = [
        ("tools that have changed are held back: held", ""),
        (READY, "/permissions deny one/say\r"),
        (READY, "/permissions\r"),
        ("one/say", ""),
        ("deny", ""),
        ("/permissions allow|ask|deny TOOL", ""),
        (READY, "go\r"),
        ("First.", ""),
        (READY, "/approve one\r"),
        ("> No [1]", "y\r"),
        (READY, "again\r"),
        ("Second.", ""),
        LEAVE,
    ];
    let shown = chat(&setup, &steps).await;
    let results = crate::chat_setup::results(&provider.seen().pop().unwrap());
    assert!(results[0].contains("denied"), "{results:?}\n{shown}");
    assert_eq!(results[1], "said hi", "{shown}");
}

#[tokio::test]
async fn a_prompt_asks_for_what_it_requires() {
    let provider = ModelServer::start(vec![says("Understood.")]).await;
    let Some(setup) = chat_home("chat-prompt", &provider, &[]).await else { return };
    let steps = [
        (READY, "/memory_decision\r"),
        ("decision (What was decided)", "Use SQLite\r"),
        ("Understood.", ""),
        LEAVE,
    ];
    chat(&setup, &steps).await;
    assert!(last_said(&provider.seen().pop().unwrap()).contains("Use SQLite"));
}

#[tokio::test]
async fn a_question_names_the_sub_agent_and_takes_a_number() {
    let echo = wants(&[("mcp__one__echo", json!({"message": "hi"}))]);
    let task = ("agent", json!({"task": "say hi", "name": "first"}));
    let provider =
        ModelServer::start(vec![wants(&[task]), echo, says("It said hi."), says("All done.")])
            .await;
    let Some(setup) = chat_home("chat-question", &provider, &[]).await else { return };
    let columns = 40;
    let steps = [
        (READY, "go\r"),
        ("Sub-agent `first`: Server `one`", ""),
        ("> No [4]", "1\r"),
        ("All done.", ""),
        LEAVE,
    ];
    let words = ["chat"];
    let (code, shown) = on_terminal(&setup, (ROWS, columns), &steps, &words).await;
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("SHA-256"), "{shown}");
    let seen = provider.seen();
    assert_eq!(crate::chat_setup::results(&seen[2])[0], "hi", "{shown}");
}

#[tokio::test]
async fn a_list_of_tools_that_fails_is_told_to_the_person() {
    let gate = Arc::<Notify>::default();
    let waits = [vec![Step::Wait(Arc::clone(&gate))], says("One.")].concat();
    let provider = ModelServer::start(vec![waits, says("Two.")]).await;
    let Some(setup) = chat_home("chat-list", &provider, &[]).await else { return };
    let mut hub = setup.hobnob(&["serve", "--http", "127.0.0.1:0"]);
    let mut hub =
        hub.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let is_socket = |it: std::fs::DirEntry| it.path().extension() == Some("sock".as_ref());
    let listens = || {
        let files = std::fs::read_dir(setup.home.join("run"));
        files.is_ok_and(|mut files| files.any(|it| is_socket(it.unwrap())))
    };
    until("the hub listens", TIMEOUT, listens).await;
    let seen = setup.file("seen");
    let touch = format!("touch:{seen}");
    let first = [(READY, "one\r"), ("one", ""), (&*touch, ""), ("One.", "")];
    // The chat reads the list again for each question.
    let steps = [&first[..], &[(READY, "two\r"), ("Two.", ""), LEAVE]].concat();
    let killing = async {
        until("the question", TIMEOUT, || Path::new(&seen).exists()).await;
        hub.start_kill().unwrap();
        hub.wait().await.unwrap();
        gate.notify_one();
    };
    let attached = [("TERM", "xterm"), ("NO_COLOR", "1"), ("HOBNOB_NO_REUSE", "")];
    let chat = on_terminal_with(&setup, &attached, (ROWS, COLUMNS), &steps, &["chat"]);
    let ((code, shown), ()) = tokio::join!(chat, killing);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("the tools could not be listed: "), "{shown}");
}
