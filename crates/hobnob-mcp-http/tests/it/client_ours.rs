//! The client half against the server half, in both eras.

use std::time::Duration;

use hobnob_mcp_engine::Change;
use hobnob_mcp_transport::Carrier as _;
use hobnob_mcp_types::{Method, Revision};
use serde_json::{Value, json};

use crate::client_recorder::{Talk, says};
use crate::stage::{NEWEST_LEGACY, Setting, Stage, Told, modern_meta, script};

fn talk(stage: &Stage) -> Talk {
    Talk::to(&format!("http://{}/mcp", stage.address))
}

async fn greeted(stage: &Stage, revision: Revision) -> Talk {
    let mut talk = talk(stage);
    talk.initialize(0, revision.as_str());
    says(&talk.heard.next().await, "answer 0 ");
    talk.initialized(revision);
    talk.carrier.greeted(revision);
    talk
}

fn modern(mut params: Value) -> Value {
    let mut meta = modern_meta();
    if let Some(token) = params["_meta"].get("progressToken") {
        meta["progressToken"] = token.clone();
    }
    params["_meta"] = meta;
    params
}

fn echo(text: &str) -> Value {
    json!({"name": "echo", "arguments": {"text": text}})
}

#[tokio::test]
async fn every_revision_is_spoken() {
    let stage = Stage::start().await;
    for revision in Revision::ALL {
        let is_modern = revision == Revision::NEWEST;
        let mut talk = if is_modern { talk(&stage) } else { greeted(&stage, revision).await };
        for id in 1..=3 {
            let text = format!("said {id}");
            let params = if is_modern { modern(echo(&text)) } else { echo(&text) };
            talk.ask(id, Method::ToolsCall, &params, Some(revision));
            let answer = talk.heard.next().await;
            says(&answer, &format!("answer {id} "));
            assert!(answer.contains(&text) && answer.ends_with(&format!("on {id}")), "{answer}");
        }
        assert_eq!(stage.sessions().await, u64::from(!is_modern), "{revision}");
        talk.carrier.close();
        stage.until_sessions(0).await;
        assert_eq!(talk.finish().await.rest(), [""; 0], "{revision}");
    }
}

#[tokio::test]
async fn an_error_status_of_the_modern_era_is_an_answer() {
    let stage = Stage::start().await;
    let mut talk = talk(&stage);
    talk.ask(1, Method::ToolsCall, &modern(json!({"name": "none"})), Some(Revision::NEWEST));
    says(&talk.heard.next().await, "error 1 -32602 ");
    talk.ask(2, Method::ToolsList, &json!({}), Some(Revision::NEWEST));
    says(&talk.heard.next().await, "error 2 -32602 ");
    // The header says another tool than the body.
    let head = hobnob_mcp_transport::RequestHead {
        id: 3.into(),
        method: Method::ToolsCall,
        revision: Some(Revision::NEWEST),
        name: Some("other".into()),
        mirrored: Vec::new(),
    };
    talk.send(3.into(), head, &modern(echo("x")));
    says(&talk.heard.next().await, "error 3 -32020 ");
}

#[tokio::test]
async fn mirrored_parameters_are_what_our_server_expects() {
    let stage = Stage::start().await;
    let mut talk = talk(&stage);
    let arguments = json!({"region": "Zürich", "count": 3, "flag": true});
    let head = hobnob_mcp_transport::RequestHead {
        id: 1.into(),
        method: Method::ToolsCall,
        revision: Some(Revision::NEWEST),
        name: Some("mirror".into()),
        mirrored: vec![
            ("Region".into(), "Zürich".into()),
            ("Count".into(), "3".into()),
            ("Flag".into(), "true".into()),
        ],
    };
    talk.send(1.into(), head, &modern(json!({"name": "mirror", "arguments": arguments})));
    let answer = talk.heard.next().await;
    says(&answer, "answer 1 ");
    assert!(answer.contains("Zürich"), "{answer}");
}

#[tokio::test]
async fn a_forgotten_session_of_our_server_is_known_for_one() {
    let stage = Stage::with(Setting::sessions(|limits| limits.idle = Duration::ZERO)).await;
    let mut talk = talk(&stage);
    talk.initialize(0, NEWEST_LEGACY);
    says(&talk.heard.next().await, "answer 0 ");
    // Nobody uses it, so it ends behind the client's back.
    stage.until_sessions(0).await;
    talk.call(1);
    assert_eq!(talk.heard.next().await, "lost 1 session gone");
}

#[tokio::test]
async fn a_call_that_sends_its_client_away_is_heard_to_its_end() {
    let mut stage = Stage::start().await;
    let mut talk = greeted(&stage, Revision::NEWEST_LEGACY).await;
    let steps = ["log:1", "pause:5", "wait:a", "log:2", "pause:6", "wait:a", "log:3"];
    let revision = Some(Revision::NEWEST_LEGACY);
    talk.ask(7, Method::ToolsCall, &script("a", &steps, "done"), revision);
    assert_eq!(stage.told().await, Told::Began("a".into()));
    assert_eq!(talk.heard.next().await, "note notifications/message \"1\", on 7");
    stage.open_gate("a", 1);
    assert_eq!(talk.heard.next().await, "note notifications/message \"2\", on 7");
    stage.open_gate("a", 1);
    assert_eq!(talk.heard.next().await, "note notifications/message \"3\", on 7");
    says(&talk.heard.next().await, "answer 7 ");
    assert_eq!(stage.told().await, Told::Ended("a".into()));
    assert_eq!(talk.heard.rest(), [""; 0]);
}

#[tokio::test]
async fn letting_a_modern_call_go_cancels_it() {
    let mut stage = Stage::start().await;
    let talk = talk(&stage);
    let params = modern(script("a", &["progress", "wait:never"], "done"));
    talk.ask(7, Method::ToolsCall, &params, Some(Revision::NEWEST));
    assert_eq!(stage.told().await, Told::Began("a".into()));
    talk.carrier.abandon(&7.into());
    assert_eq!(stage.told().await, Told::Dropped("a".into()));
    talk.finish().await;
}

#[tokio::test]
async fn changes_come_on_the_standing_stream() {
    let stage = Stage::start().await;
    let mut talk = greeted(&stage, Revision::NEWEST_LEGACY).await;
    // An answer says that the handshake is done. What changes then is kept until the stream stands.
    talk.ask(1, Method::ToolsCall, &echo("x"), Some(Revision::NEWEST_LEGACY));
    says(&talk.heard.next().await, "answer 1 ");
    for change in [Change::Tools, Change::Prompts] {
        stage.publish(&change);
    }
    assert_eq!(talk.heard.next().await, "note notifications/tools/list_changed, aside");
    assert_eq!(talk.heard.next().await, "note notifications/prompts/list_changed, aside");
    talk.carrier.close();
    stage.until_sessions(0).await;
}
