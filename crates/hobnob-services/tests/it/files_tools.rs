//! Every file tool on real folders: its answer as data and as text.

use crate::files_server::{Asker, FileServer, HeardProgress, grants};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::Method;
use hobnob_services::{Dialect, Presentation};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::sync::Arc;

const READING: [&str; 5] = ["files_list", "files_read", "files_search", "files_stat", "files_tree"];
const CHANGING: [&str; 5] =
    ["files_delete", "files_edit", "files_mkdir", "files_move", "files_write"];

#[test]
fn tools_are_listed_by_the_grants() {
    let cases = [
        ("read-write", true, [&READING[..], &CHANGING[..]].concat()),
        ("read-only", true, READING.to_vec()),
        ("disabled", true, Vec::new()),
        ("read-write", false, Vec::new()),
    ];
    for (access, granted, mut expected) in cases {
        let files = FileServer::with(&Presentation::default(), |inside| match granted {
            true => grants(access, &[(inside, "write", None)]),
            false => grants(access, &[]),
        });
        let mut tools = files.tools();
        tools.sort();
        expected.sort_unstable();
        assert_eq!(tools, expected, "{access}");
        assert_eq!(files.toolbox().lists().templates().len(), usize::from(!expected.is_empty()));
    }
}

#[test]
fn arguments_are_described_and_effects_are_hinted() {
    let files = FileServer::new();
    for tool in files.toolbox().lists().tools() {
        let listed: Value = serde_json::from_str(&tool.json).unwrap();
        for (name, property) in listed["inputSchema"]["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{}.{name}", tool.key);
        }
        assert!(listed["outputSchema"].is_object(), "{}", tool.key);
        let hints = &listed["annotations"];
        assert_eq!(hints["readOnlyHint"], READING.contains(&&*tool.key), "{}", tool.key);
        let loses = ["files_write", "files_edit", "files_move", "files_delete"];
        assert_eq!(hints["destructiveHint"], loses.contains(&&*tool.key), "{}", tool.key);
        assert_eq!(hints["openWorldHint"], false);
    }
}

#[tokio::test]
async fn facts_lists_and_trees() {
    let files = FileServer::new();
    files.write("a/b.txt", "12345");
    files.write("a/.dot", "");
    symlink("a/b.txt", files.inside.join("link")).unwrap();
    let stat = files.data("files_stat", json!({"path": files.path("a/b.txt")})).await;
    let known = [("kind", json!("file")), ("size", json!(5)), ("access", json!("write"))];
    for (member, expected) in known {
        assert_eq!(stat[member], expected);
    }
    // Different spellings of the same path.
    for path in ["granted/a/b.txt".to_owned(), stat["uri"].as_str().unwrap().to_owned()] {
        assert_eq!(files.data("files_stat", json!({"path": path})).await, stat, "{path}");
    }
    let link = files.data("files_stat", json!({"path": "granted/link"})).await;
    assert_eq!((&link["link_target"], &link["leads_to"]), (&json!("a/b.txt"), &json!("file")));
    let text = files.text("files_list", json!({"path": "granted"})).await;
    assert_eq!(text, format!("{}: 2 entries\na/\nlink@", files.inside.display()));
    let page = files.data("files_list", json!({"path": "granted/a", "limit": 1})).await;
    assert_eq!((&page["total"], &page["entries"][0]["name"]), (&json!(2), &json!(".dot")));
    let cursor = &page["next_cursor"];
    let next = json!({"path": "granted/a", "limit": 1, "cursor": cursor});
    let next = files.data("files_list", next).await;
    assert_eq!(next["entries"][0]["name"], "b.txt");
    assert_eq!(next.get("next_cursor"), None);
    let roots = files.data("files_list", json!({})).await;
    assert_eq!(roots["entries"][0]["name"], files.path("").trim_end_matches('/'));
    assert_eq!(roots["entries"][0]["access"], "write");
    let tree = files.text("files_tree", json!({"path": "granted"})).await;
    assert_eq!(tree, format!("{}/\n  a/\n    b.txt\n  link@", files.inside.display()));
}

#[tokio::test]
async fn windows_of_files() {
    let files = FileServer::new();
    files.write("text", "one\ntwo\nthree\n");
    let read = async |more: Value| {
        let mut arguments = json!({"path": "granted/text"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        files.data("files_read", arguments).await
    };
    let whole = read(json!({})).await;
    assert_eq!((&whole["text"], &whole["more"]), (&json!("one\ntwo\nthree\n"), &json!(false)));
    assert_eq!(whole["hash"].as_str().unwrap().len(), 64);
    let lines = read(json!({"line": 2, "lines": 1})).await;
    assert_eq!((&lines["text"], &lines["next_line"]), (&json!("two\n"), &json!(3)));
    assert_eq!((&lines["offset"], &lines["next_offset"]), (&json!(4), &json!(8)));
    let bytes = read(json!({"offset": 4, "max_bytes": 3})).await;
    assert_eq!((&bytes["text"], &bytes["next_offset"]), (&json!("two"), &json!(7)));
    assert_eq!(bytes.get("next_line"), None);
    let both = json!({"path": "granted/text", "line": 1, "offset": 1});
    let refused = files.failure(Asker::Local, "files_read", both).await;
    assert_eq!(refused, "offset: give a window of lines or of bytes, not both");
    let text = files.tool("files_read", json!({"path": "granted/text", "lines": 1})).await;
    assert_eq!(text["content"][0]["text"], "one\n");
    assert_eq!(text["content"][1]["text"], "[the file has 14 bytes; it goes on at line 2]");
}

#[tokio::test]
async fn a_window_of_a_huge_file() {
    let files = FileServer::new();
    // A sparse file: its size takes no blocks on disk.
    let file = fs::File::create(files.inside.join("huge")).unwrap();
    file.set_len(1 << 40).unwrap();
    let part = json!({"path": "granted/huge", "offset": (1_u64 << 40) - 4});
    let part = files.data("files_read", part).await;
    assert_eq!((&part["size"], &part["more"]), (&json!(1_u64 << 40), &json!(false)));
    assert_eq!(part["binary"], true);
    let first = files.data("files_read", json!({"path": "granted/huge", "max_bytes": 10})).await;
    assert_eq!(first["next_offset"], 10);
    let resource = format!("file://{}", files.path("huge"));
    let read = files.ask(Asker::Local, Method::ResourcesRead, json!({"uri": resource})).await;
    assert!(read["message"].as_str().unwrap().contains("read it in parts"), "{read}");
}

#[tokio::test]
async fn what_is_no_text_is_a_blob() {
    let files = FileServer::new();
    files.write("image.png", b"\x89PNG\0");
    let result = files.tool("files_read", json!({"path": "granted/image.png"})).await;
    let blob = &result["content"][1]["resource"];
    assert_eq!((&blob["blob"], &blob["mimeType"]), (&json!("iVBORwA="), &json!("image/png")));
    assert_eq!(result["structuredContent"]["binary"], true);
    assert_eq!(result["structuredContent"].get("text"), None);
}

#[tokio::test]
async fn names_that_are_no_text() {
    let files = FileServer::new();
    let name = OsStr::from_bytes(b"odd \xff.txt");
    fs::write(files.inside.join(name), "found").unwrap();
    let list = files.data("files_list", json!({"path": "granted"})).await;
    let uri = list["entries"][0]["uri"].as_str().unwrap();
    assert!(uri.ends_with("/granted/odd%20%FF.txt"), "{uri}");
    let found = files.data("files_search", json!({"content": "found"})).await;
    assert_eq!(found["hits"][0]["uri"], uri);
    assert_eq!(files.text("files_read", json!({"path": uri})).await, "found");
}

#[tokio::test]
async fn writes_and_their_conditions() {
    let files = FileServer::new();
    let write = json!({"path": "granted/new", "content": "text", "mode": "create"});
    let written = files.data("files_write", write.clone()).await;
    assert_eq!((&written["created"], &written["size"]), (&json!(true), &json!(4)));
    let exists = files.failure(Asker::Local, "files_write", write).await;
    assert_eq!(exists, "`granted/new` exists already");
    let content = json!({"path": "granted/new", "content": "AP8=", "encoding": "base64"});
    let replaced = files.data("files_write", content).await;
    assert_eq!(replaced["created"], false);
    assert_eq!(fs::read(files.inside.join("new")).unwrap(), [0, 255]);
    let stale = json!({
        "path": "granted/new", "content": "x", "expected_hash": written["hash"],
    });
    let refused = files.failure(Asker::Local, "files_write", stale).await;
    assert_eq!(refused, "`granted/new` has changed since it was read: read it again");
    let current = json!({
        "path": "granted/new", "content": "x", "expected_hash": replaced["hash"],
    });
    files.data("files_write", current).await;
    let missing = json!({"path": "granted/no/folder", "content": ""});
    let refused = files.failure(Asker::Local, "files_write", missing).await;
    assert_eq!(refused, "`granted/no/folder` does not exist");
}

#[tokio::test]
async fn edits_show_what_they_change() {
    let files = FileServer::new();
    files.write("file", "one\ntwo\ntwo\n");
    let edit = |edits: Value, dry_run: bool| json!({"path": "granted/file", "edits": edits, "dry_run": dry_run});
    let one = json!([{"old": "one", "new": "1"}]);
    let preview = files.data("files_edit", edit(one.clone(), true)).await;
    assert_eq!((&preview["written"], &preview["replaced"]), (&json!(false), &json!(1)));
    assert_eq!(fs::read_to_string(files.inside.join("file")).unwrap(), "one\ntwo\ntwo\n");
    let text = files.text("files_edit", edit(one, false)).await;
    assert_eq!(
        text,
        "changed 1 place\n--- file\n+++ file\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n two\n"
    );
    let twice = edit(json!([{"old": "two", "new": "2"}]), false);
    let refused = files.failure(Asker::Local, "files_edit", twice).await;
    assert!(refused.starts_with("`granted/file` contains the text of edit 1 2 times"), "{refused}");
    let all =
        files.data("files_edit", edit(json!([{"old": "two", "new": "2", "all": true}]), false));
    assert_eq!(all.await["replaced"], 2);
    assert_eq!(fs::read_to_string(files.inside.join("file")).unwrap(), "1\n2\n2\n");
}

#[tokio::test]
async fn moves_folders_and_deletions() {
    let files = FileServer::new();
    files.write("file", "text");
    files.write("other", "other");
    let made = files.data("files_mkdir", json!({"path": "granted/a/b"})).await;
    assert_eq!(made["created"], true);
    let made = files.data("files_mkdir", json!({"path": "granted/a/b"})).await;
    assert_eq!(made["created"], false);
    files.data("files_move", json!({"from": "granted/file", "to": "granted/a/b/moved"})).await;
    let onto = json!({"from": "granted/other", "to": "granted/a/b/moved"});
    let refused = files.failure(Asker::Local, "files_move", onto).await;
    assert_eq!(refused, "`granted/a/b/moved` exists already");
    let onto = json!({"from": "granted/other", "to": "granted/a/b/moved", "replace": true});
    files.data("files_move", onto).await;
    assert_eq!(fs::read_to_string(files.inside.join("a/b/moved")).unwrap(), "other");
    let deleted = files.data("files_delete", json!({"path": "granted/a"})).await;
    let trash = files.inside.join(deleted["trash"].as_str().unwrap());
    assert_eq!(fs::read_to_string(trash.join("b/moved")).unwrap(), "other");
    // Only the person sees the trash; tools do not.
    let list = files.data("files_list", json!({"path": "granted"})).await;
    assert_eq!(list["entries"], json!([]));
    let gone = json!({"path": format!("granted/{}", deleted["trash"].as_str().unwrap())});
    files.failure(Asker::Local, "files_stat", gone).await;
    files.write("file", "text");
    let removed = json!({"path": "granted/file", "permanently": true});
    let removed = files.data("files_delete", removed).await;
    assert_eq!(removed.get("trash"), None);
    assert!(!files.inside.join("file").exists());
}

#[tokio::test]
async fn searches_by_name_and_content() {
    let files = FileServer::new();
    files.write("src/main.rs", "fn main() {}\n// needle\n");
    files.write("src/lib.rs", "// Needle needle\n");
    files.write("target/out.rs", "needle\n");
    files.write(".gitignore", "target/\n");
    files.write("data.bin", "needle\0");
    let cases = [
        (json!({"name": "MAIN"}), vec!["src/main.rs"]),
        (json!({"glob": "*.rs"}), vec!["src/lib.rs", "src/main.rs"]),
        (
            json!({"glob": "*.rs", "include_ignored": true}),
            vec!["src/lib.rs", "src/main.rs", "target/out.rs"],
        ),
        (json!({"kind": "folder"}), vec!["src"]),
        (json!({"min_size": 20, "kind": "file"}), vec!["src/main.rs"]),
        (json!({"modified_before": "1980-01-01"}), vec![]),
        (json!({"content": "Needle", "case": "sensitive"}), vec!["src/lib.rs"]),
        (json!({"content": "n.*dle"}), vec!["src/lib.rs", "src/main.rs"]),
        (json!({"content": "n.*dle", "literal": true}), vec![]),
        (json!({"content": "needle", "path": "granted/src/main.rs"}), vec!["src/main.rs"]),
    ];
    for (arguments, expected) in cases {
        let found = files.data("files_search", arguments.clone()).await;
        let paths: Vec<_> =
            found["hits"].as_array().unwrap().iter().map(|hit| &hit["path"]).collect();
        let expected: Vec<_> = expected.into_iter().map(|name| json!(files.path(name))).collect();
        assert_eq!(paths, expected.iter().collect::<Vec<_>>(), "{arguments}");
        assert_eq!((&found["total"], &found["at_least"]), (&json!(expected.len()), &json!(false)));
    }
    let text = files.text("files_search", json!({"content": "needle"})).await;
    let (lib, main) = (files.path("src/lib.rs"), files.path("src/main.rs"));
    let expected = format!(
        "2 hits in 2 files\n{lib}\n  1: // Needle needle\n{main}\n  2: // needle\n\
         … not searched: 1 binary, 0 with several names, 0 unreadable"
    );
    assert_eq!(text, expected);
    let bad = files.failure(Asker::Local, "files_search", json!({"content": "("})).await;
    assert!(bad.starts_with("`(` cannot be searched for: "), "{bad}");
    let bad = files.failure(Asker::Local, "files_search", json!({"modified_since": "soon"})).await;
    assert!(bad.starts_with("modified_since: "), "{bad}");
}

#[tokio::test]
async fn pages_of_a_search_over_several_folders() {
    let files = FileServer::new();
    let other = files.above.join("other");
    fs::create_dir(&other).unwrap();
    files.grants.set(&grants(
        "read-only",
        &[(&files.inside, "read", None), (&other, "read", None), (&files.inside, "write", None)],
    ));
    for number in 0..7 {
        files.write(&format!("f{number}"), "needle");
        fs::write(other.join(format!("g{number}")), "needle").unwrap();
    }
    for count in [false, true] {
        let mut paths = Vec::new();
        let mut cursor = Value::Null;
        for page in 0..10 {
            let mut arguments = json!({"content": "needle", "limit": 3, "count": count});
            if !cursor.is_null() {
                arguments["cursor"] = cursor;
            }
            let found = files.data("files_search", arguments).await;
            assert_eq!(found["at_least"], !count, "page {page}");
            if count {
                assert_eq!(found["total"], 14);
            }
            let hits = found["hits"].as_array().unwrap();
            paths.extend(hits.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()));
            cursor = found.get("next_cursor").cloned().unwrap_or_default();
            if cursor.is_null() {
                break;
            }
        }
        let expected: Vec<_> = (0..7)
            .map(|number| files.path(&format!("f{number}")))
            .chain((0..7).map(|number| format!("{}/g{number}", other.display())))
            .collect();
        assert_eq!(paths, expected, "count: {count}");
    }
    let foreign = json!({"content": "needle", "cursor": "nonsense"});
    let refused = files.failure(Asker::Local, "files_search", foreign).await;
    assert_eq!(refused, "cursor: it is not one of this search: begin again without one");
}

#[tokio::test]
async fn hits_are_told_while_a_search_runs() {
    let files = FileServer::new();
    files.write("a.txt", "one needle\n");
    files.write("b.txt", "two needles\n");
    let progress = Arc::new(HeardProgress::default());
    let params = json!({"name": "files_search", "arguments": {"content": "needle"}});
    let notes = Notes::new(Arc::clone(&progress) as _);
    files.ask_with(Asker::Local, Method::ToolsCall, params, notes).await;
    let heard = progress.heard();
    let mut messages: Vec<_> = heard.iter().map(|(_, message)| message.as_str()).collect();
    messages.sort_unstable();
    let hits: Vec<_> = messages.into_iter().filter(|it| !it.contains("looked at")).collect();
    assert_eq!(hits, ["a.txt:1: one needle", "b.txt:1: two needles"]);
    assert!(heard.windows(2).all(|pair| pair[0].0 < pair[1].0), "numbers grow: {heard:?}");
}

#[tokio::test]
async fn resources_are_files_and_folders() {
    let files = FileServer::new();
    files.write("a b.txt", "text");
    let read = async |uri: String| {
        files.ask(Asker::Local, Method::ResourcesRead, json!({"uri": uri})).await
    };
    let root = format!("file://{}", files.inside.display());
    let text = read(format!("{root}/a%20b.txt")).await;
    assert_eq!(text["contents"][0]["text"], "text");
    let folder = read(root.clone()).await;
    let listed: Value =
        serde_json::from_str(folder["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(listed["entries"][0]["name"], "a b.txt");
    let folders = read("file:///".to_owned()).await;
    let listed: Value =
        serde_json::from_str(folders["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(listed["entries"][0]["uri"], root);
    let missing = read(format!("{root}/missing")).await;
    assert_eq!(missing["code"], -32602, "{missing}");
    let outside = read(format!("file://{}/outside/secret.txt", files.above.display())).await;
    assert!(outside["message"].as_str().unwrap().contains("hobnob grant files"), "{outside}");
    assert_eq!(files.toolbox().lists().read_counts_as(&root).as_deref(), Some("files_read"));
    assert_eq!(files.toolbox().lists().read_counts_as("memory://x"), None);
}

#[tokio::test]
async fn the_other_dialect_has_two_tools_before_anything_is_granted() {
    let presentation = Presentation { dialect: Dialect::SysMcp, ..Presentation::default() };
    let files = FileServer::with(&presentation, |_| grants("disabled", &[]));
    assert_eq!(files.tools(), ["files_search", "files_stat"]);
    let search = files.failure(Asker::Local, "files_search", json!({"pattern": "x"})).await;
    assert!(search.contains("hobnob enable files"), "{search}");
    let stat = files.failure(Asker::Local, "files_stat", json!({"path": "/etc/hosts"})).await;
    assert!(stat.contains("hobnob grant files /etc"), "{stat}");
    files.grants.set(&grants("read-only", &[(&files.inside, "read", None)]));
    for number in 0..5 {
        files.write(&format!("{number}.log"), "line");
    }
    let page = json!({"pattern": "*.log", "limit": 2, "offset": 2});
    let page = files.data("files_search", page).await;
    let names: Vec<_> = page["entries"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["2.log", "3.log"]);
    assert_eq!((&page["totalCount"], &page["nextOffset"]), (&json!(5), &json!(4)));
    assert_eq!((&page["page"], &page["pageSize"]), (&json!(2), &json!(2)));
    let last =
        files.data("files_search", json!({"pattern": ".log", "page": 3, "pageSize": 2})).await;
    assert_eq!((last["entries"].as_array().unwrap().len(), last.get("nextOffset")), (1, None));
    // The gateway wraps it in the envelope of the profile.
    let bad = files.tool("files_search", json!({"limit": 0.5})).await;
    assert_eq!(bad["message"], "limit: it must be a whole number from 1 to 10000");
    let stat = files.data("files_stat", json!({"path": files.path("1.log")})).await;
    assert_eq!((&stat["type"], &stat["size"]), (&json!("file"), &json!(4)));
}
