//! `hobnob trees` from outside: tables and drawings for people, JSON for programs, exit codes that
//! mean something.

use serde_json::json;

use crate::cli_config_home::Home;
use crate::memory_cli::{check_refusals, serve};
use crate::memory_client::texts;

/// Two trees, one of them a conversation with two ends, and one that was released.
async fn filled() -> (Home, [String; 4]) {
    let home = Home::new();
    let mut client = serve(&home).await;
    for name in ["main", "other", "old"] {
        let new = json!({"name": name, "owner_id": "ann", "content": "be\u{1b}[31m kind"});
        client.call("arbor_tree_create", new).await;
    }
    let mut ids = Vec::new();
    let root =
        client.call("arbor_tree_get", json!({"tree_id": "main"})).await["root_node_id"].clone();
    ids.push(root.as_str().unwrap().to_owned());
    for (parent, role, content) in
        [(0, "user", "Where is the Café?"), (1, "assistant", "Here"), (1, "assistant", "There")]
    {
        let node = json!({"tree_id": "main", "parent": ids[parent], "role": role,
            "content": content});
        let made = client.call("arbor_node_create_text", node).await;
        ids.push(made["node_id"].as_str().unwrap().to_owned());
    }
    client
        .call("arbor_tree_claim", json!({"tree_id": "main", "owner_id": "bob", "count": 2}))
        .await;
    client.call("arbor_tree_release", json!({"tree_id": "old", "owner_id": "ann"})).await;
    client.end().await;
    (home, ids.try_into().unwrap())
}

#[tokio::test]
async fn trees_are_listed() {
    let (home, _) = filled().await;
    let empty = Home::new();
    let none = empty.ok(&["trees"]);
    assert_eq!((none.stdout.as_str(), none.stderr.trim()), ("", "no trees found"));
    for words in [&["trees"][..], &["trees", "list"]] {
        let listed = home.json(0, words);
        assert_eq!(
            (&listed["count"], texts(&listed["trees"], "name")),
            (&json!(2), vec!["other".to_owned(), "main".to_owned()])
        );
        let table = home.ok(words).stdout;
        let header: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
        assert_eq!(header, ["ID", "NAME", "STATE", "NODES", "CLAIMED", "BY", "CHANGED"]);
        let row = table.lines().find(|line| line.contains("main")).unwrap();
        assert!(row.starts_with("tree_") && row.contains("ann, bob ×2"), "{row}");
        assert!(row.ends_with("just now"), "{row}");
    }
    let scheduled = home.json(0, &["trees", "list", "--state", "scheduled"]);
    assert_eq!(texts(&scheduled["trees"], "name"), ["old"]);
    assert_eq!(home.json(0, &["trees", "list", "--state", "archived"])["count"], 0);
}

#[tokio::test]
async fn a_tree_is_read_by_its_uri() {
    let (home, [root, ..]) = filled().await;
    for uri in ["arbor://tree/main".to_owned(), format!("arbor://tree/main/node/{root}")] {
        let read = home.json(0, &["read", &uri]);
        assert_eq!(read["contents"][0]["uri"], uri, "{read}");
        assert!(!home.ok(&["read", &uri]).stdout.is_empty(), "{uri}");
    }
    // Watching begins with reading.
    let watched = ["watch", "arbor://tree/nowhere", "--count", "1"];
    let read = ["read", "arbor://tree/nowhere"];
    let refusals: [(&[&str], i32, &str); 2] = [(&watched, 1, "nowhere"), (&read, 1, "nowhere")];
    check_refusals(&home, &refusals);
    assert!(!home.run(&read).stderr.contains("hobnob resources"), "it is not looked for elsewhere");
}

#[tokio::test]
async fn a_tree_is_drawn() {
    let (home, [root, asked, here, there]) = filled().await;
    let expected = format!(
        "{root} system: be\\u{{1b}}[31m kind\n{asked} user: Where is the Café?\n\
         ├─ {here} assistant: Here\n└─ {there} assistant: There\n"
    );
    let drawn = home.ok(&["trees", "render", "main"]);
    assert_eq!((drawn.stdout.as_str(), drawn.stderr.as_str()), (expected.as_str(), ""));
    let json = home.json(0, &["trees", "render", "main"]);
    assert_eq!(json, json!({"tree_id": "main", "text": expected, "lines": 4, "truncated": false}));
    let id = home.json(0, &["trees"])["trees"][1]["tree_id"].as_str().unwrap().to_owned();
    assert_eq!(home.ok(&["trees", "render", &id]).stdout, expected);
    let part = home.ok(&["trees", "render", "main", "--lines", "2"]);
    assert_eq!(part.stdout.lines().count(), 2);
    assert_eq!(part.stderr.trim(), "these are the first 2 lines; --lines prints more");
    assert_eq!(home.json(0, &["trees", "render", "main", "--lines", "2"])["truncated"], true);
}

#[tokio::test]
async fn nodes_are_found() {
    let (home, [_, asked, ..]) = filled().await;
    let found = home.json(0, &["trees", "search", "cafe", "WHERE"]);
    assert_eq!(found["count"], 1);
    assert_eq!(found["nodes"][0]["node"]["node_id"], asked.as_str());
    let table = home.ok(&["trees", "search", "café"]).stdout;
    let row = table.lines().nth(1).unwrap();
    assert!(row.starts_with("main") && row.ends_with("Where is the Café?"), "{row}");
    let many = home.ok(&["trees", "search", "kind", "--limit", "1"]);
    assert!(many.stderr.starts_with("these are the newest 1"), "{}", many.stderr);
    let none = home.ok(&["trees", "search", "nowhere"]);
    assert_eq!((none.stdout.as_str(), none.stderr.trim()), ("", "no nodes found"));
}

#[test]
fn what_is_asked_wrongly_has_its_exit_code() {
    let home = Home::new();
    check_refusals(
        &home,
        &[
            (&["trees", "render", "nobody"], 3, "tree not found: nobody"),
            (&["trees", "render"], 2, "TREE"),
            (&["trees", "search"], 2, "WORDS"),
            (&["trees", "search", "  "], 3, "query: it must have 1 to 20 words"),
            (&["trees", "search", "x", "--limit", "0"], 2, "1..=500"),
            (&["trees", "list", "--state", "wrong"], 2, "possible values"),
            (&["trees", "dance"], 2, "unrecognized subcommand"),
        ],
    );
    home.write("hobnob/config/config.toml", "[services]\narbor = false\n");
    let off: &[&str] = &["trees"];
    check_refusals(&home, &[(off, 5, "the arbor service is off")]);
}
