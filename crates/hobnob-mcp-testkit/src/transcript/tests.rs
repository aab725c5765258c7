//! A script that does not match its server must fail, and say where.

use super::{converse, converse_doing};
use hobnob_mcp_server::Server;
use std::panic::AssertUnwindSafe;

/// Runs a script against a server without tools; returns the panic's text if it failed.
fn failure(script: &str) -> Option<String> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().expect("a runtime");
    let server = Server::builder("probe", "1.0").build().expect("a server");
    let talk = || runtime.block_on(converse(&server, script));
    let panic = std::panic::catch_unwind(AssertUnwindSafe(talk)).err()?;
    let text = panic.downcast_ref::<String>().cloned();
    Some(text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into())).expect("words"))
}

const PING: &str = r#"> {"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn right_scripts_pass() {
    let rights = [
        r#"< {"jsonrpc":"2.0","id":1,"result":{}}"#,
        "# white space and order are no part of JSON\n< {\"result\": {},\n\"id\": 1,\n\"jsonrpc\": \"2.0\"}\n!",
        r#"= {"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"< "$any""#,
        r#"< {"jsonrpc":"$has 2.","id":"$any","result":"$any"}"#,
        "< {\"jsonrpc\":\"2.0\",\"id\":\"$keep id\",\"result\":\"$keep it\"}\n\
         > {\"jsonrpc\":\"2.0\",\"id\":${id}2,\"method\":\"ping\"}\n\
         = {\"jsonrpc\":\"2.0\",\"id\":12,\"result\":${it}}",
        "let empty = {}\n< {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":${empty}}\nend",
    ];
    for script in rights {
        assert_eq!(failure(&format!("{PING}\n{script}")), None, "{script}");
    }
}

#[test]
fn wrong_scripts_fail_and_say_where() {
    let wrongs = [
        ("a wrong value", r#"< {"jsonrpc":"2.0","id":2,"result":{}}"#, "line 2:\n expected"),
        ("a key too many", r#"< {"jsonrpc":"2.0","id":1,"result":{"a":1}}"#, "line 2:\n expected"),
        ("a key too few", r#"< {"jsonrpc":"2.0","id":1}"#, "line 2:\n expected"),
        ("another type", r#"< {"jsonrpc":"2.0","id":"1","result":{}}"#, "line 2:\n expected"),
        ("other bytes", r#"= {"jsonrpc":"2.0", "id":1,"result":{}}"#, "line 2:\n expected"),
        ("text that is not there", r#"< {"jsonrpc":"$has 3","id":1,"result":{}}"#, "line 2:\n exp"),
        (
            "no text at all",
            r#"< {"jsonrpc":"2.0","id":"$has 1","result":{}}"#,
            "line 2:\n expected",
        ),
        ("an answer in place of silence", "!", "line 2: silence expected"),
        ("an answer nobody expected", "", "after the end came"),
        ("an answer after the end", "end", "after the end came"),
        ("more than there is", "< \"$any\"\n< \"$any\"", "line 3: nothing came"),
        ("broken JSON", "< {", "line 2: EOF"),
        ("a word nobody defined", "> ${it}", "line 2: nothing is called `it`"),
        ("a word without an end", "> ${it", "line 2: `${` without `}`"),
        ("a definition without a text", "let it", "line 2: `let` without `=`"),
        ("a step that is none", "expect {}", "line 2: no step begins with"),
        ("silence with a remark", "! {}", "line 2: no step begins with"),
        ("a deed nobody knows", "do wonders", "the test has no action named `wonders`"),
    ];
    for (name, script, expected) in wrongs {
        let found = failure(&format!("{PING}\n{script}"));
        let found = found.unwrap_or_else(|| panic!("{name} passed: {script}"));
        assert!(found.contains(expected), "{name}: {found}");
    }
}

#[test]
fn a_script_must_begin_with_a_step() {
    let found = failure("{}").expect("a failure");
    assert!(found.contains("line 1: no step begins with"), "{found}");
}

/// A `do` step runs in its place: the server has processed all earlier messages by then.
#[tokio::test(start_paused = true)]
async fn deeds_wait_until_all_is_quiet() {
    let server = Server::builder("probe", "1.0").build().expect("a server");
    let mut done = Vec::new();
    let script = format!("do nothing\n{PING}\ndo stop\n< \"$any\"");
    converse_doing(&server, &script, |name| {
        done.push(name.to_owned());
        if name == "stop" {
            server.stop();
        }
    })
    .await;
    assert_eq!(done, ["nothing", "stop"]);
}
