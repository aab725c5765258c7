//! No tool and no resource leads out of a granted folder, and a grant applies only to its principal
//! and only as long as it exists.

use crate::files_server::{Asker, FileServer, SECRET, call, grants};
use hobnob_mcp_engine::{Note, NoteSink, Notes, Service as _};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_services::{BuiltInService as _, KitChange};
use parking_lot::Mutex;
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;

/// Whether the path itself is within the granted folder, although its target is not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Itself {
    /// A link, which may be examined and removed.
    Link,
    /// A name without an allowed target.
    Nothing,
}

/// Tries a path with every tool that takes one, and as a resource; all of them must be refused.
async fn check(files: &FileServer, path: &str, itself: Itself, prepare: impl Fn()) {
    let calls = [
        ("files_stat", json!({"path": path})),
        ("files_read", json!({"path": path})),
        ("files_list", json!({"path": path})),
        ("files_tree", json!({"path": path})),
        ("files_search", json!({"path": path, "content": "secret"})),
        ("files_write", json!({"path": path, "content": "x"})),
        ("files_edit", json!({"path": path, "edits": [{"old": "secret", "new": "x"}]})),
        ("files_move", json!({"from": path, "to": "granted/taken"})),
        ("files_move", json!({"from": "granted/open.txt", "to": path})),
        ("files_mkdir", json!({"path": path})),
        ("files_delete", json!({"path": path, "permanently": true})),
    ];
    for (tool, arguments) in calls {
        prepare();
        let from_there = arguments.get("from").is_some_and(|from| from == path);
        let harmless = from_there || ["files_stat", "files_delete"].contains(&tool);
        let result = files.tool(tool, arguments).await;
        if !(harmless && itself == Itself::Link) {
            assert_eq!(result["isError"], true, "{tool} {path}: {result}");
        }
        assert!(!result.to_string().contains(SECRET), "{tool} {path}: {result}");
        unharmed(files);
    }
    prepare();
    let read = files.ask(Asker::Local, Method::ResourcesRead, json!({"uri": path})).await;
    assert!(read.get("contents").is_none(), "{path}: {read}");
}

fn unharmed(files: &FileServer) {
    for (folder, names) in [("outside", 1), ("granted-sibling", 1), ("granted/own", 1)] {
        let folder = files.above.join(folder);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), names, "{folder:?}");
        let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        assert_eq!(fs::read_to_string(&file).unwrap(), SECRET, "{file:?}");
    }
    assert_eq!(fs::read_to_string(files.inside.join("open.txt")).unwrap(), "open");
}

#[tokio::test]
async fn texts_do_not_lead_out() {
    let files = FileServer::new();
    files.write("open.txt", "open");
    let (above, inside) = (files.above.display(), files.inside.display());
    let paths = [
        "granted/../outside/secret.txt".to_owned(),
        "../outside/secret.txt".to_owned(),
        format!("{inside}/../outside/secret.txt"),
        format!("{above}/outside/secret.txt"),
        format!("{above}/granted-sibling/secret.txt"),
        format!("file://{inside}/%2e%2e/outside/secret.txt"),
        format!("file://{inside}%2f..%2foutside%2fsecret.txt"),
        format!("FILE://localhost{above}/outside/secret.txt"),
        format!("file://elsewhere{inside}/open.txt"),
        format!("{above}/GRANTED/open.txt"),
        "GRANTED/open.txt".to_owned(),
        "granted/own/own.db".to_owned(),
        "granted/own".to_owned(),
        "granted/open.txt/../own/own.db".to_owned(),
        "/proc/self/root/etc/passwd".to_owned(),
        "/etc/passwd".to_owned(),
        "granted/open.txt\0".to_owned(),
        String::new(),
    ];
    for path in paths {
        check(&files, &path, Itself::Nothing, || {}).await;
    }
    // Encoded dots in a path are ordinary characters; only URIs are decoded.
    files.data("files_mkdir", json!({"path": "granted/%2e%2e/outside"})).await;
    assert!(files.inside.join("%2e%2e/outside").is_dir());
    unharmed(&files);
}

#[tokio::test]
async fn links_do_not_lead_out() {
    let files = FileServer::new();
    files.write("open.txt", "open");
    let outside = files.above.join("outside");
    let links = [
        ("link-leaf", outside.join("secret.txt")),
        ("link-relative", "../outside/secret.txt".into()),
        ("link-folder", outside.clone()),
        ("link-dangling", outside.join("not-there")),
        ("link-sibling", "../granted-sibling/secret.txt".into()),
        ("link-root", "/proc/self/root".into()),
        ("link-circle", "link-circle".into()),
        ("link-own", "own/own.db".into()),
    ];
    for (name, target) in &links {
        for below in ["", "/secret.txt", "/new.txt", "/etc/passwd"] {
            let itself = if below.is_empty() { Itself::Link } else { Itself::Nothing };
            // Removing a link is allowed, so it is restored before each call.
            let prepare = || {
                let place = files.inside.join(name);
                let _ = fs::remove_file(&place);
                let _ = fs::remove_file(files.inside.join("taken"));
                symlink(target, &place).unwrap();
            };
            check(&files, &format!("granted/{name}{below}"), itself, prepare).await;
        }
    }
}

#[tokio::test]
async fn second_names_pipes_and_devices_are_refused() {
    let files = FileServer::new();
    files.write("open.txt", "open");
    fs::hard_link(files.above.join("outside/secret.txt"), files.inside.join("hard")).unwrap();
    mkfifoat(CWD, files.inside.join("fifo"), Mode::from_raw_mode(0o600)).unwrap();
    for (name, words) in [("hard", "has more than one name"), ("fifo", "is a pipe, a socket")] {
        for tool in ["files_read", "files_edit"] {
            let mut arguments = json!({"path": format!("granted/{name}")});
            if tool == "files_edit" {
                arguments["edits"] = json!([{"old": "secret", "new": "x"}]);
            }
            let refused = files.failure(Asker::Local, tool, arguments).await;
            assert!(refused.contains(words), "{refused}");
        }
    }
    // A pipe without a writer does not block a search.
    let found = files.data("files_search", json!({"content": "secret"})).await;
    assert_eq!((&found["total"], &found["skipped"]["hard_linked"]), (&json!(0), &json!(1)));
    files.grants.set(&grants("read-only", &[(std::path::Path::new("/dev"), "read", None)]));
    for device in ["/dev/null", "/dev/zero", "/dev/tty"] {
        let refused = files.failure(Asker::Local, "files_read", json!({"path": device})).await;
        assert!(refused.contains("which are never opened"), "{refused}");
    }
}

#[tokio::test]
async fn a_replaced_root_is_refused() {
    let files = FileServer::new();
    files.write("open.txt", "open");
    fs::rename(&files.inside, files.above.join("moved")).unwrap();
    fs::create_dir(&files.inside).unwrap();
    files.write("open.txt", SECRET);
    let refused = files.failure(Asker::Local, "files_read", json!({"path": "granted/open.txt"}));
    assert!(refused.await.contains("was replaced since it was granted"));
    // A link in the folder's place is refused, too.
    fs::remove_dir_all(&files.inside).unwrap();
    symlink(files.above.join("outside"), &files.inside).unwrap();
    let read = json!({"path": "granted/secret.txt"});
    let refused = files.failure(Asker::Local, "files_read", read).await;
    assert!(!refused.contains(SECRET), "{refused}");
}

#[tokio::test]
async fn grants_are_for_whom_they_say() {
    let mut files = FileServer::new();
    let anns = files.above.join("anns");
    fs::create_dir(&anns).unwrap();
    fs::write(anns.join("file"), "ann's").unwrap();
    files.write("file", "local");
    files.grants.set(&grants(
        "read-write",
        &[(&files.inside, "read", None), (&anns, "write", Some("ann"))],
    ));
    files.refresh();
    let (ann, ben) = (Asker::Named("ann"), Asker::Named("ben"));
    let read = |path: &str| json!({"name": "files_read", "arguments": {"path": path}});
    let cases = [
        (Asker::Local, "granted/file", Some("local")),
        (Asker::Local, "anns/file", None),
        (ann, "anns/file", Some("ann's")),
        (ann, "granted/file", None),
        (ben, "anns/file", None),
        (ben, "granted/file", None),
        (Asker::Remote, "granted/file", None),
        (Asker::Remote, "anns/file", None),
    ];
    for (who, path, expected) in cases {
        let result = files.ask(who, Method::ToolsCall, read(path)).await;
        let text = result["structuredContent"]["text"].as_str();
        assert_eq!(text, expected, "{who:?} {path}: {result}");
        let uri = format!("file://{}/{path}", files.above.display());
        let read = files.ask(who, Method::ResourcesRead, json!({"uri": uri})).await;
        assert_eq!(read["contents"][0]["text"].as_str(), expected, "{who:?} {path}: {read}");
        // A refusal reveals only names that the caller used.
        if expected.is_none() {
            assert!(!result.to_string().contains(files.above.to_str().unwrap()), "{result}");
        }
    }
    let folders = files.ask(ann, Method::ResourcesRead, json!({"uri": "file:///"})).await;
    let text = folders["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("anns") && !text.contains("granted"), "{text}");
    let found = json!({"name": "files_search", "arguments": {"content": "."}});
    let found = files.ask(ann, Method::ToolsCall, found).await;
    assert_eq!(found["structuredContent"]["total"], 1, "{found}");
    let none = files.failure(ben, "files_search", json!({"name": "x"})).await;
    assert!(none.contains("hobnob grant files FOLDER --for ben"), "{none}");
}

#[tokio::test]
async fn a_revoked_grant_ends_with_the_next_call() {
    let files = FileServer::new();
    files.write("file", "text");
    let read = json!({"path": "granted/file"});
    assert_eq!(files.text("files_read", read.clone()).await, "text");
    assert_eq!(files.service.grants_changed(), KitChange::Same);
    files.grants.set(&grants("read-write", &[(&files.inside, "read", None)]));
    let write = json!({"path": "granted/file", "content": "x"});
    let refused = files.failure(Asker::Local, "files_write", write).await;
    assert!(refused.contains("it is granted for reading only"), "{refused}");
    files.grants.set(&grants("disabled", &[(&files.inside, "write", None)]));
    // The kit is still the old one, but the decision uses the new grants.
    let refused = files.failure(Asker::Local, "files_read", read.clone()).await;
    assert!(refused.contains("hobnob enable files"), "{refused}");
    assert_eq!(files.service.grants_changed(), KitChange::Changed);
    files.grants.set(&grants("read-write", &[]));
    let refused = files.failure(Asker::Local, "files_read", read).await;
    assert!(refused.contains("hobnob grant files"), "{refused}");
    assert_eq!(files.service.grants_changed(), KitChange::Same);
}

/// Receives the first note of a call, and blocks its sending thread until the test lets go.
struct HoldingSink {
    begun: mpsc::Sender<()>,
    let_go: Mutex<std::sync::mpsc::Receiver<()>>,
    notes: AtomicUsize,
}

impl NoteSink for HoldingSink {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _: LoggingLevel) -> bool {
        false
    }

    fn send(&self, _: Note) {
        if self.notes.fetch_add(1, Ordering::Relaxed) == 0 {
            self.begun.try_send(()).unwrap();
            // This fails when the other end is dropped, which is what it waits for.
            let _ = self.let_go.lock().recv();
        }
    }
}

/// The clock stands still while threads work, so only the search sends notes.
#[tokio::test(start_paused = true)]
async fn a_cancelled_search_ends() {
    let files = FileServer::new();
    for number in 0..2000 {
        files.write(&format!("f{number}"), "needle");
    }
    let (begun, mut has_begun) = mpsc::channel(1);
    let (go, let_go) = std::sync::mpsc::sync_channel(0);
    let (let_go, notes) = (Mutex::new(let_go), AtomicUsize::new(0));
    let sink = Arc::new(HoldingSink { begun, let_go, notes });
    let slow = json!({
        "name": "files_search", "arguments": {"content": "needle", "limit": 1000, "count": true},
    });
    let call = call(Asker::Local, Method::ToolsCall, &slow);
    let running = files.toolbox().call(call, Notes::new(Arc::clone(&sink) as _));
    tokio::select! {
        ended = running => panic!("{ended:?}"),
        _ = has_begun.recv() => {}
    }
    // The call has been dropped, and its thread continues.
    drop(go);
    while 1 < Arc::strong_count(&sink) {
        tokio::task::yield_now().await;
    }
    let told = sink.notes.load(Ordering::Relaxed);
    assert!(told < 50, "{told} of 100 hits were told before it ended");
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let files = FileServer::new();
    let cases: [(&str, Value); 4] = [
        ("files_read", json!({})),
        ("files_read", json!({"path": 1})),
        ("files_read", json!({"path": "x", "unknown": 1})),
        ("files_search", json!({"limit": 100_000})),
    ];
    for (tool, arguments) in cases {
        let result = files.tool(tool, arguments.clone()).await;
        let text = result.to_string();
        assert!(text.contains("arguments"), "{tool} {arguments}: {text}");
    }
}
