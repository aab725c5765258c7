//! Trees outside the tools: resources, completions, and change notifications.

use crate::arbor_server::ArborServer;
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Method;
use hobnob_services::{BuiltInService as _, KitChange, KitStaleness, Presentation};
use hobnob_store::Owner;
use hobnob_store::changes::{ChangedRecord, RecordChange, TreeListing};
use serde_json::{Value, json};

#[tokio::test]
async fn resources_show_what_is_there() {
    let server = ArborServer::new(&Presentation::default());
    server.data("tree_create", json!({"name": "main", "content": "be kind"})).await;
    let odd = "a/b?c#d%2F ö";
    let tree = server.data("tree_create", json!({"name": odd})).await;
    let said = server.say("root", "assistant", "...").await;
    let read = server.read("arbor://tree/main/node/root").await;
    assert_eq!(read, json!({"role": "system", "content": "be kind"}));
    let read = server.read(&format!("arbor://tree/main/node/{said}")).await;
    assert_eq!(read.to_string(), r#"{"role":"assistant","content":"..."}"#);
    let handle = json!({"tree_id": "main", "handle": {"source": "file", "identifier": "a"}});
    let handle = server.data("node_create_external", handle).await;
    let read = server.read(handle["uri"].as_str().unwrap()).await;
    assert_eq!(read, json!({"handle": {"source": "file", "identifier": "a"}}));
    assert_eq!(tree["uri"], "arbor://tree/a%2Fb%3Fc%23d%252F%20%C3%B6");
    for uri in [tree["uri"].as_str().unwrap(), &format!("arbor://tree/{}", id(&tree))] {
        let read = server.read(uri).await;
        assert_eq!((&read["tree"]["name"], &read["skeleton"]["count"]), (&json!(odd), &json!(1)));
    }
    for missing in [
        "arbor://tree/no",
        "arbor://tree/no/node/root",
        "arbor://tree/main/node/no",
        "arbor://tree/%20/node/root",
        "arbor://tree/main/node/root/more",
        "arbor://tree/main/nodes/root",
        "arbor://tree/%zz",
    ] {
        let answer = server.ask("", Method::ResourcesRead, json!({"uri": missing})).await;
        assert_eq!(answer["message"], format!("resource not found: {missing}"));
    }
    let foreign = json!({"uri": "arbor://tree/main/node/root"});
    let answer = server.ask("bob", Method::ResourcesRead, foreign).await;
    assert_eq!(answer["message"], "resource not found: arbor://tree/main/node/root");
}

/// Does what the binary does after a change, without the binary.
#[tokio::test]
async fn kits_list_the_roots_of_active_trees() {
    let server = ArborServer::new(&Presentation::default());
    let listed = async || {
        let kit = server.service.kit(&Presentation::default()).unwrap();
        let kits = Server::builder("probe", "1.0").kit(kit).build().unwrap();
        let listed = kits.toolbox().unwrap().lists().resources();
        listed.into_iter().map(|listing| String::from(listing.json)).collect::<Vec<_>>()
    };
    assert_eq!(server.service.refresh().await.unwrap(), KitChange::Same);
    assert_eq!(listed().await, [""; 0]);
    server.data("tree_create", json!({"name": "main"})).await;
    let unnamed = server.data("tree_create", json!({})).await;
    server.data_for("bob", "tree_create", json!({"name": "other"})).await;
    assert_eq!(server.service.refresh().await.unwrap(), KitChange::Changed);
    assert_eq!(server.service.refresh().await.unwrap(), KitChange::Same);
    let id = id(&unnamed);
    let main = r#"{"uri":"arbor://tree/main/node/root","name":"Main Tree Root","mimeType":"application/json"}"#;
    let other = format!(
        r#"{{"uri":"arbor://tree/{id}/node/root","name":"{id} Tree Root","mimeType":"application/json"}}"#
    );
    assert_eq!(listed().await, [main, &other]);
    server.data("tree_release", json!({"tree_id": "main"})).await;
    assert_eq!(server.service.refresh().await.unwrap(), KitChange::Changed);
    assert_eq!(listed().await, [other]);
}

/// Every URI that a change affects can be read, and shows the change.
#[tokio::test]
async fn news_are_where_the_contents_changed() {
    let presentation = Presentation {
        uri_schemes: [("arbor".to_owned(), "talk".to_owned())].into(),
        ..Presentation::default()
    };
    let server = ArborServer::new(&presentation);
    let tree = server.data("tree_create", json!({"name": "a b"})).await;
    let changed = |listing| RecordChange {
        owner: Owner::default(),
        what: ChangedRecord::Tree { id: id(&tree), name: Some("a b".into()), listing },
    };
    let same = changed(TreeListing::Same);
    assert_eq!(server.service.staleness(&same), KitStaleness::Current);
    let uris = server.service.changed_resources(&presentation, &same);
    assert_eq!(uris, ["talk://tree/a%20b".to_owned(), format!("talk://tree/{}", id(&tree))]);
    let other = changed(TreeListing::Changed);
    assert_eq!(server.service.staleness(&other), KitStaleness::Stale);
    let more = server.service.changed_resources(&presentation, &other);
    assert_eq!((more.len(), more[1].as_str()), (4, "talk://tree/a%20b/node/root"));
    for uri in uris.iter().chain(&more) {
        server.read(uri).await;
    }
    let prompt = ChangedRecord::Prompt { name: "p".into() };
    let prompt = RecordChange { owner: Owner::default(), what: prompt };
    assert_eq!(server.service.staleness(&prompt), KitStaleness::Current);
    assert_eq!(server.service.changed_resources(&presentation, &prompt), [""; 0]);
}

#[tokio::test]
async fn names_are_completed() {
    let server = ArborServer::new(&Presentation::default());
    let tree = server.data("tree_create", json!({"name": "main"})).await;
    let node = server.say("root", "user", "Hi").await;
    let (tree_id, root) = (id(&tree), tree["root_node_id"].as_str().unwrap().to_owned());
    let (one, all) = ("arbor://tree/{tree}", "arbor://tree/{tree}/node/{node}");
    for (template, name, typed, tree, expected) in [
        (one, "tree", "m", "", json!(["main"])),
        (one, "tree", tree_id.as_str(), "", json!([tree_id])),
        (all, "tree", "x", "", json!([])),
        (all, "node", "r", "main", json!(["root"])),
        (all, "node", "", "main", json!(["root", node, root])),
        (all, "node", node.as_str(), tree_id.as_str(), json!([node])),
        (all, "node", "", "", json!(["root"])),
        (all, "node", "", "nobody", json!([])),
    ] {
        let mut params = json!({"ref": {"type": "ref/resource", "uri": template},
            "argument": {"name": name, "value": typed}});
        if !tree.is_empty() {
            params["context"] = json!({"arguments": {"tree": tree}});
        }
        let answer = server.ask("", Method::Complete, params).await;
        assert_eq!(answer["completion"]["values"], expected, "{template} {name} {typed} {tree}");
    }
}

fn id(tree: &Value) -> String {
    tree["tree_id"].as_str().unwrap().to_owned()
}
