//! What a relay remembers, without pipes: lines in both directions, and the end of the hub.

use super::conversation::{Conversation, Passage};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"a":1}}"#;
const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{"listChanged":true},"prompts":{}}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A conversation after these lines: `>` from the client, `<` from the hub.
fn after(lines: &[(char, &str)]) -> Conversation {
    let mut conversation = Conversation::default();
    for (from, line) in lines {
        let passage = match from {
            '>' => conversation.note_client_line(line),
            _ => conversation.note_hub_line(line),
        };
        assert_eq!(passage, Passage::Forward, "{line}");
    }
    conversation
}

#[test]
fn requests_without_an_answer_fail_and_questions_are_taken_back() {
    let mut conversation = after(&[
        ('>', r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#),
        ('>', r#"{"jsonrpc":"2.0","id":"two","method":"tools/call"}"#),
        ('>', r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#),
        (
            '>',
            r#"[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":5,"method":"ping"}]"#,
        ),
        ('<', r#"{"jsonrpc":"2.0","id":3,"result":{}}"#),
        ('<', r#"[{"jsonrpc":"2.0","id":4,"result":{}}]"#),
        ('<', r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create"}"#),
        ('<', r#"{"jsonrpc":"2.0","id":8,"method":"roots/list"}"#),
        ('<', r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}"#),
        ('>', r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#),
        ('>', "not a message"),
    ]);
    let lines = conversation.lose_hub();
    let starts = [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7"#,
        r#"{"jsonrpc":"2.0","id":"two","error":{"code":-31003,"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-31003,"#,
    ];
    assert_eq!(lines.len(), starts.len(), "{lines:?}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
    // The next hub may ask with the same id, so the old answer must not reach it.
    let late = conversation.note_client_line(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    assert_eq!(late, Passage::Drop);
    assert!(conversation.lose_hub().is_empty());
    assert!(conversation.replay().greeting.is_none(), "a modern client needs no greeting");
}

#[test]
fn a_session_is_opened_again_as_it_was() {
    let mut conversation = after(&[
        ('>', INITIALIZE),
        ('<', HELLO),
        ('>', INITIALIZED),
        ('>', r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}"#),
        ('>', r#"{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:b"}}"#),
        ('>', r#"{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"c:d"}}"#),
        (
            '>',
            r#"{"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"c:d"}}"#,
        ),
    ]);
    assert_eq!(conversation.lose_hub().len(), 4);
    let replay = conversation.replay();
    let (greeting, answered) = replay.greeting.unwrap();
    let expected =
        r#"{"jsonrpc":"2.0","id":"hobnob:attach:1","method":"initialize","params":{"a":1}}"#;
    assert_eq!(greeting, expected);
    assert_eq!(
        replay.afterwards,
        [
            INITIALIZED,
            r#"{"jsonrpc":"2.0","id":"hobnob:attach:2","method":"logging/setLevel","params":{"level":"info"}}"#,
            r#"{"jsonrpc":"2.0","id":"hobnob:attach:3","method":"resources/subscribe","params":{"uri":"a:b"}}"#,
        ]
    );
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    assert_eq!(replay.notifications, [changed]);
    let mut answered = answered.unwrap();
    assert!(answered.try_recv().is_err());
    for id in 1..=3 {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":"hobnob:attach:{id}","result":{{}}}}"#);
        assert_eq!(conversation.note_hub_line(&answer), Passage::Drop, "the client asked nothing");
    }
    assert_eq!(answered.try_recv(), Ok(()));
}

#[test]
fn a_handshake_that_was_under_way_is_made_again_for_the_client() {
    let mut conversation = after(&[('>', INITIALIZE)]);
    assert!(conversation.lose_hub().is_empty());
    let replay = conversation.replay();
    let (greeting, answered) = replay.greeting.unwrap();
    assert_eq!(greeting, INITIALIZE);
    assert!(answered.is_none() && replay.afterwards.is_empty() && replay.notifications.is_empty());
    assert_eq!(conversation.note_hub_line(HELLO), Passage::Forward);
    assert!(conversation.lose_hub().is_empty());
}
