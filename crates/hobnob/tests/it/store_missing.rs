//! A store that cannot be used stops nothing else: servers are served, the built-in tools say what
//! is wrong, and when it can be used again no restart is needed.

use std::fs;

use serde_json::{Value, json};

use crate::cli_config_home::{Home, mode};
use crate::memory_cli::serve;

#[tokio::test]
async fn everything_else_is_served_and_the_store_comes_back_without_a_restart() {
    let home = Home::new();
    // What is in the way now is gone later, as a full disk has room again.
    let file = home.path("hobnob/data/hobnob.db");
    fs::create_dir_all(&file).unwrap();
    let mut client = serve(&home).await;
    let tools = client.listed("tools/list", "tools", "name").await;
    for tool in ["memory_capture", "tasks_create", "health_check"] {
        assert!(tools.iter().any(|it| it == tool), "{tool}: {tools:?}");
    }
    let memory = json!({"content": "Use PostgreSQL", "namespace": "decisions"});
    let failure = client.failure("memory_capture", memory.clone()).await;
    assert!(failure.contains("cannot be used") && failure.contains("hobnob restore"), "{failure}");
    assert!(failure.contains("hobnob doctor"), "{failure}");
    assert!(!failure.contains(home.path("").to_str().unwrap()), "a path is shown: {failure}");
    let failure = client.failure("tasks_create", json!({"description": "x"})).await;
    assert!(failure.contains("cannot be used"), "{failure}");
    client.call("health_check", json!({})).await;
    let problems = |status: &Value| status["problems"].to_string();
    let status = client.data("hobnob://status").await;
    assert!(problems(&status).contains("cannot be used"), "{status}");
    let shown = home.ok(&["status"]).stdout;
    assert!(shown.contains("cannot be used"), "{shown}");

    fs::remove_dir(&file).unwrap();
    client
        .until("the store is opened", async |client| {
            let asked = json!({"name": "memory_capture", "arguments": memory});
            let result = client.result("tools/call", asked).await;
            result["isError"] != true
        })
        .await;
    let status = client.data("hobnob://status").await;
    assert!(!problems(&status).contains("cannot be used"), "{status}");
    client.call("tasks_create", json!({"description": "x"})).await;
    client.end().await;
    assert_eq!(home.json(0, &["memory", "list"])["count"], 1);
}

/// Everything that is kept is for its owner alone.
#[tokio::test]
async fn files_of_ours_are_private() {
    let home = Home::new();
    let mut client = serve(&home).await;
    let memory = json!({"content": "Use PostgreSQL", "namespace": "decisions"});
    client.call("memory_capture", memory).await;
    client.call("tasks_create", json!({"description": "x"})).await;
    home.ok(&["status"]);
    let lock = home.path("hobnob/data/embedding.lock");
    client.until("the indexer was there", async |_| lock.exists()).await;
    let mut places = vec![home.path("hobnob/data"), home.path("hobnob/state")];
    places.extend([home.path("hobnob/run")].into_iter().filter(|it| it.exists()));
    let mut checked = 0;
    while let Some(place) = places.pop() {
        for entry in fs::read_dir(place).unwrap().map(Result::unwrap) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                assert_eq!(mode(&path), 0o700, "{}", path.display());
                places.push(path);
            } else {
                assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
                checked += 1;
            }
        }
    }
    assert!(4 <= checked, "{checked}");
    client.end().await;
}

/// Killed, then looked at by another program, which leaves the store in order.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_store_that_another_program_put_in_order_is_served() {
    let home = Home::new();
    let mut client = serve(&home).await;
    let memory = json!({"content": "Use PostgreSQL", "namespace": "decisions"});
    client.call("memory_capture", memory).await;
    let child = client.child();
    child.kill().await.unwrap();
    drop(client);
    let file = home.path("hobnob/data/hobnob.db");
    let other = rusqlite::Connection::open(&file).unwrap();
    let count = |sql: &str| other.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM memories"), 1);
    other.close().unwrap();
    assert!(!home.path("hobnob/data/hobnob.db-wal").exists());
    assert!(home.path("hobnob/data/hobnob.db-open").exists(), "it was not closed by us");
    let mut client = serve(&home).await;
    let listed = client.call("memory_list", json!({})).await;
    assert_eq!(listed["count"], 1, "{listed}");
    client.end().await;
}
