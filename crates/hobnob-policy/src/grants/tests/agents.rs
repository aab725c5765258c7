//! Grants of agents: which program runs, where, and what the refusals say.

use std::time::Duration;

use super::support::{LOCAL, REMOTE, enabled, folder, principal, with_access};
use crate::{
    AgentGrantSource, AgentWish, GrantSet, GrantSources, NotGrantedReason, SandboxRule,
    WorkingFolder,
};

fn agent(name: &str, program: &str, folders: &[&str]) -> AgentGrantSource {
    AgentGrantSource {
        agent: name.into(),
        program: program.into(),
        folders: folders.iter().map(|path| folder(path, "write")).collect(),
        principal: None,
    }
}

fn sources() -> GrantSources {
    GrantSources {
        agents: vec![
            agent("claude", "/opt/claude", &["/home/a/p", "/home/a/q"]),
            AgentGrantSource {
                principal: Some("ann".into()),
                ..agent("codex", "/opt/codex", &["/b"])
            },
            agent("hub", "/opt/hobnob", &["/home/a/p"]),
        ],
        own_program: Some("/opt/hobnob".into()),
        ..GrantSources::default()
    }
}

fn wish(agent: &str, folder: Option<&str>) -> AgentWish {
    AgentWish {
        agent: agent.into(),
        arguments: vec!["-p".into(), "a b; $(c)".into()],
        folder: folder.map(Into::into),
        input: b"hello".to_vec(),
        timeout: Duration::from_secs(1),
    }
}

#[test]
fn a_granted_agent_runs_by_its_absolute_path_in_a_granted_folder() {
    for (folder, root, below) in [
        (None, "/home/a/p", ""),
        (Some("/home/a/q/src"), "/home/a/q", "src"),
        (Some("q/src"), "/home/a/q", "src"),
        (Some("/home/a/q/../p"), "/home/a/p", ""),
    ] {
        let permit = enabled(sources()).permit_agent(LOCAL, wish("claude", folder)).unwrap();
        let command = permit.request();
        assert_eq!(command.program().to_str(), Some("/opt/claude"));
        assert_eq!(command.arguments(), ["-p", "a b; $(c)"]);
        assert_eq!(command.input(), b"hello");
        assert_eq!(command.sandbox(), SandboxRule::Off);
        let WorkingFolder::Granted(place) = command.working_folder() else { panic!("{folder:?}") };
        assert_eq!(place.root().path().to_str(), Some(root));
        assert_eq!(place.to_path(), std::path::Path::new(root).join(below));
    }
}

#[test]
fn other_agents_folders_and_callers_are_refused() {
    let set = enabled(sources());
    for (who, agent, folder, line) in [
        (LOCAL, "claude", Some("/home/a"), "hobnob grant claudecode claude --in /home/a"),
        (LOCAL, "claude", Some("/home/a/p2"), "hobnob grant claudecode claude --in /home/a/p2"),
        (LOCAL, "claude", Some("r/x"), "hobnob grant claudecode claude --in FOLDER"),
        (LOCAL, "codex", None, "hobnob grant claudecode codex --in FOLDER"),
        (principal("ann"), "claude", None, "hobnob grant claudecode claude --in FOLDER --for ann"),
        // Hobnob is no agent, although a row names it.
        (LOCAL, "hub", None, "hobnob grant claudecode hub --in FOLDER"),
    ] {
        let denied = set.permit_agent(who, wish(agent, folder)).unwrap_err();
        assert_eq!(*denied.reason(), NotGrantedReason::NotCovered, "{agent} {folder:?}");
        assert_eq!(denied.commands(), [line]);
    }
    assert!(set.permit_agent(principal("ann"), wish("codex", None)).is_ok());
    let denied = set.permit_agent(REMOTE, wish("claude", None)).unwrap_err();
    assert_eq!(*denied.reason(), NotGrantedReason::RemoteCaller);
}

#[test]
fn nothing_runs_unless_the_service_may_change_things() {
    let refused = |set: GrantSet| set.permit_agent(LOCAL, wish("claude", None)).unwrap_err();
    let nothing = refused(GrantSet::nothing());
    let lines = ["hobnob enable claudecode", "hobnob grant claudecode claude --in FOLDER"];
    assert_eq!(nothing.commands(), lines);
    for access in ["disabled", "read-only"] {
        let denied = refused(with_access(sources(), access));
        assert_eq!(denied.commands(), ["hobnob enable claudecode"], "{access}");
    }
}

#[test]
fn what_no_program_can_be_given_is_refused() {
    let set = enabled(sources());
    let long = "x".repeat(200_000);
    for (agent, arguments) in [
        ("", vec![]),
        ("-x", vec![]),
        ("Claude", vec![]),
        ("claude\n", vec![]),
        ("claude", vec!["a\0b".to_owned()]),
        ("claude", vec![long]),
        ("claude", vec!["x".into(); 300]),
    ] {
        let asked = AgentWish { arguments, ..wish(agent, None) };
        let denied = set.permit_agent(LOCAL, asked).unwrap_err();
        assert!(matches!(denied.reason(), NotGrantedReason::BadInput(_)), "{denied}");
    }
    for folder in ["", "../x", "/a/../../b", "file://elsewhere/x"] {
        let denied = set.permit_agent(LOCAL, wish("claude", Some(folder))).unwrap_err();
        assert!(matches!(denied.reason(), NotGrantedReason::BadInput(_)), "{denied}");
    }
}

#[test]
fn a_row_that_makes_no_sense_is_named() {
    let claude = || agent("claude", "/opt/claude", &["/p"]);
    for (row, problem) in [
        (agent("claude", "/opt/claude", &[]), "no folder"),
        (agent("Claude", "/opt/claude", &["/p"]), "name"),
        (agent("claude", "claude", &["/p"]), "absolute"),
        (agent("claude", "/opt/claude", &["p"]), "absolute"),
        (AgentGrantSource { folders: vec![folder("/p", "read")], ..claude() }, "writing"),
        (AgentGrantSource { principal: Some("".into()), ..claude() }, "no name"),
    ] {
        let sources = GrantSources { agents: vec![row], ..GrantSources::default() };
        let error = GrantSet::parse(&sources).unwrap_err().to_string();
        assert!(error.starts_with("claudecode grant 1: ") && error.contains(problem), "{error}");
    }
    let texts = enabled(sources()).texts(crate::MachineService::Agents);
    assert_eq!(
        &*texts[0],
        "claudecode claude (/opt/claude), in /home/a/p, in /home/a/q, without a sandbox"
    );
    assert_eq!(&*texts[1], "claudecode codex (/opt/codex), in /b, without a sandbox for ann");
}
