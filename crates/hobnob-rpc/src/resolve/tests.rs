//! Names as callers type them, and the errors for unknown ones.

use super::{RpcTarget, SchemaScope, resolve};
use crate::directory::{MethodDirectory, MethodEntry};
use serde_json::{Value, json};

fn entry(service: &str, method: &str, tool: &str) -> MethodEntry {
    MethodEntry {
        service: service.into(),
        method: method.into(),
        tool: tool.into(),
        definition: r#"{"description":"It."}"#.into(),
    }
}

fn directory() -> MethodDirectory {
    MethodDirectory::new([
        entry("bash", "execute", "bash.execute"),
        entry("bash", "list", "bash.list"),
        entry("arbor", "tree_create", "arbor.tree_create"),
        entry("arbor_tree", "create", "mcp__arbor_tree__create"),
        entry("odd.name", "get.it", "mcp__odd_name__get_it"),
        entry("has", "schema", "has_schema"),
        entry("git", "unsubscribe", "mcp__git__unsubscribe"),
    ])
}

/// The tool behind a name, or the meta method that it means.
fn meant(name: &str) -> String {
    let directory = directory();
    match resolve(&directory, name) {
        Ok(RpcTarget::Method(method)) => method.tool.clone(),
        Ok(RpcTarget::Unsubscribe) => "unsubscribe".into(),
        Ok(RpcTarget::Schema(SchemaScope::Everything)) => "schema of everything".into(),
        Ok(RpcTarget::Schema(SchemaScope::Service(service))) => format!("schema of {service}"),
        Ok(RpcTarget::Hash(SchemaScope::Everything)) => "hash of everything".into(),
        Ok(RpcTarget::Hash(SchemaScope::Service(service))) => format!("hash of {service}"),
        Err(_) => "nothing".into(),
    }
}

#[test]
fn a_name_means_one_thing() {
    for (name, expected) in [
        ("bash.execute", "bash.execute"),
        ("bash_execute", "bash.execute"),
        ("arbor.tree_create", "arbor.tree_create"),
        // Both have this name; the first one in the list is meant.
        ("arbor_tree_create", "arbor.tree_create"),
        ("arbor_tree.create", "mcp__arbor_tree__create"),
        ("odd.name.get.it", "mcp__odd_name__get_it"),
        ("odd.name_get.it", "mcp__odd_name__get_it"),
        ("schema", "schema of everything"),
        ("hash", "hash of everything"),
        ("unsubscribe", "unsubscribe"),
        ("bash.schema", "schema of bash"),
        ("bash_hash", "hash of bash"),
        ("odd.name.hash", "hash of odd.name"),
        ("bash.unsubscribe", "unsubscribe"),
        ("bash.execute_unsubscribe", "unsubscribe"),
        ("bash_execute_unsubscribe", "unsubscribe"),
        ("bash.execute.unsubscribe", "unsubscribe"),
        // A service's own method comes first.
        ("has.schema", "has_schema"),
        ("git.unsubscribe", "mcp__git__unsubscribe"),
        ("bash.Execute", "nothing"),
        ("bash", "nothing"),
        ("bash.", "nothing"),
        (".execute", "nothing"),
        ("none.schema", "nothing"),
        ("none.unsubscribe", "nothing"),
        ("", "nothing"),
    ] {
        assert_eq!(meant(name), expected, "{name}");
    }
}

#[test]
fn errors_tell_what_there_is_and_what_is_near() {
    for (name, message, data) in [
        (
            "bash.exceute",
            "service `bash` has no method `bash.exceute`; it has: execute, list; \
             did you mean `bash.execute`?",
            json!({
                "service": "bash", "methods": ["execute", "list"], "nearest": ["bash.execute"],
            }),
        ),
        (
            "bash_nothing_like_it",
            "service `bash` has no method `bash_nothing_like_it`; it has: execute, list",
            json!({"service": "bash", "methods": ["execute", "list"]}),
        ),
        (
            "bsh.execute",
            "method not found: bsh.execute; there are the services: arbor, arbor_tree, bash, git, \
             has, odd.name; did you mean `bash.execute`?",
            json!({
                "services": ["arbor", "arbor_tree", "bash", "git", "has", "odd.name"],
                "nearest": ["bash.execute"],
            }),
        ),
        (
            "bash",
            "`bash` is a service; it has: execute, list",
            json!({"service": "bash", "methods": ["execute", "list"]}),
        ),
        (
            "bahs.something_else",
            "method not found: bahs.something_else; there are the services: arbor, arbor_tree, \
             bash, git, has, odd.name; did you mean `bash`? It has: execute, list",
            json!({
                "methods": ["execute", "list"],
                "services": ["arbor", "arbor_tree", "bash", "git", "has", "odd.name"],
                "nearest": ["bash"],
            }),
        ),
        (
            "nothing.like_it",
            "method not found: nothing.like_it; there are the services: arbor, arbor_tree, bash, \
             git, has, odd.name",
            json!({"services": ["arbor", "arbor_tree", "bash", "git", "has", "odd.name"]}),
        ),
        // Nothing suggests that the name means a method of a service.
        ("nonsense", "method not found: nonsense", json!({})),
        ("", "method not found: ", json!({})),
    ] {
        let error = resolve(&directory(), name).unwrap_err().to_rpc();
        assert_eq!((error.code.0, &*error.message), (-32601, message));
        let received: Value = serde_json::from_str(error.data.unwrap().get()).unwrap();
        assert_eq!(received, data, "{name}");
    }
    let long = "x".repeat(10_000);
    let error = resolve(&MethodDirectory::default(), &long).unwrap_err().to_rpc();
    assert!(error.message.len() < 200 && error.message.ends_with('x'), "{error}");
}

#[test]
fn hashes_change_with_what_they_are_of_and_with_nothing_else() {
    let one = directory();
    let mut entries: Vec<MethodEntry> = vec![
        entry("git", "unsubscribe", "mcp__git__unsubscribe"),
        entry("has", "schema", "has_schema"),
        entry("odd.name", "get.it", "mcp__odd_name__get_it"),
        entry("arbor_tree", "create", "mcp__arbor_tree__create"),
        entry("arbor", "tree_create", "arbor.tree_create"),
        entry("bash", "list", "bash.list"),
        entry("bash", "execute", "bash.execute"),
    ];
    let reordered = MethodDirectory::new(entries.clone());
    assert_eq!(one.hash(), reordered.hash(), "the order does not count");
    entries[5].definition = r#"{"description":"Another."}"#.into();
    let changed = MethodDirectory::new(entries);
    let hash = |it: &MethodDirectory, name: &str| it.method(name).unwrap().hash.clone();
    assert_ne!(hash(&one, "bash.list"), hash(&changed, "bash.list"));
    assert_eq!(hash(&one, "bash.execute"), hash(&changed, "bash.execute"));
    assert_ne!(one.service_hash("bash"), changed.service_hash("bash"));
    assert_eq!(one.service_hash("arbor"), changed.service_hash("arbor"));
    assert_ne!(one.hash(), changed.hash());
}
