//! Many clients read the first page of a list and no other, so it holds everything.

use serde_json::json;
use std::collections::BTreeSet;

use crate::faults_client::{Client, REVISIONS, able};
use crate::faults_stage::{ALLOW, Stage};

/// More than a hundred tools, which a page used to end at.
const MANY: usize = 250;

async fn many(name: &str) -> Option<Stage> {
    let mut stage = Stage::new(name).await?;
    let tools: Vec<String> = (0..MANY).map(|number| format!("tool_{number}")).collect();
    let mut switches = vec!["--only", "echo"];
    for tool in &tools {
        switches.extend(["--extra-tool", tool]);
    }
    stage.upstream("many", &switches);
    Some(stage)
}

#[tokio::test]
async fn the_first_page_holds_everything() {
    let Some(stage) = many("one-page").await else { return };
    for revision in REVISIONS {
        let mut client = Client::begin(&stage, revision, able()).await;
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
    let Some(mut stage) = many("pages").await else { return };
    stage.settings(&format!("[limits]\npage = 100\n{ALLOW}"));
    let mut client = Client::legacy(&stage).await;
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
