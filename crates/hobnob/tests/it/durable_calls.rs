//! What was acknowledged survives `kill -9` right after it: long calls that run as tasks are
//! finished or failed, never stuck, and changes of tasks are there.

use serde_json::{Value, json};

use crate::faults_setup::{Setup, times};
use crate::memory_client::{Client, ClientAbilities, Era};
use crate::program::within;
use crate::seed_wire::Home;

/// A home with one server behind it whose tools run as tasks.
async fn setup(name: &str) -> Option<Setup> {
    let mut setup = Setup::new(name).await?;
    setup.upstream("up", &["--era", "modern", "--tasks", "required"]).write();
    Some(setup)
}

async fn start(setup: &Setup) -> Client {
    let mut client =
        Client::start(&mut setup.hobnob(&["serve"]), Era::Modern, ClientAbilities::tasks()).await;
    let tools = client.listed("tools/list", "tools", "name").await;
    assert!(tools.contains(&"mcp__up__nap".to_owned()), "{tools:?}");
    client
}

/// Begins a call that takes this long; its task's id.
async fn begin(client: &mut Client, milliseconds: u64) -> Value {
    let asked = json!({"name": "mcp__up__nap", "arguments": {"ms": milliseconds}});
    let begun = client.result("tools/call", asked).await;
    assert_eq!(begun["resultType"], "task", "{begun}");
    begun["taskId"].clone()
}

async fn kill(mut client: Client) {
    let child = client.child();
    child.start_kill().unwrap();
    within("its end", child.wait()).await.unwrap();
}

async fn view(client: &mut Client, task: &Value) -> Value {
    client.result("tasks/get", json!({"taskId": task})).await
}

/// The task failed because its process is gone.
async fn check_lost(client: &mut Client, task: &Value) {
    let view = view(client, task).await;
    assert_eq!(view["status"], "failed", "{view}");
    let said = "the server was stopped or restarted while `mcp__up__nap` ran";
    for words in [&view["statusMessage"], &view["error"]["message"]] {
        assert!(words.as_str().is_some_and(|it| it.starts_with(said)), "{view}");
    }
    assert!(view["result"].is_null(), "{view}");
}

async fn check_finished(client: &mut Client, task: &Value) {
    let view = view(client, task).await;
    assert_eq!(view["status"], "completed", "{view}");
    assert_eq!(view["result"]["content"][0]["text"], "slept", "{view}");
    assert!(view["error"].is_null(), "{view}");
}

#[tokio::test]
async fn a_call_that_was_begun_is_never_stuck() {
    let Some(setup) = setup("kept-calls").await else { return };
    let (mut lost, mut finished) = (Vec::new(), Vec::new());
    for _ in 0..times(20, 200) {
        let mut client = start(&setup).await;
        if let (Some(lost), Some(finished)) = (lost.last(), finished.last()) {
            check_lost(&mut client, lost).await;
            check_finished(&mut client, finished).await;
        }
        let short = begin(&mut client, 0).await;
        client
            .until("the short one is done", async |client| {
                view(client, &short).await["status"] != "working"
            })
            .await;
        finished.push(short);
        lost.push(begin(&mut client, 600_000).await);
        kill(client).await;
    }
    let mut client = start(&setup).await;
    for (lost, finished) in lost.iter().zip(&finished) {
        check_lost(&mut client, lost).await;
        check_finished(&mut client, finished).await;
    }
    client.end().await;
}

/// The moment of the end is the hardest one: what a client received is what stays.
#[tokio::test]
async fn a_call_that_is_reported_as_done_stays_done() {
    let Some(setup) = setup("kept-ends").await else { return };
    let mut task = None;
    for _ in 0..times(10, 100) {
        let mut client = start(&setup).await;
        if let Some(task) = &task {
            check_finished(&mut client, task).await;
        }
        let short = begin(&mut client, 0).await;
        client
            .until("it is done", async |client| view(client, &short).await["status"] != "working")
            .await;
        task = Some(short);
        kill(client).await;
    }
}

#[tokio::test]
async fn another_process_sees_the_call_run_and_fail() {
    let Some(setup) = setup("kept-others").await else { return };
    let mut running = start(&setup).await;
    let mut watching = start(&setup).await;
    let task = begin(&mut running, 600_000).await;
    assert_eq!(view(&mut watching, &task).await["status"], "working");
    kill(running).await;
    check_lost(&mut watching, &task).await;
    watching.end().await;
}

#[tokio::test]
async fn an_acknowledged_change_of_a_task_is_there_after_a_kill() {
    let home = Home::new("kept-tasks");
    let mut task = Value::Null;
    let rounds = times(20, 200);
    for round in 0..=rounds {
        let mut command = home.hobnob(&["serve"]);
        let mut client = Client::start(&mut command, Era::Modern, ClientAbilities::nothing()).await;
        if round == 0 {
            task = client.call("tasks_create", json!({"description": "Count"})).await["id"].clone();
        } else {
            let kept = client.call("tasks_get", json!({"id": task})).await;
            assert_eq!(kept["result"], format!("round {}", round - 1), "{kept}");
            let status = if round % 2 == 1 { "in_progress" } else { "pending" };
            assert_eq!(kept["status"], status, "{kept}");
            assert_eq!(kept["started_at"].is_string(), round % 2 == 1, "{kept}");
        }
        let status = if round % 2 == 0 { "in_progress" } else { "pending" };
        let change = json!({"id": task, "status": status, "result": format!("round {round}")});
        client.call("tasks_update", change).await;
        kill(client).await;
    }
    let mut command = home.hobnob(&["serve"]);
    let mut client = Client::start(&mut command, Era::Modern, ClientAbilities::nothing()).await;
    let history = client.call("tasks_history", json!({"id": task})).await;
    let changes = history["steps"].as_array().unwrap().iter();
    let started = changes.filter(|step| step["action"] == "started").count();
    assert_eq!(started, rounds / 2 + 1, "{history}");
    client.end().await;
}
