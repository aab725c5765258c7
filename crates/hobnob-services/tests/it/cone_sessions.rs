//! Sessions without chats: create, show, delete, owners, and the known models.

use crate::cone_server::{ConeServer, Events, answer, failure};
use crate::model_server::ModelServer;
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::Method;
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn sessions_are_made_listed_and_deleted() {
    let cone = ConeServer::new(None);
    let made = json!({"name": "b", "model_id": "test/m", "system_prompt": "be kind",
        "metadata": {"for": "us"}, "thinking": "high", "max_tokens": 9});
    let made = cone.data("create", made).await;
    assert_eq!(made["settings"], json!({"max_tokens": 9, "thinking": "high"}));
    assert_eq!(made["metadata"], json!({"for": "us"}));
    assert_eq!(cone.data("get", json!({"name": "b"})).await, made);
    cone.create("a").await;
    let page = cone.data("list", json!({"limit": 1})).await;
    assert_eq!((&page["sessions"][0]["name"], &page["count"]), (&json!("a"), &json!(1)));
    let rest = cone.data("list", json!({"cursor": page["next_cursor"]})).await;
    assert_eq!(rest, json!({"sessions": [made], "count": 1}));
    let deleted = cone.data("delete", json!({"name": "b"})).await;
    assert_eq!(deleted, json!({"name": "b", "tree_id": made["tree_id"], "deleted": true}));
    for (tool, arguments, part) in [
        ("get", json!({"name": "b"}), "session not found: b; list sessions with list"),
        ("get", json!({"name": "no such"}), "session not found: no such"),
        ("create", json!({"name": "a"}), "there is a session named `a` already"),
        ("create", json!({"name": "a b"}), "letters, digits, underscores and hyphens"),
        ("create", json!({"name": "c", "model_id": ""}), "model_id: "),
        ("set_head", json!({"name": "a", "node": "node_0000000000000000"}), "node not found: "),
        ("list", json!({"cursor": "x y"}), "this cursor is not from this list"),
        ("chat", json!({"name": "a", "prompt": " "}), "prompt: it is empty"),
    ] {
        let said = cone.failure(tool, arguments.clone()).await;
        assert!(said.contains(part), "{tool} {arguments}: {said}");
    }
}

#[tokio::test]
async fn nobody_reaches_the_sessions_of_others() {
    let provider = ModelServer::start(vec![answer(&["hi"])]).await;
    let cone = ConeServer::new(Some(&provider));
    cone.create("work").await;
    for (tool, arguments) in [
        ("get", json!({"name": "work"})),
        ("chat", json!({"name": "work", "prompt": "x"})),
        ("set_head", json!({"name": "work", "node": "root"})),
        ("delete", json!({"name": "work"})),
    ] {
        let said = failure(&cone.tool("eve", tool, arguments).await);
        assert!(said.starts_with("session not found: work"), "{tool}: {said}");
    }
    assert!(provider.seen().is_empty());
}

#[tokio::test]
async fn without_a_provider_a_chat_says_what_to_configure() {
    let cone = ConeServer::new(None);
    cone.create("work").await;
    let said = cone.failure("chat", json!({"name": "work", "prompt": "x"})).await;
    assert!(said.contains("no provider is configured") && said.contains("[providers."), "{said}");
    let registry = cone.data("registry", json!({})).await;
    assert_eq!((&registry["providers"], &registry["models"]), (&json!([]), &json!([])));
    let provider = ModelServer::start(vec![answer(&["hi"])]).await;
    let cone = ConeServer::new(Some(&provider));
    let registry = cone.data("registry", json!({})).await;
    assert_eq!(
        (&registry["providers"], &registry["default"]),
        (&json!(["test"]), &json!("test/m"))
    );
}

#[tokio::test]
async fn sessions_are_listed_as_prompts() {
    let provider = ModelServer::start(vec![answer(&["Hello"])]).await;
    let cone = ConeServer::new(Some(&provider));
    cone.data("create", json!({"name": "work", "system_prompt": "be brief"})).await;
    cone.chat("work", "Hi", &Arc::new(Events::default())).await;
    cone.refresh().await;
    let listed = cone.ask("", Method::PromptsList, json!({}), Notes::silent()).await;
    let prompts = listed["prompts"].as_array().unwrap();
    assert_eq!(prompts.len(), 1, "{listed}");
    assert_eq!(prompts[0]["name"], "cone_work");
    let get = || cone.ask("", Method::PromptsGet, json!({"name": "cone_work"}), Notes::silent());
    let message =
        |role: &str, text: &str| json!({"role": role, "content": {"type": "text", "text": text}});
    let messages =
        json!([message("user", "be brief"), message("user", "Hi"), message("assistant", "Hello")]);
    assert_eq!(get().await["messages"], messages);
    cone.data("delete", json!({"name": "work"})).await;
    assert_eq!(get().await["code"], -32602);
    cone.refresh().await;
    let listed = cone.ask("", Method::PromptsList, json!({}), Notes::silent()).await;
    assert_eq!(listed["prompts"], json!([]));
}
