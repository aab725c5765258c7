//! Conversation trees through the real program: the examples of the guide to an earlier system,
//! notifications of what another process adds, and what `kill -9` leaves.

use serde_json::{Value, json};

use crate::faults_setup::times;
use crate::memory_client::{Client, Era};
use crate::program::within;
use crate::seed_wire::{Home, ServerTransport};

const LIST_CHANGED: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const TREE: &str = "arbor://tree/main";
const ROOT: &str = "arbor://tree/main/node/root";

/// The resources of trees, as they are listed.
async fn listed(client: &mut Client) -> Vec<Value> {
    let result = client.result("resources/list", json!({})).await;
    let all = result["resources"].as_array().unwrap();
    let ours = |it: &&Value| it["uri"].as_str().unwrap().starts_with("arbor://");
    all.iter().filter(ours).cloned().collect()
}

/// Adds a text to the tree `main` and returns the answer.
async fn say(client: &mut Client, parent: &str, role: &str, content: &str) -> Value {
    let node = json!({"tree_id": "main", "parent": parent, "role": role, "content": content});
    client.call("arbor_node_create_text", node).await
}

#[tokio::test]
async fn the_guides_resources_are_listed_and_read() {
    for era in Era::ALL {
        for way in ServerTransport::ALL {
            let home = Home::new("trees-guide");
            let mut client = Client::open(&home, way, era).await;
            assert_eq!(listed(&mut client).await, [json!(null); 0]);
            client.call("arbor_tree_create", json!({"name": "main"})).await;
            let node = say(&mut client, "root", "assistant", "...").await;
            let expected =
                json!({"uri": ROOT, "name": "Main Tree Root", "mimeType": "application/json"});
            assert_eq!(listed(&mut client).await, [expected]);
            let uri = node["uri"].as_str().unwrap();
            assert_eq!(uri, format!("{TREE}/node/{}", node["node_id"].as_str().unwrap()));
            let read = client.result("resources/read", json!({"uri": uri})).await;
            let contents = &read["contents"][0];
            assert_eq!(contents["uri"], uri, "{read}");
            assert_eq!(contents["mimeType"], "application/json", "{read}");
            let said: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
            assert_eq!(said, json!({"role": "assistant", "content": "..."}));
            let templates =
                client.listed("resources/templates/list", "resourceTemplates", "uriTemplate").await;
            for template in ["arbor://tree/{tree}", "arbor://tree/{tree}/node/{node}"] {
                assert!(templates.contains(&template.to_owned()), "{templates:?}");
            }
            let missing = client.error("resources/read", json!({"uri": "arbor://tree/no"})).await;
            assert!(missing["message"].as_str().unwrap().contains("arbor://tree/no"), "{missing}");
        }
    }
}

/// Lists used to follow a moment later, and missed the tree in every tight loop.
#[tokio::test]
async fn a_caller_finds_a_new_tree_in_the_next_list() {
    for era in Era::ALL {
        for way in ServerTransport::ALL {
            let home = Home::new("trees-own-writes");
            let mut client = Client::open(&home, way, era).await;
            for count in 1..=20 {
                client.call("arbor_tree_create", json!({"name": format!("tree{count}")})).await;
                assert_eq!(listed(&mut client).await.len(), count);
            }
        }
    }
}

#[tokio::test]
async fn changes_of_another_process_are_received() {
    for era in Era::ALL {
        let home = Home::new("trees-changes");
        let mut here = Client::open(&home, ServerTransport::Stdio, era).await;
        match era {
            Era::Legacy => {
                here.result("resources/subscribe", json!({"uri": TREE})).await;
            }
            Era::Modern => {
                let wanted = json!({"resourcesListChanged": true, "resourceSubscriptions": [TREE]});
                here.send("subscriptions/listen", json!({"notifications": wanted})).await;
                here.notified(ACKNOWLEDGED, |_| true).await;
            }
        }
        let mut there = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;
        there.call("arbor_tree_create", json!({"name": "main"})).await;
        here.notified(LIST_CHANGED, |_| true).await;
        here.notified(UPDATED, |params| params["uri"] == TREE).await;
        assert_eq!(listed(&mut here).await[0]["uri"], ROOT);
        say(&mut there, "root", "user", "Hi").await;
        here.notified(UPDATED, |params| params["uri"] == TREE).await;
        assert_eq!(here.data(TREE).await["tree"]["nodes"], 2);
        there.call("arbor_tree_release", json!({"tree_id": "main"})).await;
        here.notified(LIST_CHANGED, |_| true).await;
        assert_eq!(listed(&mut here).await, [json!(null); 0]);
        here.end().await;
        there.end().await;
    }
}

/// Every node whose answer arrived is there afterwards, whole and where it was added, and nothing
/// but one that was on its way when the process died.
#[tokio::test]
async fn a_kill_loses_no_acknowledged_node() {
    let home = Home::new("trees-kill");
    let mut client = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;
    client.call("arbor_tree_create", json!({"name": "main"})).await;
    let (mut acknowledged, mut head) = (Vec::new(), "root".to_owned());
    for round in 0..times(5, 100) {
        for number in 0..=round % 4 {
            let text = format!("{round}.{number} ü👋🏽").repeat(200);
            let node = say(&mut client, &head, "user", &text).await;
            head = node["node_id"].as_str().unwrap().to_owned();
            acknowledged.push((head.clone(), text));
        }
        let late = json!({"tree_id": "main", "parent": head, "content": "late"});
        let call = json!({"name": "arbor_node_create_text", "arguments": late});
        client.send("tools/call", call).await;
        let child = client.child();
        child.start_kill().unwrap();
        within("its end", child.wait()).await.unwrap();
        client = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;
    }
    let (mut found, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = json!({"tree_id": "main", "node_id": head, "cursor": cursor});
        let page = client.call("arbor_context_get_path", page).await;
        for node in page["nodes"].as_array().unwrap() {
            let text = |name: &str| node[name].as_str().unwrap().to_owned();
            found.push((text("node_id"), text("content")));
        }
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(found[1..], acknowledged);
    let tree = client.call("arbor_tree_get", json!({"tree_id": "main"})).await;
    let late = client.call("arbor_node_search", json!({"query": "late", "limit": 500})).await;
    let late = late["count"].as_u64().unwrap();
    assert_eq!(tree["nodes"], json!(found.len() as u64 + late), "no other nodes, no half ones");
    client.end().await;
}
