//! The loop of a session with tools in the wire forms of other providers: a model asks for two
//! tools at once, both run, and each result goes back beside the call that it belongs to.

use serde_json::{Value, json};

use crate::cone_tools::SERVER;
use crate::faults_setup::{ALLOW, Setup};
use crate::memory_client::{Client, ClientAbilities, Era};
use crate::model_server::{EVENTS, ModelServer, whole};

/// So small that names, escapes and characters are cut.
const PIECE: usize = 7;

/// A wire form, both answers of its model, and the results of calls in its requests.
pub(crate) struct Form {
    pub(crate) dialect: &'static str,
    /// Asks for `say` twice at once, with the ids `call_1` and `call_2`.
    pub(crate) wants: &'static [&'static str],
    /// The events of an answer with the text "I see.".
    pub(crate) says: &'static [&'static str],
    /// The results of calls in a request, each with the id of its call.
    pub(crate) told: fn(&Value) -> Vec<(Value, String)>,
}

pub(crate) const FORMS: [Form; 3] = [
    Form {
        dialect: "anthropic",
        wants: &[
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":5,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"call_1","name":"mcp__one__say","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"m\": \"Z\\u00fc"}}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"call_2","name":"mcp__one__say","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"rich\"}"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"m\":\"two\"}"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
            r#"{"type":"message_stop"}"#,
        ],
        says: &[
            r#"{"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":5,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I see."}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#,
            r#"{"type":"message_stop"}"#,
        ],
        told: |body| {
            let last = body["messages"].as_array().unwrap().last().unwrap();
            assert_eq!(last["role"], "user", "{last}");
            let told = last["content"].as_array().unwrap().iter();
            told.map(|it| (it["tool_use_id"].clone(), it["content"].to_string())).collect()
        },
    },
    Form {
        dialect: "openai-chat",
        wants: &[
            r#"{"id":"c1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"mcp__one__say","arguments":""}}]}}]}"#,
            r#"{"id":"c1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"m\":\"Zü"}}]}}]}"#,
            r#"{"id":"c1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","function":{"name":"mcp__one__say","arguments":"{\"m\":\"two\"}"}},{"index":0,"function":{"arguments":"rich\"}"}}]}}]}"#,
            r#"{"id":"c1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            "[DONE]",
        ],
        says: &[
            r#"{"id":"c2","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"I see."}}]}"#,
            r#"{"id":"c2","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ],
        told: |body| {
            let all = body["messages"].as_array().unwrap().iter();
            let told = all.filter(|message| message["role"] == "tool");
            told.map(|it| (it["tool_call_id"].clone(), it["content"].to_string())).collect()
        },
    },
    Form {
        dialect: "openai-responses",
        wants: &[
            r#"{"type":"response.created","response":{"id":"resp_1","model":"m"}}"#,
            r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{\"m\""}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"mcp__one__say","arguments":"{\"m\":\"Zürich\"}"}}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"id":"fc_2","type":"function_call","call_id":"call_2","name":"mcp__one__say","arguments":"{\"m\":\"two\"}"}}"#,
            r#"{"type":"response.completed","response":{"id":"resp_1","status":"completed","usage":{"input_tokens":5,"output_tokens":9}}}"#,
        ],
        says: &[
            r#"{"type":"response.created","response":{"id":"resp_2","model":"m"}}"#,
            r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"I see."}"#,
            r#"{"type":"response.completed","response":{"id":"resp_2","status":"completed","usage":{"input_tokens":5,"output_tokens":3}}}"#,
        ],
        told: |body| {
            let all = body["input"].as_array().unwrap().iter();
            let told = all.filter(|item| item["type"] == "function_call_output");
            told.map(|it| (it["call_id"].clone(), it["output"].to_string())).collect()
        },
    },
];

pub(crate) fn events(payloads: &[&str]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()
}

#[tokio::test]
async fn parallel_calls_come_back_in_each_providers_form() {
    for Form { dialect, wants, says, told } in FORMS {
        let scripts = [wants, says].map(|payloads| whole(EVENTS, &events(payloads), PIECE));
        let provider = ModelServer::start(scripts.to_vec()).await;
        let Some(mut setup) = Setup::new(&format!("form-{dialect}")).await else { return };
        setup.settings(&format!(
            "[models]\ndefault = \"test/m\"\n[providers.test]\ndialect = \"{dialect}\"\n\
             url = \"{}\"\nkey = {{ variable = \"MODEL_KEY\" }}\nretries = 0\n{ALLOW}",
            provider.url
        ));
        setup.script("one", SERVER).write();
        let mut serve = setup.hobnob(&["serve"]);
        let nothing = ClientAbilities::nothing();
        let mut client = Client::start(serve.env("MODEL_KEY", "k"), Era::Modern, nothing).await;
        client.call("cone_create", json!({"name": "work", "tools": ["one/*"]})).await;
        let chat = json!({"name": "cone_chat", "arguments": {"name": "work", "prompt": "Go"}});
        let result = client.result("tools/call", chat).await;
        assert_eq!(result["content"][0]["text"], "I see.", "{dialect}: {result}");
        let seen = provider.seen();
        assert_eq!(seen.len(), 2, "{dialect}");
        assert!(seen[0].body["tools"].to_string().contains("mcp__one__say"), "{dialect}");
        let told = told(&seen[1].body);
        assert_eq!(told.len(), 2, "{dialect}: {told:?}");
        for (id, said) in [("call_1", "Zürich"), ("call_2", "two")] {
            let is_it = |(at, text): &(Value, String)| *at == id && text.contains(said);
            assert!(told.iter().any(is_it), "{dialect}: {id}: {told:?}");
        }
        client.end().await;
    }
}
