//! An answer is assembled, stored and read back.

use super::ReplyCollector;
use crate::event::{ModelCompletion, ModelEvent, StopReason};
use crate::request::{ModelBlock, ModelMessage, ThinkingBlock};
use crate::tool::{ToolInput, ToolUse};
use crate::usage::TokenUsage;

#[test]
fn blocks_stay_in_order_and_survive_being_stored() {
    let thought = ThinkingBlock {
        text: "hm".into(),
        signature: Some("sig".into()),
        hidden: false,
        model: "m".into(),
    };
    let call = |id: &str| ToolUse {
        id: id.into(),
        name: "look".into(),
        input: ToolInput::parse(r#"{"at": [1.50]}"#).unwrap(),
    };
    let events = [
        ModelEvent::Started { id: "1".into(), model: "m".into() },
        ModelEvent::Thinking("h".into()),
        ModelEvent::Thinking("m".into()),
        ModelEvent::ThinkingEnded(thought.clone()),
        ModelEvent::Text("a".into()),
        ModelEvent::Text("b".into()),
        ModelEvent::ToolUse(call("x")),
        ModelEvent::ToolUse(call("y")),
        ModelEvent::Text("c".into()),
        ModelEvent::Usage(TokenUsage::default()),
        ModelEvent::Finished(ModelCompletion { stop: StopReason::End, usage: None, cost: None }),
    ];
    let mut collector = ReplyCollector::default();
    events.iter().for_each(|event| collector.push(event));
    let message = collector.into_message();
    let expected = [
        ModelBlock::Thinking(thought),
        ModelBlock::Text("ab".into()),
        ModelBlock::ToolUse(call("x")),
        ModelBlock::ToolUse(call("y")),
        ModelBlock::Text("c".into()),
    ];
    assert_eq!(message.blocks, expected);
    assert_eq!(message.text(), "ab\n\nc");

    let stored = serde_json::to_string(&message).unwrap();
    assert!(stored.contains(r#"{"at": [1.50]}"#), "{stored}");
    assert_eq!(serde_json::from_str::<ModelMessage>(&stored).unwrap(), message);
}
