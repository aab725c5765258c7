//! Which paths become absolute, and which stay unchanged.

use super::*;
use serde_json::json;

#[test]
fn paths_below_the_project_become_whole() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("shop");
    std::fs::create_dir_all(project.join("src")).unwrap();
    let absolute = |path: &str| format!("{}/{path}", project.display());
    let cases = [
        ("files_read", json!({"path": "src/main.rs"}), json!({"path": absolute("src/main.rs")})),
        ("files_write", json!({"path": "new.txt"}), json!({"path": absolute("new.txt")})),
        ("files_list", json!({"path": "."}), json!({"path": project.to_str().unwrap()})),
        ("files_list", json!({"path": "./src"}), json!({"path": absolute("src")})),
        (
            "files_move",
            json!({"from": "a", "to": "src/a"}),
            json!({"from": absolute("a"), "to": absolute("src/a")}),
        ),
        (
            "shell_run",
            json!({"cwd": "src", "command": "ls"}),
            json!({"cwd": absolute("src"), "command": "ls"}),
        ),
        // These may begin with the name of a granted folder.
        ("files_read", json!({"path": "shop/src/main.rs"}), json!({"path": "shop/src/main.rs"})),
        ("files_list", json!({"path": "shop"}), json!({"path": "shop"})),
        ("files_read", json!({"path": "other/file"}), json!({"path": "other/file"})),
        ("files_read", json!({"path": "/etc/passwd"}), json!({"path": "/etc/passwd"})),
        ("files_read", json!({"path": "../x"}), json!({"path": "../x"})),
        ("files_read", json!({"path": "file:///x"}), json!({"path": "file:///x"})),
        ("mcp__fs__read", json!({"path": "src"}), json!({"path": "src"})),
        ("files_read", json!([1]), json!([1])),
    ];
    for (tool, given, expected) in cases {
        let given = given.to_string();
        let found: Value =
            serde_json::from_str(&with_absolute_paths(tool, &given, &project)).unwrap();
        assert_eq!(found, expected, "{tool} {given}");
    }
}
