//! What models read of the built-in tools, in every profile, and what these tools answer to
//! arguments that make no sense.

use serde_json::{Value, json};

use crate::memory_client::{Client, ClientAbilities, Era};
use crate::seed_wire::Home;

/// No profile, and those that ship with Hobnob.
const PROFILES: [Option<&str>; 3] = [None, Some("subcog"), Some("bossman")];

async fn client(home: &Home, profile: Option<&str>) -> Client {
    let mut words = vec!["serve"];
    words.extend(profile.iter().flat_map(|name| ["--profile", name]));
    Client::start(&mut home.hobnob(&words), Era::Modern, ClientAbilities::nothing()).await
}

async fn tools(client: &mut Client) -> Vec<Value> {
    let listed = client.result("tools/list", json!({})).await;
    assert!(listed["nextCursor"].is_null(), "{listed}");
    listed["tools"].as_array().unwrap().clone()
}

/// Everything about a schema that some model or client stumbles over.
fn flaws(schema: &Value, place: &str, found: &mut Vec<String>) {
    let Value::Object(members) = schema else { return };
    for keyword in ["$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf", "const"] {
        if members.contains_key(keyword) {
            found.push(format!("{place}: {keyword}"));
        }
    }
    if members.get("type").is_some_and(|kind| !kind.is_string()) {
        found.push(format!("{place}: type {}", members["type"]));
    }
    let has_null = |key: &str| {
        members.get(key).is_some_and(|it| {
            it.is_null() || it.as_array().is_some_and(|list| list.iter().any(Value::is_null))
        })
    };
    if has_null("enum") || has_null("default") {
        found.push(format!("{place}: null"));
    }
    for (name, property) in
        members.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        if property.get("description").is_none() && property.get("type").is_none() {
            found.push(format!("{place}.{name}: neither type nor description"));
        }
        flaws(property, &format!("{place}.{name}"), found);
    }
    if let Some(items) = members.get("items") {
        flaws(items, &format!("{place}[]"), found);
    }
}

#[tokio::test]
async fn schemas_of_built_in_tools_are_plain() {
    let mut found = Vec::new();
    for profile in PROFILES {
        let home = Home::new("schemas");
        let mut client = client(&home, profile).await;
        let tools = tools(&mut client).await;
        assert!(8 <= tools.len(), "{profile:?}");
        for tool in &tools {
            let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
            let place = format!("{} {name}", profile.unwrap_or("hobnob"));
            flaws(schema, &place, &mut found);
            if schema["type"] != "object" || !schema["required"].is_array() {
                found.push(format!("{place}: {schema}"));
            }
            let output = tool["outputSchema"].to_string();
            if output.contains("$ref") || output.contains("$defs") {
                found.push(format!("{place}: outputSchema {output}"));
            }
            if name == "SubscribePolling" {
                assert_eq!(schema["properties"]["intervalMs"]["minimum"], 1_000, "{schema}");
            }
            if name == "list_tasks" {
                assert_eq!(schema["required"], json!([]), "{schema}");
            }
        }
        client.end().await;
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Wrong values that a model may pass for any argument.
fn nonsense() -> Vec<Value> {
    let long = "x".repeat(70_000);
    vec![
        json!(""),
        json!(" "),
        json!("*"),
        json!("\u{0}\u{202e}/../%"),
        json!(long),
        json!(-1),
        json!(1e300),
        json!([[]]),
        json!({"a": null}),
    ]
}

#[tokio::test]
async fn nonsense_is_never_our_own_failure() {
    let home = Home::new("nonsense");
    let mut client = client(&home, None).await;
    let is_ours = |name: &str| {
        ["memory_", "tasks_", "arbor_", "cone_"].iter().any(|service| name.starts_with(service))
    };
    for tool in tools(&mut client).await {
        let name = tool["name"].as_str().unwrap();
        if !is_ours(name) {
            continue;
        }
        let schema = &tool["inputSchema"];
        let mut usual = json!({});
        for required in schema["required"].as_array().unwrap() {
            usual[required.as_str().unwrap()] = json!("x");
        }
        let properties = schema["properties"].as_object().unwrap();
        for property in properties.keys() {
            for value in nonsense() {
                let mut arguments = usual.clone();
                arguments[property] = value;
                check(&mut client, "tools/call", name, arguments).await;
            }
        }
        check(&mut client, "tools/call", name, json!({"other": 1})).await;
    }
    let prompts = client.result("prompts/list", json!({})).await;
    for prompt in prompts["prompts"].as_array().unwrap() {
        let name = prompt["name"].as_str().unwrap();
        let arguments = prompt["arguments"].as_array().cloned().unwrap_or_default();
        let names: Vec<&str> = arguments.iter().map(|it| it["name"].as_str().unwrap()).collect();
        for name_of in &names {
            for value in nonsense() {
                let mut given: Value =
                    names.iter().map(|it| ((*it).to_owned(), json!("x"))).collect();
                given[*name_of] = value;
                check(&mut client, "prompts/get", name, given).await;
            }
        }
    }
    for uri in [
        "tasks://task/%00",
        "tasks://list/*",
        "memory://topics/a b",
        "memory://x/y/z",
        "arbor://tree/%00/node/%ff",
        "arbor://tree/*",
    ] {
        let response = client.ask("resources/read", json!({"uri": uri})).await;
        assert_ne!(response["error"]["code"], -32603, "{uri}: {response}");
    }
}

async fn check(client: &mut Client, method: &str, name: &str, arguments: Value) {
    let shown: String = arguments.to_string().chars().take(200).collect();
    let response = client.ask(method, json!({"name": name, "arguments": arguments})).await;
    assert_ne!(response["error"]["code"], -32603, "{name} {shown}: {response}");
}
