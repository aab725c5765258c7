//! Tasks on the wire: the same conversation in each era, and the examples of the guide to a small
//! task server, in the presentation of its profile.

use crate::calls::{greeted, modern};
use crate::tasks_server::TaskServer;
use hobnob_mcp_testkit::transcript::with_peer;
use hobnob_services::{Presentation, Success};
use serde_json::Value;

/// These revisions know only text, so data is sent as text.
#[tokio::test(start_paused = true)]
async fn a_life_in_the_first_revisions() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tasks_create",
            "arguments":{"description":"Write it down"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"$has \",\"description\":\"Write it down\",\"status\":\"pending\"}"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tasks.update",
            "arguments":{"id":"${b}","status":"completed"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text",
            "text":"task ${b} is blocked by ${a}"}],"isError":true}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"tasks_claim",
            "arguments":{"id":"${a}"}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text",
            "text":"$has \"claimed_by\":\"script\""}]}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"tasks_claim",
            "arguments":{"id":"${a}","worker":"other"}}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text",
            "text":"task ${a} is claimed by `script`"}],"isError":true}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"tasks_update",
            "arguments":{"id":"${a}","status":"completed","result":"done"}}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text",
            "text":"$has \"status\":\"completed\""}]}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"tasks_blockers",
            "arguments":{"id":"${a}"}}}
        < {"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text",
            "text":"{\"tasks\":[],\"count\":0}"}]}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"tasks_list",
            "arguments":{"status":"unknown"}}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"$has arguments.status",
            "data":{"problems":"$any"}}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"tasks_get",
            "arguments":{"id":"task_xyz"}}}
        < {"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text",
            "text":"task not found: task_xyz"}],"isError":true}}
        > {"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"tasks://task/${b}"}}
        < {"jsonrpc":"2.0","id":9,"result":{"contents":[{"uri":"tasks://task/${b}",
            "mimeType":"application/json","text":"$has \"ready\":true"}]}}
        > {"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":"tasks://task/no"}}
        < {"jsonrpc":"2.0","id":10,"error":{"code":-32002,"message":"resource not found: tasks://task/no","data":"$any"}}
        > {"jsonrpc":"2.0","id":11,"method":"prompts/get","params":{"name":"tasks_next"}}
        < {"jsonrpc":"2.0","id":11,"result":{"description":"What should I do next?","messages":[
            {"role":"user","content":{"type":"text","text":"$has I am `script`"}}]}}
        > {"jsonrpc":"2.0","id":12,"method":"completion/complete","params":{
            "ref":{"type":"ref/resource","uri":"tasks://task/{id}"},
            "argument":{"name":"id","value":"${b}"}}}
        < {"jsonrpc":"2.0","id":12,"result":{"completion":{"values":["${b}"],"total":1,"hasMore":false}}}
    "#;
    for version in ["2024-11-05", "2025-03-26"] {
        let server = TaskServer::new(&Presentation::default());
        let a = server.make("a").await;
        let blocked = serde_json::json!({"description": "b", "blockers": [a]});
        let b = server.data("tasks_create", blocked).await["id"].as_str().unwrap().to_owned();
        let words = format!("let a = {a}\nlet b = {b}\n");
        server.converse(&(words + &greeted(version, script))).await;
    }
}

/// Without a handshake, with data beside the text.
#[tokio::test(start_paused = true)]
async fn a_life_in_the_newest_revision() {
    let script = r#"
        > {${call},"id":1,"params":{"name":"tasks_create","arguments":{"description":"a"},${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"$any"}],
            "structuredContent":{"id":"$keep a","description":"a","status":"pending"},${us}}}
        > {${call},"id":2,"params":{"name":"tasks_create",
            "arguments":{"description":"b","blockers":[${a}],"priority":"high"},${me}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":"$any","structuredContent":{"id":"$keep b",
            "description":"b","status":"pending","priority":"high","blockers":[${a}]},${us}}}
        > {${call},"id":3,"params":{"name":"tasks_add_blocker",
            "arguments":{"id":${a},"blocker_id":${b}},${me}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text",
            "text":"$has that would be a cycle: "}],"isError":true,${us}}}
        > {${call},"id":4,"params":{"name":"tasks_claim","arguments":{"worker":"w"},${me}}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":"$any","structuredContent":{"claimed":true,
            "task":{"id":${a},"description":"a","status":"in_progress","priority":"normal",
                "list":"example.org/team/project","blockers":[],"open_blockers":[],"ready":false,
                "claimed_by":"w","lease_until":"$any","created_at":"$any","updated_at":"$keep at",
                "started_at":"$any"}},${us}}}
        > {${call},"id":5,"params":{"name":"tasks_update",
            "arguments":{"id":${a},"status":"completed","worker":"w"},${me}}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":"$any","structuredContent":{"id":${a},
            "description":"a","status":"completed","priority":"normal",
            "list":"example.org/team/project","blockers":[],"open_blockers":[],"ready":false,
            "created_at":"$any","updated_at":"$any","started_at":${at},"finished_at":"$any"},${us}}}
        > {${call},"id":6,"params":{"name":"tasks.ready","arguments":{},${me}}}
        < {"jsonrpc":"2.0","id":6,"result":{"content":"$any","structuredContent":{"count":1,
            "tasks":[{"id":${b},"description":"b","status":"pending","priority":"high",
                "list":"example.org/team/project","blockers":[${a}],"open_blockers":[],"ready":true,
                "created_at":"$any","updated_at":"$any"}]},${us}}}
        > {${call},"id":7,"params":{"name":"tasks_list","arguments":{"status":"unknown"},${me}}}
        < {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text",
            "text":"$has arguments.status"}],"isError":true,${us}}}
    "#;
    TaskServer::new(&Presentation::default()).converse(&modern(script)).await;
}

/// The guide's own requests and answers, except for the names of tools, which the gateway changes.
/// Its id is an example; ours is read from the answer. Everything else is equal to the byte.
#[tokio::test]
async fn the_guides_examples() {
    let presentation = Presentation {
        failure_prefix: "error: ".into(),
        success: Success::Spelled,
        ..Presentation::default()
    };
    let server = TaskServer::new(&presentation);
    with_peer(&server.server, async |peer| {
        let mut ask = async |request: &str| -> String {
            peer.send(format!("{request}\n").as_bytes()).await;
            let frame = peer.receive().await.unwrap();
            String::from_utf8(frame.bytes.to_vec()).unwrap()
        };
        ask(concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"#,
            r#""protocolVersion":"2025-03-26","capabilities":{},"#,
            r#""clientInfo":{"name":"ExampleClient","version":"1.0.0"}}}"#
        ))
        .await;
        let created = ask(concat!(
            r#"[{"jsonrpc":"2.0","method":"notifications/initialized"},"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"tasks_create","#,
            r#""arguments":{"description":"Fix parser bug"}}}]"#
        ))
        .await;
        let answer: Value = serde_json::from_str(&created).unwrap();
        let text = answer[0]["result"]["content"][0]["text"].as_str().unwrap();
        let task: Value = serde_json::from_str(text).unwrap();
        let id = task["id"].as_str().unwrap();
        assert!(id.starts_with("task_"), "{id}");
        assert_eq!(
            created.replace(id, "task_abc123"),
            concat!(
                r#"[{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"#,
                r#""{\"id\":\"task_abc123\",\"description\":\"Fix parser bug\",\"status\":\"pending\"}""#,
                r#"}],"isError":false}}]"#
            )
        );
        let failed = ask(concat!(
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"tasks_get","#,
            r#""arguments":{"id":"task_xyz"}}}"#
        ))
        .await;
        assert_eq!(
            failed,
            concat!(
                r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","#,
                r#""text":"error: task not found: task_xyz"}],"isError":true}}"#
            )
        );
        let unknown = ask(concat!(
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","#,
            r#""params":{"name":"nonexistent_tool"}}"#
        ))
        .await;
        assert_eq!(
            unknown,
            concat!(
                r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"#,
                r#""message":"Unknown tool: nonexistent_tool"}}"#
            )
        );
        peer.end().await;
    })
    .await;
}
