//! No text of a caller or a model brings a secret into the store: no tag, no task, no name, in any
//! case and with any characters.

use serde_json::{Value, json};

use crate::memory_client::{Client, ClientAbilities, Era};
use crate::seed_wire::Home;

/// Joined at run time, so that scanners find no secret here.
fn key() -> String {
    ["AKIA", "J5Q7R2D9KX4WMN3P"].concat()
}

/// A model that says this.
fn model(text: String) -> ClientAbilities {
    ClientAbilities::asked(json!({"sampling": {}}), move |method, _| {
        assert_eq!(method, "sampling/createMessage");
        json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": text}})
    })
}

#[tokio::test]
async fn a_models_tags_and_context_hold_no_secret() {
    let key = key();
    let hidden: String = key.chars().flat_map(|it| [it, '\u{200b}']).collect();
    let long = format!("{}{key}", "word ".repeat(399));
    let answers = [
        json!([key]).to_string(),
        json!({"tags": ["db", key], "context": "Where it is kept."}).to_string(),
        json!({"tags": ["db"], "context": format!("The key is {hidden}.")}).to_string(),
        // The whole text is scanned before it is cut.
        json!({"tags": ["db"], "context": long}).to_string(),
        format!("database, {key}"),
        format!("Here you are:\n```json\n[\"{hidden}\"]\n```"),
    ];
    for answer in answers {
        for era in Era::ALL {
            let home = Home::new("model-secrets");
            let able = model(answer.clone());
            let mut client = Client::start(&mut home.hobnob(&["serve"]), era, able).await;
            let memory = json!({"content": "Use PostgreSQL", "namespace": "decisions"});
            let id = client.call("memory_capture", memory).await["id"].clone();
            for dry_run in [true, false] {
                let asked = json!({"id": id, "dry_run": dry_run});
                let failure = client.failure("memory_enrich", asked).await;
                assert!(
                    failure.contains("Content blocked: aws access key id"),
                    "{answer}: {failure}"
                );
                assert!(!failure.to_lowercase().contains(&key.to_lowercase()), "{failure}");
            }
            let memory = client.call("memory_get", json!({"id": id})).await;
            assert_eq!((&memory["version"], &memory["tags"]), (&json!(1), &json!([])));
        }
    }
}

#[tokio::test]
async fn every_field_is_looked_at() {
    let key = key();
    let home = Home::new("field-secrets");
    let able = ClientAbilities::nothing();
    let mut client = Client::start(&mut home.hobnob(&["serve"]), Era::Modern, able).await;
    let memory = json!({"content": "Use PostgreSQL", "namespace": "decisions"});
    let id = client.call("memory_capture", memory).await["id"].clone();
    let task = client.call("tasks_create", json!({"description": "Rotate keys"})).await;
    let task = task["id"].clone();
    let line = json!({"namespace": "context", "content": "Ask the office", "tags": [key]});
    let capture = |more: Value| {
        let mut arguments = json!({"content": "Ask the office", "namespace": "context"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("memory_capture", arguments)
    };
    for (tool, arguments) in [
        capture(json!({"content": format!("key {key}")})),
        capture(json!({"tags": [key]})),
        capture(json!({"source": key})),
        capture(json!({"content": "ssn 536-22-8726"})),
        ("memory_update", json!({"id": id, "tags": [key]})),
        ("memory_update", json!({"id": id, "source": format!("x {key}")})),
        ("memory_prompt_save", json!({"name": "n", "template": "t", "description": key})),
        ("memory_prompt_save", json!({"name": "n", "template": key})),
        ("tasks_create", json!({"description": format!("Use {key}")})),
        ("tasks_create", json!({"description": "x", "list": key})),
        ("tasks_update", json!({"id": task, "description": key})),
        ("tasks_update", json!({"id": task, "result": format!("It is {key}")})),
        ("tasks_update", json!({"id": task, "result": "x", "worker": key})),
        ("tasks_claim", json!({"worker": key})),
    ] {
        let failure = client.failure(tool, arguments.clone()).await;
        assert!(failure.contains("Content blocked"), "{tool} {arguments}: {failure}");
        assert!(!failure.contains(&key), "{tool}: {failure}");
    }
    let imported = client.call("memory_import", json!({"data": line.to_string()})).await;
    assert_eq!(imported["imported"], 0, "{imported}");
    // Whom to write to belongs into a task.
    client.call("tasks_create", json!({"description": "Write to jo@doe.dev"})).await;
}
