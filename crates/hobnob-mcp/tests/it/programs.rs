//! Servers started as programs: they answer, and none survives its last client.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::examples::program;
use hobnob_mcp::{Client, EraHint};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Longer than any of these tests takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, work).await.unwrap()
}

#[tokio::test]
async fn a_program_is_started_and_closed() {
    for era in [EraHint::Unknown, EraHint::Legacy] {
        let client = within(Client::builder().era(era).spawn([program("notes")])).await.unwrap();
        assert_eq!(client.server_info().implementation.name, "notes");
        let added: serde_json::Value =
            within(client.call("add", &json!({"name": "one", "text": "first"}))).await.unwrap();
        assert_eq!(added, json!({"count": 1}));
        assert_eq!(client.stderr(5).as_deref(), Some(""));
        within(client.close()).await;
        assert!(client.tools().await.is_err());
    }
}

/// The program is a shell that prints its process id and then becomes the server.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_is_killed_with_the_last_client() {
    let script = "echo $$ >&2; exec \"$0\"";
    let words = ["sh".into(), "-c".into(), script.into(), program("notes").into_os_string()];
    let client = within(Client::spawn(words)).await.unwrap();
    let number = client.stderr(1).unwrap();
    let process = Path::new("/proc").join(number.trim());
    assert!(process.exists());
    let clone = client.clone();
    drop(client);
    assert!(within(clone.tools()).await.is_ok());
    drop(clone);
    let gone = async {
        while process.exists() {
            tokio::task::yield_now().await;
        }
    };
    within(gone).await;
}
