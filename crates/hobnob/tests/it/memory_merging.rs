//! What becomes of `consolidate` when the model does not do what it should: nothing is lost, and
//! the answer says what was merged.

use serde_json::{Value, json};

use crate::memory_client::{Client, ClientAbilities, Era};
use crate::seed_wire::Home;

/// Two groups of two, the larger one by its words.
const NOTES: [&str; 4] = [
    "The nightly backup runs at three and keeps seven days of everything",
    "The nightly backup runs at three and keeps fourteen days of everything",
    "Deploys go out on Tuesday after the second review was approved",
    "Deploys go out on Thursday after the second review was approved",
];

/// A model that answers the questions about backups and about deploys.
fn model(backups: Value, deploys: Value) -> ClientAbilities {
    ClientAbilities::asked(json!({"sampling": {}}), move |method, params| {
        assert_eq!(method, "sampling/createMessage");
        let of_backups = params["messages"].to_string().contains("backup");
        if of_backups { backups.clone() } else { deploys.clone() }
    })
}

fn said(text: &str, stop_reason: &str) -> Value {
    json!({"role": "assistant", "model": "m", "stopReason": stop_reason,
        "content": {"type": "text", "text": text}})
}

#[tokio::test]
async fn a_group_that_cannot_be_merged_stays_as_it_is() {
    // Joined at run time, so that scanners find no secret here.
    let key = ["AKIA", "J5Q7R2D9KX4WMN3P"].concat();
    let broken = [
        (said("The nightly backup runs at", "maxTokens"), "cut short"),
        (said(" ", "endTurn"), "no text"),
        (said(&format!("aws_access_key_id = {key}"), "endTurn"), "Content blocked"),
    ];
    for (answer, problem) in broken {
        for era in Era::ALL {
            let home = Home::new("merging");
            let deploys = said("Deploys go out after the second review", "endTurn");
            let able = model(answer.clone(), deploys);
            let mut client = Client::start(&mut home.hobnob(&["serve"]), era, able).await;
            for note in NOTES {
                let arguments = json!({"content": note, "namespace": "decisions"});
                client.call("memory_capture", arguments).await;
            }
            let answer = client.call("memory_consolidate", json!({"similarity": 0.5})).await;
            let groups = answer["groups"].as_array().unwrap();
            assert_eq!(groups.len(), 2, "{answer}");
            let failed = groups.iter().find(|group| group["id"].is_null()).unwrap();
            assert!(failed["problem"].as_str().unwrap().contains(problem), "{answer}");
            let exported = client.call("memory_export", json!({"format": "jsonl"})).await;
            let lines = exported["data"].as_str().unwrap().lines();
            let content = |line| -> String {
                let memory: Value = serde_json::from_str(line).unwrap();
                memory["content"].as_str().unwrap().to_owned()
            };
            let mut left: Vec<String> = lines.map(content).collect();
            left.sort_unstable();
            assert_eq!(left, ["Deploys go out after the second review", NOTES[1], NOTES[0]]);
        }
    }
}
