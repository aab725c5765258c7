//! Which calls run as tasks: every mode with every kind of caller.

use super::{Bench, call_of, caller};
use crate::{Context, Kit, KitBuilder, TaskMode, ToolSpec};
use hobnob_mcp_engine::{TaskOffer, TaskOwner};
use hobnob_mcp_types::{Method, Revision};
use serde_json::{Value, json};

fn kit() -> KitBuilder {
    let tool = |kit: KitBuilder, name: &str, mode| {
        kit.tool(name, ToolSpec::new("Takes its time").tasks(mode), || async { "done" })
    };
    let kit = tool(Kit::plain("k"), "never", TaskMode::Never);
    let kit = tool(kit, "optional", TaskMode::Optional);
    let kit = tool(kit, "required", TaskMode::Required);
    let spec = ToolSpec::new("Decides itself").tasks(TaskMode::Chosen);
    kit.tool("chosen", spec, |context: Context| async move {
        context.start_task(|_| async { Ok("done") }).await
    })
}

#[tokio::test]
async fn every_mode_meets_every_caller() {
    let bench = Bench::new([kit()]);
    let owner = || TaskOwner(Some("me".into()));
    let able = || TaskOffer::Able { owner: owner() };
    let asked = || TaskOffer::Asked { owner: owner(), ttl_ms: Some(1000) };
    let done = json!({"content": [{"type": "text", "text": "done"}]});
    let task = json!({"task": "working"});
    let must = json!({"code": -32601, "message": "tool `required` must be called as a task"});
    let cannot = json!({"code": -32601, "message": "tool `never` cannot be called as a task"});
    let needs = json!({"code": -32021,
        "message": "the client did not declare a capability this needs"});
    let (old, new) = (Revision::V2025_11_25, Revision::V2026_07_28);
    for (tool, revision, offer, expected) in [
        ("never", new, TaskOffer::No, &done),
        ("never", new, able(), &done),
        ("never", old, TaskOffer::NotAsked, &done),
        ("never", old, asked(), &cannot),
        ("optional", new, TaskOffer::No, &done),
        ("optional", new, able(), &task),
        ("optional", old, TaskOffer::NotAsked, &done),
        ("optional", old, asked(), &task),
        ("required", new, TaskOffer::No, &needs),
        ("required", old, TaskOffer::No, &must),
        ("required", new, able(), &task),
        ("required", old, TaskOffer::NotAsked, &must),
        ("required", old, asked(), &task),
        ("chosen", new, TaskOffer::No, &done),
        ("chosen", new, able(), &task),
        ("chosen", old, TaskOffer::NotAsked, &done),
        ("chosen", old, asked(), &task),
    ] {
        let mut call = call_of(tool, json!({}));
        call.caller = caller(revision, json!({}));
        call.task = offer.clone();
        assert_eq!(bench.shown(call).await, *expected, "{tool} {revision} {offer:?}");
    }
}

#[tokio::test]
async fn a_wish_is_ignored_where_tasks_are_not_declared() {
    let bench = Bench::new([super::kit_of("k", &["never"])]);
    let mut call = call_of("never", json!({}));
    call.task = TaskOffer::Asked { owner: TaskOwner::default(), ttl_ms: None };
    let done = json!({"content": [{"type": "text", "text": "never"}]});
    assert_eq!(bench.shown(call).await, done);
}

#[tokio::test]
async fn lists_say_which_tools_can_be_tasks() {
    let bench = Bench::new([kit()]);
    let shown = bench.shown(super::call(Method::ToolsList, json!({}))).await;
    let support: Vec<(&str, &Value)> = shown["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["name"].as_str().unwrap(), &tool["execution"]["taskSupport"]))
        .collect();
    assert_eq!(
        support,
        [
            ("chosen", &json!("optional")),
            ("never", &json!(null)),
            ("optional", &json!("optional")),
            ("required", &json!("required")),
        ]
    );
}

#[tokio::test]
async fn unfit_arguments_never_start_a_task() {
    let schema = json!({"type": "object", "required": ["a"]});
    let spec = ToolSpec::new("Is slow").tasks(TaskMode::Required).schema(schema);
    let bench = Bench::new([Kit::plain("k").tool("t", spec, |_: Value| async {})]);
    let mut call = call_of("t", json!({}));
    call.task = TaskOffer::Able { owner: TaskOwner::default() };
    assert_eq!(bench.shown(call).await["isError"], true);
}
