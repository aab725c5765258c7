//! Many clients read the first page of a list and no other, so it holds everything.

use serde_json::json;
use std::collections::BTreeSet;

use crate::faults_client::{Client, REVISIONS, able};
use crate::faults_setup::{ALLOW, Setup};

/// More than a hundred tools, which a page used to end at.
const MANY: usize = 250;

async fn many(name: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    let tools: Vec<String> = (0..MANY).map(|number| format!("tool_{number}")).collect();
    let mut switches = vec!["--only", "echo"];
    for tool in &tools {
        switches.extend(["--extra-tool", tool]);
    }
    setup.upstream("many", &switches);
    Some(setup)
}

#[tokio::test]
async fn the_first_page_holds_everything() {
    let Some(setup) = many("one-page").await else { return };
    for revision in REVISIONS {
        let mut client = Client::begin(&setup, revision, able()).await;
        let response = client.ask("tools/list", json!({})).await;
        let result = &response["result"];
        let tools = result["tools"].as_array().unwrap();
        let of_server = |tool: &&serde_json::Value| {
            tool["name"].as_str().is_some_and(|name| name.starts_with("mcp__many__"))
        };
        assert_eq!(tools.iter().filter(of_server).count(), MANY + 1, "{revision}");
        assert!(result["nextCursor"].is_null(), "{revision}");
        client.end().await;
    }
}

#[tokio::test]
async fn a_page_of_a_chosen_size_ends_there() {
    let Some(mut setup) = many("pages").await else { return };
    setup.settings(&format!("[limits]\npage = 100\n{ALLOW}"));
    let mut client = Client::legacy(&setup).await;
    let (mut names, mut params, mut pages) = (Vec::new(), json!({}), 0);
    loop {
        let response = client.ask("tools/list", params).await;
        let tools = response["result"]["tools"].as_array().unwrap();
        assert!(tools.len() <= 100);
        names.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        pages += 1;
        match response["result"]["nextCursor"].as_str() {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    assert!(pages >= 3, "{pages}");
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "none comes twice");
    assert_eq!(names.iter().filter(|name| name.starts_with("mcp__many__")).count(), MANY + 1);
    client.end().await;
}
