//! `isolation = "client"` over real sockets: two clients, two processes, and none that stays.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::faults_client::text_of;
use crate::faults_setup::{ALLOW, Setup, until};
use crate::load::Session;
use crate::program::listening;

#[tokio::test]
async fn two_sessions_have_two_processes_that_end_with_them() {
    let Some(mut setup) = Setup::new("isolation").await else { return };
    setup.settings(&format!("[servers.own]\nisolation = \"client\"\n{ALLOW}"));
    setup.upstream("own", &[]).upstream("shared", &[]);
    setup.write();
    let server = listening(setup.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let authority = server.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    let authority: Arc<str> = authority.into();
    let mut one = Session::open(&authority, "same", 0).await;
    let mut other = Session::open(&authority, "same", 1).await;
    let count = |tool: &str| json!({"name": tool, "arguments": {}});
    for (tool, wanted) in [("mcp__own__count", ["1", "1"]), ("mcp__shared__count", ["1", "2"])] {
        let first = text_of(&one.ask("tools/call", count(tool)).await.1);
        let second = text_of(&other.ask("tools/call", count(tool)).await.1);
        assert_eq!([first.as_str(), second.as_str()], wanted, "{tool}");
    }
    // A supervisor and a program for each.
    let running = |name: &str| {
        let journal = setup.file(&format!("{name}.journal"));
        let is_it = |it: &str| it.contains("faulty.py") && it.contains(&journal);
        let python = |it: &str| !it.contains("hobnob-supervisor") && !it.contains("__supervise");
        let all = setup.processes();
        all.iter().filter(|it| is_it(&it.arguments) && python(&it.arguments)).count()
    };
    assert_eq!((running("own"), running("shared")), (2, 1));
    one.end().await;
    until("its process ends with it", Duration::from_secs(20), || running("own") == 1).await;
    assert_eq!(text_of(&other.ask("tools/call", count("mcp__own__count")).await.1), "2");
    assert_eq!(running("shared"), 1);
    other.end().await;
    until("no client, no process", Duration::from_secs(20), || running("own") == 0).await;
}
