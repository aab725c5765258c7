//! Rules that name principals and groups, over HTTP: each caller sees and calls what they may.

use crate::principal_logs::home_with_servers;
use crate::program::HttpServer;
use crate::tokens::{ask, create, serve};
use serde_json::{Value, json};

const TOOL: &str = "mcp__loud__say";

/// Whether the tool is in a caller's list, and whether a call of it goes through. The search shows
/// what the list does.
async fn may_use(server: &HttpServer, token: &str) -> (bool, bool) {
    let search = async |tool: &str, arguments: Value| {
        let call = json!({"name": tool, "arguments": arguments});
        let answer = ask(server, "/mcp", Some(token), "tools/call", call).await.body;
        // What was not understood would name the tool, too.
        answer.replace("Unknown tool: mcp__loud__say", "").contains(TOOL)
    };
    let found = search("find_tools", json!({"query": "say something loud"})).await;
    let described = search("describe_tools", json!({"names": [TOOL]})).await;
    let listed = ask(server, "/mcp", Some(token), "tools/list", json!({})).await;
    let listed: Value = serde_json::from_str(&listed.body).unwrap();
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    let call = json!({"name": TOOL, "arguments": {}});
    let called = ask(server, "/mcp", Some(token), "tools/call", call).await;
    let is_listed = tools.iter().any(|tool| tool["name"] == TOOL);
    assert_eq!((found, described), (is_listed, is_listed), "the search");
    (is_listed, called.body.contains("\"said\""))
}

#[tokio::test]
async fn a_rule_for_a_group_is_about_its_members_as_they_are_now() {
    let home = home_with_servers();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    let file = "hobnob/config/config.toml";
    let settings = std::fs::read_to_string(home.path(file)).unwrap();
    // A file, and what it comes to for ann, for bob, and for the owner's list.
    let deny = "[[permissions]]\nserver = \"loud\"\naction = \"deny\"\n";
    let allow = "[[permissions]]\ngroup = \"ops\"\nserver = \"loud\"\naction = \"allow\"\n";
    let not_ann =
        "[[permissions]]\nprincipal = \"token:ann\"\nserver = \"loud\"\naction = \"deny\"\n";
    let cases = [
        (format!("[groups]\nops = []\n{allow}"), true, true, true),
        (format!("[groups]\nops = [\"token:ann\"]\n{deny}{allow}"), true, false, false),
        (format!("[groups]\nops = [\"token:bob\"]\n{deny}{allow}"), false, true, false),
        (not_ann.to_owned(), false, true, true),
    ];
    home.write(file, &format!("{settings}{}", cases[0].0));
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    for (rules, to_ann, to_bob, to_owner) in cases {
        home.write(file, &format!("{settings}{rules}"));
        assert_eq!(may_use(&server, &ann).await, (to_ann, to_ann), "ann: {rules}");
        assert_eq!(may_use(&server, &bob).await, (to_bob, to_bob), "bob: {rules}");
        let owners = home.json(0, &["tools"]).to_string();
        assert_eq!(owners.contains(TOOL), to_owner, "the owner: {rules}: {owners}");
    }
}

/// A tool that stays in the list beside the search is listed for those only who may see it.
#[tokio::test]
async fn a_list_beside_the_search_follows_rules_for_callers() {
    let home = home_with_servers();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    let file = "hobnob/config/config.toml";
    let settings = std::fs::read_to_string(home.path(file)).unwrap();
    let settings = settings.replace("\"never\"", "\"always\"");
    let listed = "[servers.loud]\nalways = true\n";
    let not_ann =
        "[[permissions]]\nprincipal = \"token:ann\"\nserver = \"loud\"\naction = \"deny\"\n";
    home.write(file, &format!("{settings}{listed}{not_ann}"));
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    assert_eq!(may_use(&server, &ann).await, (false, false));
    assert_eq!(may_use(&server, &bob).await, (true, true));
}

#[test]
fn rules_for_callers_are_written_and_shown() {
    let home = home_with_servers();
    let refused = home.run(&["deny", "loud", "--group", "ops"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("there is no group `ops`"), "{}", refused.stderr);
    home.ok(&["user", "add", "ann", "--no-password", "--group", "ops"]);
    let written = home.json(0, &["deny", "loud", "--group", "ops"]);
    assert_eq!((&written[0]["group"], &written[0]["change"]), (&json!("ops"), &json!("added")));
    let written = home.json(0, &["allow", "loud/say", "--principal", "ann"]);
    assert_eq!(written[0]["principal"], "ann", "{written}");
    assert!(written[0].get("overruled").is_none(), "{written}");
    let rules = home.json(0, &["rules"]);
    let expected = json!([
        {"rule": 1, "tool": "*", "action": "allow"},
        {"rule": 2, "server": "loud", "tool": "*", "group": "ops", "members": ["ann"], "action": "deny"},
        {"rule": 3, "server": "loud", "tool": "say", "principal": "ann", "action": "allow"},
    ]);
    assert_eq!(rules, expected);
    let shown = home.ok(&["rules"]).stdout;
    for words in ["everybody", "group ops (ann)", "loud/say"] {
        assert!(shown.contains(words), "{shown}");
    }
    // A missing group makes every rule unusable, so it is an error.
    let file = home.path("hobnob/config/config.toml");
    let settings = std::fs::read_to_string(&file).unwrap().replace("ops = [", "crew = [");
    std::fs::write(&file, settings).unwrap();
    let broken = home.run(&["rules"]);
    assert!(
        broken.code != 0 && broken.stderr.contains("there is no group `ops`"),
        "{}",
        broken.stderr
    );
}
