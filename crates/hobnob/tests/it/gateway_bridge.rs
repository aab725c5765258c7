//! The bridge: every revision of clients against upstreams of both eras, the same scenarios.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::faults_client::{Client, MODERN, REVISIONS, able, text_of};
use crate::faults_setup::{ALLOW, Setup, times, until};
use crate::program::within;

/// Every client against an upstream, the newest of each era against both eras; with
/// `SLOW_TESTS=1` every client against every upstream.
fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let usual = [
        ("2024-11-05", "modern"),
        ("2025-03-26", "legacy"),
        ("2025-06-18", "modern"),
        ("2025-11-25", "legacy"),
        ("2025-11-25", "modern"),
        (MODERN, "legacy"),
        (MODERN, "dual"),
    ];
    let each = |revision| ["legacy", "modern", "dual"].map(|era| (revision, era));
    let all = REVISIONS.into_iter().flat_map(each).collect::<Vec<_>>();
    let count = times(usual.len(), all.len());
    if count == all.len() { all } else { usual.to_vec() }.into_iter()
}

async fn setup(test: &str, revision: &str, era: &str) -> Option<Setup> {
    let mut setup = Setup::new(&format!("{test}-{revision}-{era}")).await?;
    setup.upstream("up", &["--era", era]);
    Some(setup)
}

#[tokio::test]
async fn lists_calls_and_reads() {
    for (revision, era) in pairs() {
        let Some(setup) = setup("plain", revision, era).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        let pair = format!("client {revision}, upstream {era}");
        assert!(client.tools().await.iter().any(|it| it == "mcp__up__echo"), "{pair}");
        assert_eq!(client.text("mcp__up__echo", json!({"message": "é✓"})).await, "é✓", "{pair}");
        let failed = client.call("mcp__up__fail", json!({})).await;
        assert_eq!(failed["result"]["isError"], true, "{pair}: {failed}");
        let refused = client.call("mcp__up__refuse", json!({})).await;
        assert_eq!(refused["error"]["code"], -32000, "{pair}: {refused}");
        assert_eq!(refused["error"]["data"], json!({"why": "because"}), "{pair}: {refused}");
        let uri = "mcp://up/test://notes/1";
        let listed = client.ask("resources/list", json!({})).await;
        let has = listed["result"]["resources"].as_array().unwrap();
        assert!(has.iter().any(|it| it["uri"] == uri), "{pair}: {listed}");
        let read = client.ask("resources/read", json!({"uri": uri})).await;
        let content = &read["result"]["contents"][0];
        assert_eq!((&content["uri"], &content["text"]), (&json!(uri), &json!("version 0")));
        let missing = json!({"uri": "mcp://up/test://nowhere"});
        let missing = client.ask("resources/read", missing).await;
        let code = if revision == MODERN { -32602 } else { -32002 };
        assert_eq!(missing["error"]["code"], code, "{pair}: {missing}");
        assert_eq!(missing["error"]["data"]["uri"], "mcp://up/test://nowhere", "{pair}");
        let got = client.ask("prompts/get", json!({"name": "mcp__up__greet"})).await;
        let said = &got["result"]["messages"][0]["content"]["text"];
        assert_eq!(said, "prompt of up", "{pair}: {got}");
        let complete = json!({"ref": {"type": "ref/prompt", "name": "mcp__up__greet"},
                              "argument": {"name": "topic", "value": "rai"}});
        let complete = client.ask("completion/complete", complete).await;
        assert_eq!(complete["result"]["completion"]["values"], json!(["rai!"]), "{pair}");
        client.end().await;
    }
}

#[tokio::test]
async fn progress_and_log_messages_pass() {
    for (revision, era) in pairs() {
        let Some(setup) = setup("notes", revision, era).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        let pair = format!("client {revision}, upstream {era}");
        if revision != MODERN {
            client.ask("logging/setLevel", json!({"level": "debug"})).await;
        }
        let params = json!({"name": "mcp__up__advance", "arguments": {"steps": 3, "ms": 60},
                            "_meta": {"progressToken": "tok"}});
        let done = client.ask("tools/call", params).await;
        assert_eq!(text_of(&done), "arrived", "{pair}");
        let progress = client.notified("notifications/progress").await;
        assert_eq!(progress["params"]["progressToken"], "tok", "{pair}: {progress}");
        assert_eq!(progress["params"]["total"].as_f64(), Some(3.0), "{pair}: {progress}");
        let params = json!({"name": "mcp__up__talk", "arguments": {"message": "so"},
                            "_meta": {"io.modelcontextprotocol/logLevel": "debug"}});
        client.ask("tools/call", params).await;
        let log = client.notified("notifications/message").await;
        assert_eq!(log["params"]["data"], json!({"said": "so"}), "{pair}: {log}");
        client.end().await;
    }
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_over_there() {
    for (revision, era) in pairs() {
        let Some(setup) = setup("cancel", revision, era).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        let pair = format!("client {revision}, upstream {era}");
        let id = client.send_call("mcp__up__nap", json!({"ms": 600_000})).await;
        let limit = Duration::from_secs(20);
        until("it runs", limit, || setup.noted("up", "napping") == 1).await;
        client.tell("notifications/cancelled", json!({"requestId": id})).await;
        until(&pair, limit, || setup.noted("up", "stopped") == 1).await;
        assert_eq!(client.text("mcp__up__echo", json!({"message": "on"})).await, "on", "{pair}");
        client.end().await;
    }
}

#[tokio::test]
async fn questions_in_the_middle_of_a_call_reach_the_client() {
    for (revision, era) in pairs() {
        let Some(setup) = setup("ask", revision, era).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        let pair = format!("client {revision}, upstream {era}");
        assert_eq!(client.text("mcp__up__sample", json!({})).await, "sampled", "{pair}");
        let roots = client.text("mcp__up__roots", json!({})).await;
        assert_eq!(roots, "file:///of/the/client", "{pair}");
        if revision >= "2025-06-18" {
            assert_eq!(client.text("mcp__up__elicit", json!({})).await, "accept:me", "{pair}");
            assert_eq!(client.text("mcp__up__twice", json!({})).await, "me+me", "{pair}");
            client.answering = |_, _| json!({"action": "decline"});
            let declined = client.text("mcp__up__elicit", json!({})).await;
            assert_eq!(declined, "decline:None", "{pair}");
        } else {
            let response = client.call("mcp__up__elicit", json!({})).await;
            let failed = response["error"].is_object() || response["result"]["isError"] == true;
            assert!(failed, "{pair}: {response}");
        }
        assert_eq!(client.status_of("up").await["in_flight"], 0, "{pair}");
        client.end().await;
    }
}

#[tokio::test]
async fn a_client_that_can_nothing_fails_the_question_not_the_server() {
    for (revision, era) in pairs() {
        let Some(setup) = setup("cannot", revision, era).await else { return };
        let mut client = Client::begin(&setup, revision, json!({})).await;
        let pair = format!("client {revision}, upstream {era}");
        for tool in ["mcp__up__elicit", "mcp__up__sample", "mcp__up__roots"] {
            let response = client.call(tool, json!({})).await;
            let failed = response["error"].is_object() || response["result"]["isError"] == true;
            assert!(failed, "{pair}: {tool}: {response}");
        }
        assert_eq!(client.text("mcp__up__echo", json!({"message": "on"})).await, "on", "{pair}");
        assert_eq!(client.status_of("up").await["in_flight"], 0, "{pair}");
        assert_eq!(setup.noted("up", "start"), 1, "{pair}");
        client.end().await;
    }
}

#[tokio::test]
async fn a_page_that_must_be_visited_first_is() {
    for revision in ["2025-11-25", MODERN] {
        let Some(setup) = setup("page", revision, "legacy").await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        let response = client.call("mcp__up__page", json!({})).await;
        // Either the client goes there and the call continues, or the answer says to go there.
        if response["error"].is_object() {
            assert_eq!(response["error"]["code"], -32042, "{revision}: {response}");
            let page = &response["error"]["data"]["elicitations"][0];
            assert_eq!(page["url"], "https://example.com/x", "{revision}: {response}");
            assert_eq!(client.text("mcp__up__page", json!({})).await, "visited");
        } else {
            assert_eq!(text_of(&response), "visited", "{revision}: {response}");
        }
        client.end().await;
    }
}

#[tokio::test]
async fn watched_resources_are_announced_by_those_that_can_and_polled_where_they_cannot() {
    for (revision, era) in pairs() {
        for able_to_tell in [true, false] {
            if !able_to_tell && (revision < "2025-11-25" || era == "dual") {
                continue;
            }
            let Some(mut setup) = setup("watch", revision, era).await else { return };
            let mut switches = vec!["--era", era];
            switches.extend((!able_to_tell).then_some("--no-subscribe"));
            setup.upstream("up", &switches);
            setup.settings(&format!("[gateway]\npoll_interval = \"1s\"\n{ALLOW}"));
            let mut client = Client::begin(&setup, revision, able()).await;
            let pair = format!("client {revision}, upstream {era}, tells {able_to_tell}");
            let uri = "mcp://up/test://notes/1";
            if revision == MODERN {
                let wanted = json!({"notifications": {"resourceSubscriptions": [uri]}});
                client.send("subscriptions/listen", wanted).await;
                client.notified("notifications/subscriptions/acknowledged").await;
            } else {
                let done = client.ask("resources/subscribe", json!({"uri": uri})).await;
                assert_eq!(done["result"], json!({}), "{pair}: {done}");
            }
            let begun = || match (able_to_tell, era) {
                (true, "legacy") => setup.noted("up", "subscribe") > 0,
                (true, _) => setup
                    .journal("up")
                    .iter()
                    .any(|it| it["wanted"]["resourceSubscriptions"].is_array()),
                (false, _) => setup.noted("up", "read") > 0,
            };
            until(&pair, Duration::from_secs(20), begun).await;
            client.text("mcp__up__touch", json!({})).await;
            let notification = client.notified("notifications/resources/updated").await;
            assert_eq!(notification["params"]["uri"], uri, "{pair}: {notification}");
            client.end().await;
        }
    }
}

#[tokio::test]
async fn changed_lists_are_announced() {
    for (revision, era) in pairs() {
        let Some(mut setup) = setup("changed", revision, era).await else { return };
        setup.settings(&format!("[gateway]\npins = false\n{ALLOW}"));
        let mut client = Client::begin(&setup, revision, able()).await;
        let pair = format!("client {revision}, upstream {era}");
        client.tools().await;
        if revision == MODERN {
            let wanted = json!({"notifications": {"toolsListChanged": true}});
            client.send("subscriptions/listen", wanted).await;
            client.notified("notifications/subscriptions/acknowledged").await;
        }
        if era != "legacy" {
            let listens = || setup.noted("up", "listen") > 0;
            until(&pair, Duration::from_secs(20), listens).await;
        }
        client.text("mcp__up__grow", json!({"name": "new"})).await;
        // The first lists of a server are a change, too.
        loop {
            client.notified("notifications/tools/list_changed").await;
            if client.tools().await.iter().any(|it| it == "mcp__up__new") {
                break;
            }
        }
        client.end().await;
    }
}

/// The raw output of the program after this line.
async fn raw(setup: &Setup, revision: &str, line: &str) -> String {
    let mut child = setup.hobnob(&["serve"]).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut said = String::new();
    if revision != MODERN {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {},
            "clientInfo": {"name": "it", "version": "1"}}});
        said += &format!("{hello}\n");
        said += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    }
    stdin.write_all((said + line + "\n").as_bytes()).await.unwrap();
    drop(stdin);
    let output = within("its end", child.wait_with_output()).await.unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn what_nobody_knows_passes_untouched() {
    for (revision, era) in pairs() {
        let Some(setup) = setup("odd", revision, era).await else { return };
        setup.write();
        let pair = format!("client {revision}, upstream {era}");
        let mut meta = r#""vendor/trace":"t1""#.to_owned();
        if revision == MODERN {
            meta += &format!(
                r#","io.modelcontextprotocol/protocolVersion":"{MODERN}",
                "io.modelcontextprotocol/clientInfo":{{"name":"it","version":"1"}},
                "io.modelcontextprotocol/clientCapabilities":{{}}"#
            )
            .replace('\n', "");
        }
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{{"name":"mcp__up__given","arguments":{{"n":9007199254740993,"t":"a\u0000b"}},"_meta":{{{meta}}}}}}}"#
        );
        let odd = line.replace("mcp__up__given", "mcp__up__odd").replace(":77,", ":78,");
        let said = raw(&setup, revision, &format!("{line}\n{odd}")).await;
        let given = said.lines().find(|line| line.contains(r#""id":77"#)).expect("an answer");
        let given = text_of(&serde_json::from_str(given).unwrap());
        let given: Value = serde_json::from_str(&given).unwrap();
        assert_eq!(given["arguments"]["n"].to_string(), "9007199254740993", "{pair}");
        assert_eq!(given["arguments"]["t"], "a\0b", "{pair}");
        assert_eq!(given["meta"]["vendor/trace"], "t1", "{pair}: {given}");
        let mut kept = vec![
            r#""vendor":{"n":12345678901234567890123}"#,
            r#""x-unknown":[null,true]"#,
            r#""vendor/key":"kept""#,
        ];
        if revision >= "2025-06-18" {
            kept.push(r#"{"big":9007199254740993,"deep":{"list":[1.10,2e400]}}"#);
        }
        for part in kept {
            assert!(said.contains(part), "{pair}: {part} is not in {said}");
        }
    }
}

#[tokio::test]
async fn a_result_that_is_too_large_is_read_in_pages() {
    for (revision, era) in [("2024-11-05", "modern"), ("2025-11-25", "legacy"), (MODERN, "dual")] {
        let Some(setup) = setup("big", revision, era).await else { return };
        let mut client = Client::begin(&setup, revision, able()).await;
        let pair = format!("client {revision}, upstream {era}");
        let bytes = 1_000_000;
        let response = client.call("mcp__up__big", json!({"bytes": bytes})).await;
        let whole = response.to_string();
        assert!(whole.len() < 300_000, "{pair}: {} bytes", whole.len());
        let at = whole.find("hobnob://results/").unwrap_or_else(|| panic!("{pair}: {whole:.300}"));
        let length = whole[at..].find(['"', ' ', '\\', '<', '>', ')', '`']).unwrap();
        let mut uri = whole[at..at + length].trim_end_matches(['.', ',', ';']).to_owned();
        let mut read = whole.matches('x').count();
        let mut pages = 0;
        while pages < 50 {
            let page = client.ask("resources/read", json!({"uri": uri})).await;
            assert!(page["error"].is_null(), "{pair}: {uri}: {page}");
            pages += 1;
            let text = page["result"]["contents"].to_string();
            read = read.max(text.matches('x').count() * pages);
            let next = format!("page={}", pages + 1);
            let Some(at) = text.find(&next) else { break };
            let start = text[..at].rfind("hobnob://results/").unwrap();
            uri = text[start..at + next.len()].to_owned();
        }
        assert!((2..50).contains(&pages), "{pair}: {pages} pages");
        client.end().await;
    }
}

#[tokio::test]
async fn a_tool_that_runs_as_a_task_is_a_task_for_who_can_and_a_call_for_the_others() {
    for revision in REVISIONS {
        for era in ["legacy", "modern"] {
            let Some(mut setup) = setup("task", revision, era).await else { return };
            setup.upstream("up", &["--era", era, "--tasks", "required"]);
            let mut able = able();
            if revision == MODERN {
                able["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
            }
            let mut client = Client::begin(&setup, revision, able).await;
            let pair = format!("client {revision}, upstream {era}");
            client.tools().await;
            let arguments = json!({"name": "mcp__up__nap", "arguments": {"ms": 300}});
            match revision {
                "2025-11-25" => {
                    let mut asked = arguments.clone();
                    asked["task"] = json!({});
                    let begun = client.ask("tools/call", asked).await;
                    let id = &begun["result"]["task"]["taskId"];
                    assert!(id.is_string(), "{pair}: {begun}");
                    let done = client.ask("tasks/result", json!({"taskId": id})).await;
                    assert_eq!(text_of(&done), "slept", "{pair}: {done}");
                }
                MODERN => {
                    let begun = client.ask("tools/call", arguments).await;
                    assert_eq!(begun["result"]["resultType"], "task", "{pair}: {begun}");
                    let id = begun["result"]["taskId"].clone();
                    let done = loop {
                        let view = client.ask("tasks/get", json!({"taskId": id})).await;
                        if view["result"]["status"] != "working" {
                            break view;
                        }
                    };
                    let text = &done["result"]["result"]["content"][0]["text"];
                    assert_eq!(text, "slept", "{pair}: {done}");
                }
                _ => {
                    let done = client.ask("tools/call", arguments).await;
                    assert_eq!(text_of(&done), "slept", "{pair}: {done}");
                }
            }
            assert!(setup.noted("up", "task") >= 1, "{pair}");
            client.end().await;
        }
    }
}
