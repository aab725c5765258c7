//! The command line of each agent for each kind of chat, as the programs document it.

use super::{ChatRequest, words};
use crate::agents::catalog::AgentCatalog;
use hobnob_store::agents::AgentHead;

const CLAUDE: [&str; 5] =
    ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"];

fn check(agent: &str, request: ChatRequest<'_>, expected: &[&str]) {
    let catalog = AgentCatalog::built_in().unwrap();
    let made = words(catalog.get(agent).unwrap(), request).unwrap();
    assert_eq!(made, expected, "{agent} {request:?}");
}

#[test]
fn each_agent_gets_the_words_it_documents() {
    let (fresh, resume, fork) =
        (AgentHead::Fresh, AgentHead::Resume("id-1".into()), AgentHead::Fork("id-2".into()));
    let request = |head| ChatRequest { head, model: None, system_prompt: None, max_turns: None };
    check("claude", request(&fresh), &CLAUDE);
    check("claude", request(&resume), &[&CLAUDE[..], &["--resume=id-1"]].concat());
    check("claude", request(&fork), &[&CLAUDE[..], &["--resume=id-2", "--fork-session"]].concat());
    let all = ChatRequest {
        model: Some("opus"),
        system_prompt: Some("--be brief\n'now'"),
        max_turns: Some(3),
        ..request(&fresh)
    };
    let options = ["--model=opus", "--system-prompt=--be brief\n'now'", "--max-turns=3"];
    check("claude", all, &[&CLAUDE[..], &options].concat());
    check("codex", request(&fresh), &["exec", "--json", "-"]);
    let with_model = |head| ChatRequest { model: Some("o"), ..request(head) };
    check("codex", with_model(&resume), &["exec", "resume", "--json", "--model=o", "id-1", "-"]);
    check("codex", request(&fork), &["exec", "fork", "--json", "id-2", "-"]);
    check("gemini", with_model(&fresh), &["--output-format=stream-json", "--model=o"]);
    check("gemini", request(&resume), &["--output-format=stream-json", "--resume=id-1"]);
}

#[test]
fn what_an_agent_cannot_be_told_is_refused() {
    let catalog = AgentCatalog::built_in().unwrap();
    let (fresh, fork) = (AgentHead::Fresh, AgentHead::Fork("id".into()));
    let request = |head| ChatRequest { head, model: None, system_prompt: None, max_turns: None };
    for (agent, request, refusal) in [
        ("codex", ChatRequest { max_turns: Some(1), ..request(&fresh) }, "`max_turns`"),
        ("gemini", ChatRequest { system_prompt: Some("x"), ..request(&fresh) }, "`system_prompt`"),
        ("gemini", request(&fork), "copy"),
    ] {
        let refused = words(catalog.get(agent).unwrap(), request).unwrap_err();
        assert!(refused.contains(refusal), "{agent}: {refused}");
    }
}

#[test]
fn every_agent_has_a_name_of_its_own() {
    let catalog = AgentCatalog::built_in().unwrap();
    let names: Vec<&str> = catalog.names().collect();
    assert_eq!(names, ["claude", "codex", "gemini"]);
    assert!(catalog.get("").is_none() && catalog.get("Claude").is_none());
}
