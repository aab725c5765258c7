//! The registry through the binary: a person grants a key with a command, a client works on it.

use serde_json::json;

use crate::memory_client::{Client, ClientAbilities, Era};
use crate::program::within;
use crate::seed_wire::Home;
use crate::wine::Wine;

/// A command of the person, which must succeed.
async fn person(home: &Home, words: &[&str]) {
    let output = within("a command of the person", home.hobnob(words).output()).await.unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

async fn client(home: &Home) -> Client {
    let mut serve = home.hobnob(&["serve"]);
    Client::start(&mut serve, Era::Modern, ClientAbilities::nothing()).await
}

async fn registry_tools(client: &mut Client) -> Vec<String> {
    let mut names = client.listed("tools/list", "tools", "name").await;
    names.retain(|name| name.starts_with("registry_"));
    names
}

#[tokio::test]
async fn tools_of_a_granted_key_appear_work_and_go() {
    let Some(wine) = Wine::find() else { return };
    let home = Home::new("registry");
    std::fs::create_dir_all(home.0.join("config")).unwrap();
    let settings = format!("[registry]\nwine_prefix = {:?}\n", wine.prefix().to_str().unwrap());
    std::fs::write(home.0.join("config/config.toml"), settings).unwrap();
    let mut client = client(&home).await;
    assert!(registry_tools(&mut client).await.is_empty());

    person(&home, &["enable", "registry"]).await;
    let all = ["registry_delete", "registry_list", "registry_read", "registry_write"];
    assert_eq!(registry_tools(&mut client).await, all);
    let key = r"HKCU\Software\Example";
    let write = json!({"key": key, "value": "n", "type": "REG_SZ", "data": "Ā 日本\r\n"});
    let refused = client.failure("registry_write", write.clone()).await;
    assert!(
        refused.contains(r"hobnob grant registry 'HKCU\Software\Example' --write"),
        "{refused}"
    );

    person(&home, &["grant", "registry", key, "--write"]).await;
    assert_eq!(client.call("registry_write", write).await["name"], "n");
    let read = client.call("registry_read", json!({"key": key, "value": "n"})).await;
    assert_eq!(read["value"], json!({"name": "n", "type": "REG_SZ", "data": "Ā 日本\r\n"}));

    person(&home, &["enable", "registry", "--read-only"]).await;
    assert_eq!(registry_tools(&mut client).await, ["registry_list", "registry_read"]);
    person(&home, &["revoke", "registry", "--all"]).await;
    let refused = client.failure("registry_read", json!({"key": key})).await;
    assert!(refused.contains("no grant covers it"), "{refused}");
    client.end().await;
}

#[tokio::test]
async fn without_a_registry_nothing_is_listed() {
    let home = Home::new("no-registry");
    person(&home, &["enable", "registry"]).await;
    person(&home, &["grant", "registry", "HKCU"]).await;
    let mut client = client(&home).await;
    assert!(registry_tools(&mut client).await.is_empty());
    client.end().await;
}
