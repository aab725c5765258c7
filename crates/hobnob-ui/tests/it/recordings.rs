//! Recordings of messages: started within their limits, read page by page, searched, and downloaded.

use crate::page_hub::PageHub;
use crate::requests::{browser, get, post};
use serde_json::{Value, json};

async fn answers(cases: &[(&str, u16, &str)]) {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    for (path, expected, part) in cases {
        let (status, body) =
            get(&format!("/ui/api/recordings{path}")).by(&browser).answer(&hub).await;
        assert_eq!(status, *expected, "{path}: {body}");
        assert!(body.to_string().contains(part), "{path}: {body}");
    }
}

#[tokio::test]
async fn recordings_start_within_their_limits() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let git = json!({ "server": "git" });
    let long = json!({ "client": "x".repeat(201) });
    for (body, expected, part) in [
        (json!({ "subject": git }), 200, "600"),
        (json!({ "subject": { "client": "ada" }, "minutes": 60 }), 200, "3600"),
        (json!({ "subject": git, "minutes": 0 }), 422, "1 to 60"),
        (json!({ "subject": git, "minutes": 61 }), 422, "1 to 60"),
        (json!({ "subject": git, "hours": 1 }), 422, "hours"),
        (json!({ "subject": long }), 422, "characters"),
        (json!({ "subject": { "server": "" } }), 422, "characters"),
        (json!({ "subject": { "server": "none" } }), 404, "no such server"),
        (json!({ "subject": "all-clients" }), 409, "3 run already"),
    ] {
        let request = post("/ui/api/recordings").json(&body).by(&browser);
        let (status, answer) = request.answer(&hub).await;
        assert_eq!(status, expected, "{body}: {answer}");
        assert!(answer.to_string().contains(part), "{body}: {answer}");
    }
    for (id, expected) in [(1, 204), (2, 404)] {
        let stop = post(&format!("/ui/api/recordings/{id}/stop")).by(&browser);
        assert_eq!(stop.status(&hub).await, expected, "{id}");
    }
}

#[tokio::test]
async fn messages_are_read_page_by_page_and_searched() {
    answers(&[
        ("", 200, "\"git\""),
        ("/1/messages?limit=3", 200, "\"next\":2"),
        ("/1/messages?before=2", 200, "\"next\":null"),
        ("/1/messages?q=CUP+ada", 200, "<b>Cup</b>"),
        ("/1/messages?q=nothing", 200, "\"messages\":[]"),
        ("/1/messages?limit=0", 422, "limit"),
        ("/1/messages?limit=501", 422, "limit"),
        ("/2/messages", 404, "over"),
        ("/1/messages/7", 404, "newer messages"),
        ("/2/export", 404, "over"),
    ])
    .await;
}

#[tokio::test]
async fn a_list_has_beginnings_and_one_message_has_its_whole_call() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let read = async |path: &str| {
        get(&format!("/ui/api/recordings/1/messages{path}")).by(&browser).answer(&hub).await.1
    };
    let list = read("").await;
    let texts = list["messages"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap());
    assert_eq!(texts.map(str::len).collect::<Vec<_>>(), [200, 7, 11, 18], "the newest first");
    let whole = read("/2").await;
    let numbers = |list: &Value| -> Vec<u64> {
        list.as_array().unwrap().iter().map(|it| it["number"].as_u64().unwrap()).collect()
    };
    assert_eq!(whole["message"]["text"], "{\"a\":\"cup\"}");
    assert_eq!((numbers(&whole["related"]), &whole["left_out"]), (vec![1, 3], &json!(0)));
    assert_eq!(read("/4").await["related"], json!([]));
}
