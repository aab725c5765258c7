//! Servers that use the model of a chat: with the person's consent, within a budget, and in scripts
//! only where that was allowed. The server asks in both eras: on its session, and in its result.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::cli_hostile::on_terminal;
use crate::cone_tools::{says, settings, wants};
use crate::faults_setup::{ALLOW, Setup};
use crate::model_server::{ModelServer, Request};
use crate::program::within;

const READY: &str = "> ";
const LEAVE: (&str, &str) = (READY, "/quit\r");
const ERAS: [&str; 2] = ["legacy", "modern"];

async fn setup(name: &str, era: &str, provider: &ModelServer, chat: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    let text = format!("[chat]\n{chat}\n{}{ALLOW}", settings(provider));
    setup.settings(&text).upstream("one", &["--era", era]).write();
    Some(setup)
}

/// The model calls the tool that asks for sampling.
fn sample() -> Vec<crate::model_server::Step> {
    wants(&[("mcp__one__sample", json!({}))])
}

/// The messages of a request, one line each.
fn messages(request: &Request) -> Vec<String> {
    let messages = request.body["messages"].as_array().unwrap();
    let line = |it: &Value| {
        format!("{}: {}", it["role"].as_str().unwrap(), it["content"].as_str().unwrap())
    };
    messages.iter().map(line).collect()
}

/// Whether a request is the server's: it contains nothing of the chat.
fn is_lent(request: &Request) -> bool {
    request.body["tools"].as_array().is_none_or(Vec::is_empty)
        && messages(request).iter().all(|line| !line.contains("hobnob chat"))
}

#[tokio::test]
async fn a_person_lends_the_model_once_for_the_chat_or_never() {
    for era in ERAS {
        let question = json!({
            "systemPrompt": "be brief",
            "messages": [{"role": "user", "content":
                {"type": "text", "text": "Say \u{1b}[31msomething\nMay it use the model?"}}],
            "maxTokens": 10,
        });
        let provider = ModelServer::start(vec![
            wants(&[("mcp__one__sample", question)]),
            says("words for the server"),
            says("first done"),
            sample(),
            says("second done"),
            sample(),
            says("more words"),
            says("third done"),
            sample(),
            says("even more words"),
            says("fourth done"),
        ])
        .await;
        let Some(setup) = setup("lend", era, &provider, "").await else { return };
        let (up, down) = ("\u{1b}[A", "\u{1b}[B");
        let for_chat = format!("{up}\r");
        let steps = [
            (READY, "one\r"),
            ("wants to use the model of this chat", ""),
            ("> No", "y\r"),
            ("first done", ""),
            (READY, "two\r"),
            ("wants to use the model of this chat", ""),
            // Enter, pressed without looking, agrees to nothing.
            ("> No", "\r"),
            ("second done", ""),
            (READY, "three\r"),
            ("wants to use the model of this chat", ""),
            ("> No", &for_chat),
            ("third done", ""),
            (READY, "four\r"),
            ("fourth done", ""),
            (READY, "/cost\r"),
            ("context:", ""),
            LEAVE,
        ];
        let (code, shown) = on_terminal(&setup, (60, 120), &steps, &["chat"]).await;
        assert_eq!(code, 0, "{shown}");
        assert!(shown.contains("server `one` wants to use the model of this chat (test/m)"));
        assert!(shown.contains("│ Say \\u{1b}[31msomething"), "{shown}");
        assert!(
            shown.contains("│ May it use the model?") && shown.contains("│ be brief"),
            "{shown}"
        );
        assert!(shown.contains("at most 10 tokens"), "{shown}");
        assert!(!shown.contains("\u{1b}[31m"), "{shown}");
        assert!(shown.contains("server `one` has used the model: 3 tokens"), "{shown}");
        let seen = provider.seen();
        let lent: Vec<&Request> = seen.iter().filter(|it| is_lent(it)).collect();
        assert_eq!((seen.len(), lent.len()), (11, 3), "{shown}");
        let asked = messages(lent[0]);
        assert_eq!(
            asked,
            ["system: be brief", "user: Say \u{1b}[31msomething\nMay it use the model?"]
        );
        assert_eq!(lent[0].body["options"]["num_predict"], 10, "{}", lent[0].body);
        let end = messages(&seen[10]).join("\n");
        assert!(end.contains("tool: words for the server"), "{end}");
        assert!(end.contains("the person refused to lend the model"), "{end}");
        assert!(end.contains("tool: even more words"), "{end}");
        // Eleven requests, each with one token sent and two written: all are counted.
        assert!(shown.contains("tokens: 11 sent, 0 from the cache, 22 written"), "{shown}");

        let provider =
            ModelServer::start(vec![sample(), says("first done"), sample(), says("second done")])
                .await;
        let Some(setup) = self::setup("never-lend", era, &provider, "").await else { return };
        let never = format!("{down}\r");
        let steps = [
            (READY, "one\r"),
            ("> No", &never),
            ("first done", ""),
            (READY, "two\r"),
            ("second done", ""),
            LEAVE,
        ];
        let (code, shown) = on_terminal(&setup, (60, 120), &steps, &["chat"]).await;
        assert_eq!(code, 0, "{shown}");
        assert_eq!(shown.matches("wants to use the model").count(), 1, "{shown}");
        assert_eq!(provider.seen().len(), 4, "{shown}");
    }
}

/// Asks one question; returns the calls' results, the events, and how often the model was lent.
async fn once(era: &str, chat: &str, words: &[&str]) -> Option<(String, Vec<Value>, usize)> {
    let provider = ModelServer::start(vec![
        wants(&[("mcp__one__sample", json!({})), ("mcp__one__sample", json!({}))]),
        says("lent"),
        says("lent"),
        says("done"),
    ])
    .await;
    let setup = setup("lend-once", era, &provider, chat).await?;
    let words = [&["chat", "--json", "-p", "go"], words].concat();
    let mut command = setup.hobnob(&words);
    let output = within("chat", command.stdin(Stdio::null()).output()).await.unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let results = events.iter().filter(|it| it["type"] == "tool_result");
    let results: Vec<&str> = results.map(|it| it["output"].as_str().unwrap()).collect();
    let lent = provider.seen().iter().filter(|it| is_lent(it)).count();
    Some((results.join("\n"), events, lent))
}

#[tokio::test]
async fn in_a_script_the_model_is_lent_where_that_is_allowed() {
    let how = "pass `--allow-sampling one`, or name it in sampling_servers of [chat]";
    let (legacy, modern) = ("legacy", "modern");
    for (era, chat, words, lends, said) in [
        (legacy, "", &[][..], 0, how),
        (modern, "", &[], 0, how),
        // Consent to every call is not consent to sampling.
        (legacy, "", &["--allow", "*"], 0, how),
        (legacy, "sampling_servers = [\"two\"]", &[], 0, how),
        (legacy, "", &["--allow-sampling", "o*"], 2, "lent\nlent"),
        (modern, "sampling_servers = [\"one\"]", &[], 2, "lent\nlent"),
        // An answer takes three tokens; two at once share what is left.
        (legacy, "sampling_tokens = 1", &["--allow-sampling", "*"], 1, "sampling_tokens of [chat]"),
        (modern, "sampling_tokens = 1", &["--allow-sampling", "*"], 1, "sampling_tokens of [chat]"),
        (legacy, "sampling_tokens = 0", &["--allow-sampling", "*"], 0, "capability"),
    ] {
        let Some((results, events, lent)) = once(era, chat, words).await else { return };
        assert_eq!(lent, lends, "{era} {chat} {words:?}: {results}");
        assert!(results.contains(said), "{era} {chat} {words:?}: {results}");
        let told = events.iter().filter(|it| it["type"] == "sampling");
        let told: Vec<&Value> = told.map(|it| &it["by"]).collect();
        assert_eq!(told, vec!["server `one`"; lends], "{era} {chat} {words:?}");
        let requests = u64::try_from(lends + 2).unwrap();
        let usage = &events.last().unwrap()["usage"]["output"];
        assert_eq!(usage, &json!(2 * requests), "{era} {chat} {words:?}: {events:?}");
    }
}
