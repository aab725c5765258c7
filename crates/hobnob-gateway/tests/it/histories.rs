//! What a gateway remembers of its servers: starts, failures with their reasons, and ends.

use hobnob_gateway::{Phase, PhaseChange, Reload};
use serde_json::json;
use std::time::Duration;

use crate::harness::{ALLOW, Harness, entry, home, python, write_servers, write_settings};

/// The changes once the last one is this.
async fn changes_until(harness: &Harness, server: &str, last: Phase) -> Vec<PhaseChange> {
    let mut looks = tokio::time::interval(Duration::from_millis(20));
    let waiting = async {
        loop {
            looks.tick().await;
            let changes = harness.gateway.owner_controls().changes_of(server);
            if changes.last().is_some_and(|change| change.phase == last) {
                return changes;
            }
        }
    };
    let changes = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    changes.unwrap_or_else(|_| panic!("{:?}", harness.gateway.owner_controls().changes_of(server)))
}

fn phases(changes: &[PhaseChange]) -> Vec<Phase> {
    changes.iter().map(|change| change.phase).collect()
}

#[tokio::test]
async fn starts_failures_and_their_reasons_are_remembered() {
    let Some(python) = python() else { return };
    let home = home("histories");
    write_settings(&home, ALLOW);
    let broken = json!({"command": "sh", "args": ["-c", "echo no settings >&2; exit 3"]});
    let servers = json!({"mcpServers": {"up": entry(&python, &home, "up", &[]), "broken": broken,
        "off": {"command": "sh", "disabled": true}}});
    write_servers(&home, &servers.to_string());
    let harness = Harness::open_with(&home, Reload::OnDemand);
    harness.plain.tool("mcp__up__count", json!({})).await.unwrap();
    let changes = changes_until(&harness, "up", Phase::Ready).await;
    assert_eq!(phases(&changes), [Phase::Sleeping, Phase::Starting, Phase::Ready]);
    // The server ends in the middle of a call.
    drop(harness.plain.tool("mcp__up__die", json!({})).await);
    let changes = changes_until(&harness, "up", Phase::Failed).await;
    assert!(changes.last().unwrap().reason.is_some(), "{changes:?}");
    drop(harness.plain.tool("mcp__broken__any", json!({})).await);
    let changes = changes_until(&harness, "broken", Phase::Failed).await;
    let reason = changes.last().unwrap().reason.as_deref().unwrap();
    assert!(reason.contains("code 3") && reason.contains("no settings"), "{reason}");
    let all = harness.gateway.owner_controls().server_changes();
    assert_eq!(phases(&all["off"]), [Phase::Disabled]);
    harness.close().await;
}
