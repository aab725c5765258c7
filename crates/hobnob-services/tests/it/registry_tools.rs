//! The registry tools: which are listed, what they refuse, and their effects in Wine.

use crate::registry_server::{RegistryServer, key_grants};
use crate::wine::Wine;
use hobnob_machine::registry::Registry;
use hobnob_services::Dialect;
use serde_json::{Value, json};

/// A registry whose program does not exist: every permitted call fails with its own message.
fn no_program() -> Option<Registry> {
    Some(Registry::of_system("/nowhere/reg".into()))
}

fn of_wine(wine: &Wine) -> Option<Registry> {
    Some(Registry::of_wine(wine.program.clone(), wine.prefix().into()))
}

const READING: [&str; 2] = ["registry_list", "registry_read"];
const ALL: [&str; 4] = ["registry_delete", "registry_list", "registry_read", "registry_write"];

#[tokio::test]
async fn tools_are_listed_as_far_as_the_service_is_on() {
    let server = RegistryServer::new(Dialect::Native, no_program());
    assert!(server.tools().await.is_empty());
    for (access, tools) in [("disabled", &ALL[..0]), ("read-only", &READING), ("read-write", &ALL)]
    {
        server.grants.set(&key_grants(access, &[]));
        assert_eq!(server.tools().await, tools, "{access}");
    }
    let nowhere = RegistryServer::new(Dialect::Native, None);
    nowhere.grants.set(&key_grants("read-write", &[("HKCU", "write")]));
    assert!(nowhere.tools().await.is_empty());
    for registry in [None, no_program()] {
        let sysmcp = RegistryServer::new(Dialect::SysMcp, registry);
        assert_eq!(sysmcp.tools().await, ["registry_read", "registry_write"]);
    }
}

#[tokio::test]
async fn nothing_is_done_without_a_grant_and_the_refusal_says_what_to_type() {
    let server = RegistryServer::new(Dialect::Native, no_program());
    let key = r"HKCU\Software\Example\below";
    let write = json!({"key": key, "value": "n", "type": "REG_SZ", "data": "x"});
    let check = async |keys: &[(&str, &str)], tool: &str, arguments: &Value, part: &str| {
        server.grants.set(&key_grants("read-write", keys));
        let failure = server.failure(tool, arguments.clone()).await;
        assert!(failure.contains(part), "{failure}");
    };
    let read = json!({"key": key});
    let granted = r"HKCU\Software\Example";
    let line = format!("hobnob grant registry '{key}'");
    check(&[], "registry_read", &read, &line).await;
    check(&[(r"HKCU\Software\Exam", "write")], "registry_list", &read, &line).await;
    check(&[(granted, "read")], "registry_write", &write, "--write").await;
    let delete = json!({"key": key, "whole_key": true});
    check(&[(granted, "read")], "registry_delete", &delete, "--write").await;
    // A granted request reaches the program, which does not exist.
    check(&[(granted, "read")], "registry_read", &read, "cannot be run").await;
    check(&[(granted, "write")], "registry_write", &write, "cannot be run").await;
}

#[tokio::test]
async fn arguments_that_mean_nothing_or_too_much_are_refused() {
    let server = RegistryServer::new(Dialect::Native, no_program());
    server.grants.set(&key_grants("read-write", &[("HKCU", "write")]));
    let key = r"HKCU\Software\Example";
    let write = |name: &str, kind: &str, data: Value| json!({"key": key, "value": name, "type": kind, "data": data});
    for (tool, arguments, part) in [
        ("registry_delete", json!({"key": key}), "whole_key"),
        ("registry_delete", json!({"key": key, "value": "n", "whole_key": true}), "whole_key"),
        ("registry_delete", json!({"key": "HKCU", "whole_key": true}), "never changed"),
        ("registry_write", write("n", "REG_DWORD", json!(-1)), "data: REG_DWORD needs"),
        ("registry_write", write("n", "REG_SZ", json!("a\0b")), "NUL"),
        ("registry_write", write("a\0b", "REG_SZ", json!("a")), "control characters"),
        ("registry_write", write("/v", "REG_SZ", json!("a")), "option"),
        ("registry_write", write("n", "REG_SZ", json!("/f")), "option"),
        ("registry_write", write("n", "REG_SZ", json!("x".repeat(30_000))), "longer"),
        ("registry_read", json!({"key": r"\\other\HKCU\x"}), "begins with HKLM"),
        ("registry_read", json!({"key": r"HKCU\\x"}), "empty"),
        ("registry_read", json!({"key": "/?"}), "begins with HKLM"),
    ] {
        let failure = server.failure(tool, arguments).await;
        assert!(failure.contains(part), "{failure}");
    }
}

#[tokio::test]
async fn what_is_written_is_read_listed_and_deleted() {
    let Some(wine) = Wine::find() else { return };
    let server = RegistryServer::new(Dialect::Native, of_wine(&wine));
    server.grants.set(&key_grants("read-write", &[(r"HKCU\Software\Example", "write")]));
    let key = r"HKCU\Software\Example\a key";
    let data = json!(["C:\\0", "日本"]);
    let write = json!({"key": key, "value": "", "type": "REG_MULTI_SZ", "data": data});
    let written = server.data("registry_write", write).await;
    assert_eq!((&written["key"], &written["name"]), (&json!(key), &json!("")));
    let value = json!({"name": "", "type": "REG_MULTI_SZ", "data": data});
    let read = server.data("registry_read", json!({"key": key, "value": ""})).await;
    assert_eq!(read, json!({"key": key, "value": value, "exact": true}));
    let read = server.data("registry_read", json!({"key": key, "limit": 1})).await;
    assert_eq!(read, json!({"key": key, "values": [value], "total": 1, "exact": true}));
    let above = r"HKCU\Software\Example";
    let listed = server.data("registry_list", json!({"key": above})).await;
    assert_eq!(listed, json!({"key": above, "keys": ["a key"], "total": 1, "exact": true}));

    let deleted = server.data("registry_delete", json!({"key": key, "whole_key": true})).await;
    assert_eq!(deleted["key"], key);
    let failure = server.failure("registry_read", json!({"key": key})).await;
    assert!(failure.contains("no such key"), "{failure}");
    // A revoked grant does not permit the next call.
    server.grants.set(&key_grants("read-write", &[]));
    let failure = server.failure("registry_read", json!({"key": above})).await;
    assert!(failure.contains("hobnob grant registry"), "{failure}");
}

#[tokio::test]
async fn a_list_is_cut_into_pages() {
    let Some(wine) = Wine::find() else { return };
    let server = RegistryServer::new(Dialect::Native, of_wine(&wine));
    server.grants.set(&key_grants("read-write", &[("HKCU", "write")]));
    let all = server.data("registry_list", json!({"key": "HKCU"})).await;
    let total = all["total"].as_u64().unwrap();
    assert!(1 < total, "{all}");
    let last = json!({"key": "HKCU", "limit": 1, "offset": total - 1});
    let last = server.data("registry_list", last).await;
    assert_eq!((last["keys"].as_array().unwrap().len(), &last["next_offset"]), (1, &Value::Null));
    let first = server.data("registry_list", json!({"key": "HKCU", "limit": 1})).await;
    assert_eq!(first["next_offset"], 1);
    let beyond = server.data("registry_list", json!({"key": "HKCU", "offset": 1_000_000})).await;
    assert_eq!((&beyond["keys"], &beyond["total"]), (&json!([]), &json!(total)));
}

#[tokio::test]
async fn the_other_dialect_reads_and_writes_with_its_own_names() {
    let Some(wine) = Wine::find() else { return };
    let server = RegistryServer::new(Dialect::SysMcp, of_wine(&wine));
    let key = r"HKEY_CURRENT_USER\Software\Example";
    let failure = server.failure("registry_read", json!({"key": key})).await;
    assert!(failure.contains("hobnob enable registry"), "{failure}");
    server.grants.set(&key_grants("read-write", &[(key, "write")]));
    let write = json!({"path": key, "valueName": "n", "type": "reg_dword", "data": 7});
    let written = server.data("registry_write", write).await;
    assert_eq!((&written["valueName"], &written["type"]), (&json!("n"), &json!("REG_DWORD")));
    let short = r"HKCU\Software\Example";
    let read = server.data("registry_read", json!({"key": key, "valueName": "n"})).await;
    assert_eq!(read, json!({"key": short, "valueName": "n", "type": "REG_DWORD", "data": 7}));
    let read = server.data("registry_read", json!({"path": key})).await;
    let values = json!([{"name": "n", "type": "REG_DWORD", "data": 7}]);
    assert_eq!(read, json!({"key": short, "values": values, "subKeys": []}));
    let arguments = [
        (json!({"data": 1}), "key: it is missing"),
        (json!({"key": key, "path": key, "data": 1}), "give it once"),
        (json!({"key": key, "type": "word", "data": 1}), "type: expected REG_SZ"),
    ];
    for (arguments, part) in arguments {
        let failure = server.refusal("registry_write", arguments).await;
        assert!(failure.contains(part), "{failure}");
    }
}

#[tokio::test]
async fn without_a_registry_the_other_dialect_says_so() {
    let server = RegistryServer::new(Dialect::SysMcp, None);
    server.grants.set(&key_grants("read-write", &[("HKCU", "write")]));
    let failure = server.failure("registry_read", json!({"key": "HKCU"})).await;
    assert!(failure.starts_with("there is no registry on this machine"), "{failure}");
}
