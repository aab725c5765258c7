//! The tools of trees, called one by one.

use crate::arbor_server::ArborServer;
use hobnob_mcp_types::Method;
use hobnob_services::Presentation;
use serde_json::{Value, json};

async fn server() -> ArborServer {
    let server = ArborServer::new(&Presentation::default());
    server.data("tree_create", json!({"name": "main", "content": "be kind"})).await;
    server
}

fn ids(page: &Value) -> Vec<String> {
    let id = |node: &Value| node["node_id"].as_str().unwrap().to_owned();
    page["nodes"].as_array().unwrap().iter().map(id).collect()
}

#[tokio::test]
async fn a_conversation_branches() {
    let server = server().await;
    let hi = server.say("root", "user", "Hi").await;
    let hello = server.say(&hi, "assistant", "Hello").await;
    let hey = server.say(&hi, "assistant", "Hey").await;
    let handle = json!({"source": "file", "identifier": "a.txt", "metadata": {"size": 3}});
    let file = json!({"tree_id": "main", "parent": hey, "handle": handle, "metadata": {"n": 1}});
    let file = server.data("node_create_external", file).await["node_id"].clone();
    let file = file.as_str().unwrap().to_owned();

    let tree = server.data("tree_get", json!({"tree_id": "main"})).await;
    assert_eq!((&tree["nodes"], &tree["state"]), (&json!(5), &json!("active")));
    assert_eq!(tree["claims"], json!([{"owner_id": "client", "count": 1}]));
    assert_eq!(tree["uri"], "arbor://tree/main");
    let root = tree["root_node_id"].as_str().unwrap().to_owned();
    let by_id = server.data("tree_get", json!({"tree_id": tree["tree_id"]})).await;
    assert_eq!(by_id, tree);

    let of = |node: &str| json!({"tree_id": "main", "node_id": node});
    let node = server.data("node_get", of(&hello)).await;
    let expected = json!({"node_id": hello, "parent_id": hi, "depth": 2, "children": 0,
        "kind": "text", "role": "assistant", "content": "Hello", "created_at": node["created_at"]});
    assert_eq!(node, expected);
    let node = server.data("node_get", of(&file)).await;
    assert_eq!((&node["handle"], &node["metadata"]), (&handle, &json!({"n": 1})));
    assert_eq!(server.data("node_get", of("root")).await["content"], "be kind");
    assert_eq!(server.data("node_get_parent", of(&hi)).await["parent"]["node_id"], json!(root));
    assert_eq!(server.data("node_get_parent", of("root")).await, json!({"parent": null}));
    let children = server.data("node_get_children", of(&hi)).await;
    assert_eq!(ids(&children), [hello.as_str(), hey.as_str()]);
    let path = server.data("node_get_path", of(&file)).await;
    assert_eq!(ids(&path), [&root, &hi, &hey, &file].map(String::as_str));
    let path = server.data("context_get_path", of(&hello)).await;
    let said: Vec<&str> = path["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["be kind", "Hi", "Hello"]);
    let leaves = server.data("context_list_leaves", json!({"tree_id": "main"})).await;
    assert_eq!(ids(&leaves), [hello.as_str(), file.as_str()]);
    assert_eq!(ids(&server.data("context_get_handles", of(&file)).await), [file.as_str()]);
    assert_eq!(server.data("context_get_handles", of(&hello)).await["count"], 0);
    let all = server.data("context_get_handles", json!({"tree_id": "main"})).await;
    assert_eq!(ids(&all), [file.as_str()]);
    let skeleton = server.data("tree_skeleton", json!({"tree_id": "main"})).await;
    assert_eq!(ids(&skeleton), [&root, &hi, &hello, &hey, &file].map(String::as_str));
    assert!(skeleton["nodes"][1].get("content").is_none(), "{skeleton}");

    let drawn = server.data("tree_render", json!({"tree_id": "main"})).await;
    let expected = format!(
        "{root} system: be kind\n{hi} user: Hi\n├─ {hello} assistant: Hello\n\
         └─ {hey} assistant: Hey\n   {file} → file a.txt\n"
    );
    assert_eq!((&drawn["text"], &drawn["truncated"]), (&json!(expected), &json!(false)));
}

#[tokio::test]
async fn lists_come_in_pages() {
    let server = server().await;
    for number in 0..60 {
        server.say("root", "user", &format!("number {number}")).await;
        server.data("tree_create", json!({})).await;
    }
    for (tool, arguments, list, usual, total) in [
        ("tree_list", json!({}), "trees", 50, 61),
        ("node_get_children", json!({"tree_id": "main", "node_id": "root"}), "nodes", 50, 60),
        ("tree_skeleton", json!({"tree_id": "main", "limit": 30}), "nodes", 30, 61),
        ("context_list_leaves", json!({"tree_id": "main", "limit": 7}), "nodes", 7, 60),
    ] {
        let first = server.data(tool, arguments.clone()).await;
        assert_eq!(first["count"], usual, "{tool}");
        let mut seen = Vec::new();
        let mut page = first;
        loop {
            seen.extend(page[list].as_array().unwrap().iter().map(Value::to_string));
            let Some(cursor) = page.get("next_cursor") else { break };
            let mut next = arguments.clone();
            next["cursor"] = cursor.clone();
            page = server.data(tool, next).await;
        }
        assert_eq!(seen.len(), total, "{tool}");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), total, "{tool}");
        let mut wrong = arguments;
        wrong["cursor"] = json!("elsewhere");
        assert!(server.failure(tool, wrong).await.contains("list again without it"), "{tool}");
    }
    // The parts of a drawing joined are the same as the whole drawing.
    let whole = server.data("tree_render", json!({"tree_id": "main"})).await;
    let (mut parts, mut cursor) = (String::new(), Value::Null);
    loop {
        let wanted = json!({"tree_id": "main", "limit": 7, "cursor": cursor});
        let part = server.data("tree_render", wanted).await;
        parts.push_str(part["text"].as_str().unwrap());
        cursor = part["next_cursor"].clone();
        assert_eq!(part["truncated"], !cursor.is_null());
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(whole["text"], parts);
}

#[tokio::test]
async fn claims_decide_how_long_a_tree_stays() {
    let server = server().await;
    let claim =
        |owner: &str, count: u32| json!({"tree_id": "main", "owner_id": owner, "count": count});
    let tree = server.data("tree_claim", claim("ada", 2)).await;
    let counts = json!([{"owner_id": "ada", "count": 2}, {"owner_id": "client", "count": 1}]);
    assert_eq!(tree["claims"], counts);
    let words = server.failure("tree_release", claim("ada", 3)).await;
    assert_eq!(words, "tree main has 2 claims of `ada`, not 3");
    server.data("tree_release", claim("ada", 2)).await;
    let last = server.data("tree_release", json!({"tree_id": "main"})).await;
    assert_eq!(last["state"], "scheduled");
    assert!(last["archived_at"].is_string(), "{last}");
    assert_eq!(server.data("tree_list", json!({})).await["count"], 0);
    let scheduled = server.data("tree_list_scheduled", json!({})).await;
    assert_eq!(scheduled["trees"][0]["name"], "main");
    assert_eq!(server.data("tree_list_archived", json!({})).await["count"], 0);
    let text = json!({"tree_id": "main", "content": "more"});
    let words = server.failure("node_create_text", text.clone()).await;
    assert_eq!(words, "tree main is scheduled: claim it first, then change it (tree_claim)");
    let back = server.data("tree_claim", json!({"tree_id": "main"})).await;
    assert_eq!(back["state"], "active");
    server.data("node_create_text", text).await;
}

#[tokio::test]
async fn metadata_is_an_object() {
    let server = ArborServer::new(&Presentation::default());
    let tree = server.data("tree_create", json!({"metadata": {"z": 1, "a": [null, "ü"]}})).await;
    assert_eq!(tree["metadata"].to_string(), r#"{"z":1,"a":[null,"ü"]}"#);
    assert_eq!(tree.get("name"), None);
    let wanted = json!({"tree_id": tree["tree_id"], "metadata": {"b": 2}});
    let tree = server.data("tree_update_metadata", wanted).await;
    assert_eq!(tree["metadata"], json!({"b": 2}));
    let wanted = json!({"tree_id": tree["tree_id"], "metadata": "text"});
    let words = server.failure("tree_update_metadata", wanted).await;
    assert!(words.contains("arguments.metadata"), "{words}");
}

#[tokio::test]
async fn words_are_searched_for() {
    let server = server().await;
    server.say("root", "user", "Where is the café?").await;
    let there = server.say("root", "assistant", "The CAFE is closed").await;
    let found = server.data("node_search", json!({"query": "cafe"})).await;
    assert_eq!((&found["count"], &found["truncated"]), (&json!(2), &json!(false)));
    let hit = &found["nodes"][0];
    assert_eq!((&hit["tree_name"], &hit["node"]["node_id"]), (&json!("main"), &json!(there)));
    assert_eq!(server.data("node_search", json!({"query": "cafe closed"})).await["count"], 1);
    let none = server.data_for("bob", "node_search", json!({"query": "cafe"})).await;
    assert_eq!(none["count"], 0, "what others said is not found");
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let server = server().await;
    let secret = format!("AKIA{}", "IOSFODNN7EXAMPLF");
    for (tool, arguments, words) in [
        ("tree_get", json!({"tree_id": "no"}), "tree not found: no; list trees with tree_list"),
        ("tree_get", json!({"tree_id": ""}), "tree not found: ; list trees with tree_list"),
        ("node_get", json!({"tree_id": "main", "node_id": "x"}), "list nodes with tree_skeleton"),
        ("tree_create", json!({"name": "main"}), "take another name, or claim that one"),
        ("tree_create", json!({"name": "tree_aaaaaaaaaaaaaaaa"}), "kept for ids"),
        ("tree_create", json!({"name": "a\nb"}), "no control characters"),
        ("tree_create", json!({"other": 1}), "other"),
        ("node_create_text", json!({"tree_id": "main", "content": "x", "role": ""}), "role: 0"),
        ("node_create_text", json!({"tree_id": "main", "content": secret}), "Content blocked"),
        ("tree_create", json!({"metadata": {"key": secret}}), "Content blocked: metadata"),
        ("tree_claim", json!({"tree_id": "main", "count": 0}), "arguments.count"),
        ("node_search", json!({"query": "  "}), "1 to 20 words"),
        (
            "node_create_text",
            json!({"tree_id": "main", "content": "x".repeat((1 << 20) + 1)}),
            "content: 1048577 bytes, at most 1048576 are allowed",
        ),
        (
            "node_create_external",
            json!({"tree_id": "main", "handle": {"source": "s", "identifier": ""}}),
            "handle.identifier: it is empty",
        ),
    ] {
        let said = server.failure(tool, arguments).await;
        assert!(said.contains(words), "{tool}: {said}");
        assert!(!said.contains(&secret), "{tool}: {said}");
    }
    let tree = server.data("tree_get", json!({"tree_id": "main"})).await;
    assert_eq!(tree["nodes"], 1, "nothing was added");
}

/// The names come from an earlier system, and one is our own; a profile lists them with a dot.
#[tokio::test]
async fn schemas_are_closed_and_described() {
    let server = ArborServer::new(&Presentation::default());
    let listed = server.ask("", Method::ToolsList, json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "arbor_context_get_handles",
        "arbor_context_get_path",
        "arbor_context_list_leaves",
        "arbor_node_create_external",
        "arbor_node_create_text",
        "arbor_node_get",
        "arbor_node_get_children",
        "arbor_node_get_parent",
        "arbor_node_get_path",
        "arbor_node_search",
        "arbor_tree_claim",
        "arbor_tree_create",
        "arbor_tree_get",
        "arbor_tree_list",
        "arbor_tree_list_archived",
        "arbor_tree_list_scheduled",
        "arbor_tree_release",
        "arbor_tree_render",
        "arbor_tree_skeleton",
        "arbor_tree_update_metadata",
    ];
    assert_eq!(names, expected);
    for tool in tools {
        let (name, schema) = (&tool["name"], &tool["inputSchema"]);
        assert_eq!(schema["additionalProperties"], false, "{name}");
        assert!(schema.get("$defs").is_none(), "{name}: {schema}");
        for (property, schema) in schema["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}: {property}");
        }
    }
    let external = &tools[3]["inputSchema"]["properties"]["handle"];
    assert_eq!(external["additionalProperties"], false, "{external}");
    assert_eq!(external["properties"]["metadata"]["additionalProperties"], true, "{external}");
}
