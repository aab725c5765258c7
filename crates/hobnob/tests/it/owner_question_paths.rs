//! Every way to a tool that the owner is asked about, and to the owner's questions: by the owner,
//! by a native call, by a call with questions of its own, at a hub with one profile, and by a
//! program that the hub started.

use crate::cli_config_home::{Home, read_json};
use crate::owner_questions::{Hub, TOOL, number_in, text_of};
use crate::principal_logs::{home_with_servers, script};
use crate::program::PROGRAM;
use crate::tokens::ask;
use serde_json::{Value, json};

/// A tool that asks its caller something before it answers.
const CURIOUS: &str = r#"*'"action"'*)
      id=$call result='{"content":[{"type":"text","text":"said"}]}' ;;
    *'"method":"tools/call"'*)
      call=$id
      printf '{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"who":{"type":"string"}}}}}\n'
      continue ;;"#;

/// A tool that runs the program with the arguments after the script.
const SPY: &str = r#"*'"method":"tools/call"'*)
      said=$("$@" 2>&1 | tr -d '\n"\\')
      result='{"content":[{"type":"text","text":"'$said'"}]}' ;;"#;

/// Starts a hub with one more server.
async fn hub_with(name: &str, server: impl FnOnce(&Home) -> Value) -> Hub {
    let home = home_with_servers();
    let mut servers = read_json(&home.own());
    servers["mcpServers"][name] = server(&home);
    home.write("hobnob/config/mcp.json", &servers.to_string());
    Hub::start_in(home, &["serve", "--http", "127.0.0.1:0"]).await
}

#[tokio::test]
async fn the_owner_is_asked_about_own_calls_as_with_any_rule() {
    let hub = Hub::start_in(home_with_servers(), &["serve", "--http", "127.0.0.1:0"]).await;
    let own = hub.home.run(&["call", "loud/say"]);
    assert!(own.code == 4 && own.stderr.contains("this client shows no forms"), "{}", own.stderr);
    assert!(hub.home.ok(&["call", "loud/say", "--yes"]).stdout.contains("said"));
    let questions = hub.questions();
    assert_eq!((questions.len(), &questions[0]["own"]), (1, &json!(true)), "{questions:?}");
    // The rule is for the calls of others too, so no answer to this question changes it.
    let number = questions[0]["question"].to_string();
    let refused = hub.home.run(&["answer", &number, "always"]);
    assert!(refused.stderr.contains("calls of others"), "{}", refused.stderr);
    // The owner's yes to their own call does not count for a member, by any way to the tool.
    let number = hub.asks(&hub.ann, &json!({})).await;
    let native = ask(&hub.server, "/mcp", Some(&hub.ann), "loud.say", json!({})).await.body;
    assert!(native.contains("the owner of this hub was asked"), "{native}");
    hub.answer(number, "yes");
    // Nor is the owner's answer for a member used up by the owner.
    let own = hub.home.run(&["call", "loud/say"]);
    assert!(
        own.stderr.contains(&format!("question {}", questions[0]["question"])),
        "{}",
        own.stderr
    );
    assert_eq!(hub.say(&hub.ann, &json!({})).await, "said");
}

#[tokio::test]
async fn a_yes_counts_through_all_rounds_of_its_call() {
    let curious =
        |_: &Home| json!({"command": "sh", "args": ["-c", script("curious", "say", CURIOUS)]});
    let hub = hub_with("curious", curious).await;
    hub.home.ok(&["ask", "curious", "--owner"]);
    ask(&hub.server, "/mcp", Some(&hub.ann), "tools/list", json!({})).await;
    let (tool, hi) = ("mcp__curious__say", json!({"text": "hi"}));
    let refused = text_of(&hub.call_with(&hub.ann, tool, &hi, json!({})).await);
    let number = refused.split_once("(question ").unwrap().1.split_once(')').unwrap().0;
    hub.answer(number.parse().unwrap(), "yes");
    let asked = hub.call_with(&hub.ann, tool, &hi, json!({})).await;
    let keys = asked["result"]["inputRequests"].as_object().unwrap_or_else(|| panic!("{asked}"));
    let answer = json!({"action": "accept", "content": {"who": "ann"}});
    let answers: Value = keys.keys().map(|key| (key.clone(), answer.clone())).collect();
    let round = json!({"inputResponses": answers, "requestState": asked["result"]["requestState"]});
    // Another principal cannot go on with her call.
    let other = hub.call_with(&hub.bob, tool, &hi, round.clone()).await;
    assert!(!other.to_string().contains("\"said\""), "{other}");
    let done = hub.call_with(&hub.ann, tool, &hi, round.clone()).await;
    assert_eq!(text_of(&done), "said", "{done}");
    let replayed = hub.call_with(&hub.ann, tool, &hi, round).await;
    assert!(text_of(&replayed).contains("the owner of this hub was asked"), "{replayed}");
}

#[tokio::test]
async fn a_hub_with_one_profile_has_questions_too() {
    let home = home_with_servers();
    home.write("hobnob/config/profiles/work.toml", "servers = [\"loud\"]\n");
    let words = ["serve", "--profile", "work", "--http", "127.0.0.1:0"];
    let hub = Hub::start_in(home, &words).await;
    let number = hub.asks(&hub.ann, &json!({})).await;
    assert_eq!(hub.questions()[0]["question"], number);
    hub.answer(number, "yes");
    assert_eq!(hub.say(&hub.ann, &json!({})).await, "said");
    let restarted = hub.home.run(&["restart", "loud"]);
    assert!(restarted.stderr.contains("nothing to restart"), "{}", restarted.stderr);
}

#[tokio::test]
async fn a_program_that_the_hub_started_sees_no_questions() {
    let spy = |home: &Home| {
        let of = |name: &str, folder: &str| format!("{name}={}", home.path(folder).display());
        let (own, hobnob) = (of("HOME", "home"), of("HOBNOB_HOME", "hobnob"));
        // What the hub says of itself in the environment is not what it is known by.
        let clean = ["env", "-i", &own, &hobnob, PROGRAM, "questions"];
        let project = home.path("project");
        let words = ["--project", project.to_str().unwrap()];
        let spy = script("spy", "look", SPY);
        let args = ["-c", &*spy, "spy"]
            .into_iter()
            .chain(clean.iter().copied())
            .chain(words.iter().copied())
            .collect::<Vec<_>>();
        json!({"command": "sh", "args": args})
    };
    let hub = hub_with("spy", spy).await;
    let number = number_in(&hub.say(&hub.bob, &json!({"secret": "canary"})).await);
    let seen = hub.call_with(&hub.ann, "mcp__spy__look", &json!({}), json!({})).await;
    let seen = text_of(&seen);
    assert!(seen.contains("not for programs that Hobnob started"), "{seen}");
    assert!(!seen.contains("canary") && !seen.contains(&number.to_string()), "{seen}");
    assert_eq!(hub.questions()[0]["public"], TOOL, "the owner does");
}
