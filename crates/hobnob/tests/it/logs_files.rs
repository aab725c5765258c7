//! Logs through the binary: a person grants a folder with a command, a client reads, the person
//! looks a token up.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::memory_client::{Client, ClientAbilities, Era};
use crate::program::within;
use crate::seed_wire::Home;

/// What a command of the person prints; it must succeed.
async fn person(home: &Home, words: &[&str]) -> String {
    let output = within("a command of the person", home.hobnob(words).output()).await.unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

async fn log_tools(client: &mut Client) -> Vec<String> {
    let mut names = client.listed("tools/list", "tools", "name").await;
    names.retain(|name| name.starts_with("logs_"));
    names
}

#[tokio::test]
async fn a_granted_folder_of_logs_is_read_anonymised_and_revealed() {
    let home = Home::new("logs");
    let folder = home.0.join("web");
    std::fs::create_dir_all(&folder).unwrap();
    let line = "2024-02-10T10:30:45Z ERROR [db] no answer for 192.0.2.7\n";
    std::fs::write(folder.join("app.log"), line).unwrap();
    let folder = folder.canonicalize().unwrap();
    let mut serve = home.hobnob(&["serve"]);
    let mut client = Client::start(&mut serve, Era::Modern, ClientAbilities::nothing()).await;
    assert!(log_tools(&mut client).await.is_empty());

    person(&home, &["enable", "logs", "--read-only"]).await;
    assert_eq!(log_tools(&mut client).await, ["logs_list", "logs_query", "logs_tail"]);
    let refused = client.failure("logs_query", json!({"log": "app.log"})).await;
    assert!(refused.contains("hobnob grant logs app.log"), "{refused}");
    assert!(!home.0.join("data/anonymiser.key").exists());

    person(&home, &["grant", "logs", folder.to_str().unwrap()]).await;
    let listed = client.call("logs_list", json!({})).await;
    let names: Vec<_> = listed["logs"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert!(names.contains(&&json!("app.log")), "{listed}");
    let page = client.call("logs_query", json!({"log": "app.log"})).await;
    let message = page["entries"][0]["message"].as_str().unwrap().to_owned();
    let token = message.strip_prefix("no answer for ").unwrap();
    assert!(token.starts_with("IP-"), "{message}");
    let key = walk(&home.0, "anonymiser.key").unwrap();
    assert_eq!(std::fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600);

    assert_eq!(person(&home, &["logs", "reveal", token]).await.trim(), "192.0.2.7");
    let unknown = home.hobnob(&["logs", "reveal", "IP-GGGGGGGGGGGG"]).output();
    assert_eq!(within("a look-up", unknown).await.unwrap().status.code(), Some(1));
    let wrong = home.hobnob(&["logs", "reveal", "192.0.2.7"]).output();
    assert_eq!(within("a look-up", wrong).await.unwrap().status.code(), Some(2));

    person(&home, &["revoke", "logs", "--all"]).await;
    client.failure("logs_query", json!({"log": "app.log"})).await;
    person(&home, &["disable", "logs"]).await;
    assert!(log_tools(&mut client).await.is_empty());
    client.end().await;
}

/// The file of this name somewhere in a folder.
fn walk(folder: &std::path::Path, name: &str) -> Option<std::path::PathBuf> {
    std::fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => walk(&path, name),
            false => path.ends_with(name).then_some(path),
        }
    })
}
