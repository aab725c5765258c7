//! The files of a granted folder through the program: granted on the command line, used, watched
//! and revoked without a restart.

use std::fs;

use serde_json::{Value, json};

use crate::memory_client::{Client, Era};
use crate::program::within;
use crate::seed_wire::{Home, ServerTransport};

const UPDATED: &str = "notifications/resources/updated";

/// Runs a command to its good end.
async fn run(home: &Home, words: &[&str]) {
    let mut command = home.hobnob(words);
    let output = within("the command's end", command.output()).await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
}

/// A home with a folder `shared` in it, and the folder's path.
fn home(name: &str) -> (Home, String) {
    let home = Home::new(name);
    let folder = home.0.join("shared");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("note.txt"), "first\n").unwrap();
    let folder = folder.canonicalize().unwrap().to_str().unwrap().to_owned();
    (home, folder)
}

async fn file_tools(client: &mut Client) -> Vec<String> {
    let mut tools = client.listed("tools/list", "tools", "name").await;
    tools.retain(|name| name.starts_with("files_"));
    tools
}

#[tokio::test]
async fn a_folder_is_granted_used_watched_and_revoked() {
    for era in Era::ALL {
        let (home, folder) = home("files-live");
        let mut client = Client::open(&home, ServerTransport::Stdio, era).await;
        assert_eq!(file_tools(&mut client).await, Vec::<String>::new());
        run(&home, &["grant", "files", &folder, "--write"]).await;
        run(&home, &["enable", "files"]).await;
        // The list follows without reconnecting.
        assert_eq!(file_tools(&mut client).await.len(), 10);
        let path = format!("{folder}/note.txt");
        let read = data(&mut client, "files_read", json!({"path": path})).await;
        assert_eq!(read["text"], "first\n");
        let uri = format!("file://{path}");
        match era {
            Era::Legacy => {
                client.result("resources/subscribe", json!({"uri": uri})).await;
            }
            Era::Modern => {
                let wanted = json!({"resourceSubscriptions": [uri]});
                client.send("subscriptions/listen", json!({"notifications": wanted})).await;
                client.notified("notifications/subscriptions/acknowledged", |_| true).await;
            }
        }
        // Another program changes the file.
        fs::write(&path, "second\n").unwrap();
        client.notified(UPDATED, |params| params["uri"] == uri).await;
        let contents = client.result("resources/read", json!({"uri": uri})).await;
        assert_eq!(contents["contents"][0]["text"], "second\n");
        run(&home, &["revoke", "files", &folder]).await;
        let refused = client.ask("tools/call", read_call(&path)).await;
        assert!(refused.to_string().contains("hobnob grant files"), "{refused}");
        assert_eq!(file_tools(&mut client).await, Vec::<String>::new());
    }
}

/// The data of a tool's result; its text is for reading.
async fn data(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let asked = json!({"name": tool, "arguments": arguments});
    let mut result = client.result("tools/call", asked).await;
    assert!(result.get("structuredContent").is_some(), "{tool}: {result}");
    result["structuredContent"].take()
}

fn read_call(path: &str) -> Value {
    json!({"name": "files_read", "arguments": {"path": path}})
}

#[tokio::test]
async fn own_folders_are_invisible_in_a_granted_home() {
    let (home, _) = home("files-own");
    let whole = home.0.canonicalize().unwrap();
    run(&home, &["grant", "files", whole.to_str().unwrap(), "--write"]).await;
    run(&home, &["enable", "files"]).await;
    let mut client = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;
    let found = json!({"name": "grants", "include_hidden": true, "include_ignored": true});
    assert_eq!(data(&mut client, "files_search", found).await["total"], 0);
    let note = json!({"glob": "note.txt"});
    assert_eq!(data(&mut client, "files_search", note).await["total"], 1);
}

#[tokio::test]
async fn a_rule_about_reading_is_about_resources_too() {
    let (home, folder) = home("files-rule");
    run(&home, &["grant", "files", &folder]).await;
    run(&home, &["enable", "files", "--read-only"]).await;
    let rule = "[[permissions]]\ntool = \"files_read\"\naction = \"deny\"\n";
    let config = home.0.join("config");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), rule).unwrap();
    let mut client = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;
    let uri = format!("file://{folder}/note.txt");
    let refused = client.ask("resources/read", json!({"uri": uri})).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("denied"), "{refused}");
    assert!(!refused.to_string().contains("first"), "{refused}");
    assert!(!file_tools(&mut client).await.contains(&"files_read".to_owned()));
}
