//! The built-in services under their own names, in both eras, on pipes and over HTTP.

use serde_json::{Value, json};

use crate::memory_client::{Client, ClientAbilities, Era, texts};
use crate::program::listening;
use crate::seed_wire::{Home, ServerTransport};

/// Every way in every era, each with a store of its own.
async fn everywhere(label: &str, talk: impl AsyncFn(&mut Client, &Home)) {
    for way in ServerTransport::ALL {
        each_era(label, way, &talk).await;
    }
}

async fn each_era(label: &str, way: ServerTransport, talk: impl AsyncFn(&mut Client, &Home)) {
    for era in Era::ALL {
        let home = Home::new(label);
        let mut client = Client::open(&home, way, era).await;
        talk(&mut client, &home).await;
    }
}

/// Captures and returns the id.
async fn capture(client: &mut Client, arguments: Value) -> String {
    let captured = client.call("memory_capture", arguments).await;
    captured["id"].as_str().unwrap().to_owned()
}

fn decision(content: &str) -> Value {
    json!({"content": content, "namespace": "decisions"})
}

#[tokio::test]
async fn a_memory_is_found_changed_deleted_and_brought_back() {
    everywhere("native-life", async |client, _| {
        let postgres = json!({"content": "Use PostgreSQL for the storage layer",
            "namespace": "decisions", "tags": ["db", "storage"], "source": "docs/adr.md"});
        // A name with a dot is the same tool.
        let captured = client.call("memory.capture", postgres.clone()).await;
        let id = captured["id"].as_str().unwrap().to_owned();
        let urn = format!("memory://project/decisions/{id}");
        assert_eq!(captured, json!({"id": id, "urn": urn}));
        let again = client.call("memory_capture", postgres).await;
        assert_eq!(again, json!({"id": id, "urn": urn, "duplicate": true}));
        capture(client, decision("Deploy on Fridays never")).await;

        let asked = json!({"query": "which database is our storage layer on?", "mode": "text"});
        let found = client.call("memory_recall", asked).await;
        assert_eq!(found["count"], 1, "{found}");
        let hit = &found["memories"][0];
        assert_eq!((&hit["id"], &hit["urn"]), (&json!(id), &json!(urn)));
        assert_eq!(hit["snippet"], "Use PostgreSQL for the storage layer");
        let score = hit["score"].as_f64().unwrap();
        assert!(0.0 < score && score <= 1.0, "{found}");
        let asked = json!({"query": "giraffes of the savannah", "mode": "text"});
        let nothing = client.call("memory_recall", asked).await;
        let note = "nothing relevant is remembered";
        assert_eq!(nothing, json!({"count": 0, "memories": [], "note": note}));

        let whole = client.call("memory_get", json!({"id": id})).await;
        assert_eq!(whole["content"], "Use PostgreSQL for the storage layer");
        assert_eq!((&whole["version"], &whole["status"]), (&json!(1), &json!("active")));
        assert_eq!(client.call("memory.get", json!({"id": urn})).await, whole);

        let other = json!({"id": id, "content": "Use SQLite for the storage layer",
            "tags": ["db"], "version": 1});
        let changed = client.call("memory_update", other.clone()).await;
        assert_eq!((&changed["version"], &changed["tags"]), (&json!(2), &json!(["db"])));
        assert_eq!(changed["source"], "docs/adr.md");
        let late = client.failure("memory_update", other).await;
        assert!(late.contains("version"), "{late}");
        let past = client.call("memory_history", json!({"id": id})).await;
        assert_eq!(texts(&past["versions"], "action"), ["captured", "updated"]);
        assert!(texts(&past["versions"], "content")[0].contains("PostgreSQL"), "{past}");

        let gone = client.call("memory_delete", json!({"id": id})).await;
        assert_eq!(gone, json!({"id": id, "urn": urn, "status": "deleted"}));
        let asked = json!({"query": "storage layer", "mode": "text"});
        assert_eq!(client.call("memory_recall", asked.clone()).await["count"], 0);
        let deleted = client.call("memory_list", json!({"filter": "status:deleted"})).await;
        assert_eq!(texts(&deleted["memories"], "id"), [id.as_str()]);
        let back = client.call("memory_restore", json!({"id": id})).await;
        assert_eq!(back["status"], "active");
        assert_eq!(client.call("memory_recall", asked.clone()).await["count"], 1);

        let purged = client.call("memory_delete", json!({"id": id, "purge": true})).await;
        assert_eq!(purged, json!({"id": id, "status": "purged"}));
        for tool in ["memory_get", "memory_history", "memory_restore", "memory_delete"] {
            let missing = client.failure(tool, json!({"id": id})).await;
            assert_eq!(missing, format!("Memory not found: {id}"), "{tool}");
        }
        assert_eq!(client.call("memory_recall", asked).await["count"], 0);
    })
    .await;
}

#[tokio::test]
async fn a_filter_holds_in_lists_searches_and_exports() {
    everywhere("native-filter", async |client, _| {
        for (content, namespace, tags, source, scope) in [
            ("cache answers of the weather api", "apis", &["http"][..], "docs/a.md", "project"),
            ("cache pages of the database", "performance", &["db"][..], "docs/b.md", "project"),
            ("cache nothing in tests", "testing", &["http", "flaky"][..], "chat", "project"),
            ("cache tea in the kitchen", "context", &[][..], "chat", "user"),
        ] {
            let memory = json!({"content": content, "namespace": namespace, "tags": tags,
                "source": source, "scope": scope});
            capture(client, memory).await;
        }
        for (filter, expected) in [
            ("ns:apis", &["apis"][..]),
            ("ns:apis,testing", &["apis", "testing"]),
            ("tag:http", &["apis", "testing"]),
            ("tag:http -tag:flaky", &["apis"]),
            ("tag:db,flaky", &["performance", "testing"]),
            ("source:docs/*", &["apis", "performance"]),
            ("scope:user", &["context"]),
            ("scope:project since:1d -tag:http", &["performance"]),
            ("status:deleted", &[]),
            ("until:2020-01-01", &[]),
        ] {
            let namespaces = |result: &Value| {
                let mut names = texts(&result["memories"], "namespace");
                names.sort();
                names
            };
            let found = json!({"query": "cache", "mode": "text", "filter": filter});
            let found = client.call("memory_recall", found).await;
            assert_eq!(namespaces(&found), expected, "recall {filter}");
            let listed = client.call("memory_list", json!({"filter": filter})).await;
            assert_eq!(namespaces(&listed), expected, "list {filter}");
            let exported = client.call("memory_export", json!({"filter": filter})).await;
            assert_eq!(exported["count"], expected.len(), "export {filter}");
            // The page is filled after filtering.
            let first = json!({"query": "cache", "mode": "text", "filter": filter, "limit": 1});
            let first = client.call("memory_recall", first).await;
            assert_eq!(first["count"], expected.len().min(1), "first of {filter}");
        }
        for bad in ["nonsense", "ns:Not_One!", "since:yesterday", "scope:world", "tag:"] {
            for tool in ["memory_recall", "memory_list", "memory_export"] {
                let said = client.failure(tool, json!({"filter": bad})).await;
                assert!(said.starts_with("filter: "), "{tool} {bad}: {said}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn pages_hold_everything_once() {
    everywhere("native-pages", async |client, _| {
        let mut ids = Vec::new();
        for number in 0..7 {
            let content = format!("The harbour master counts ship number {number}");
            ids.push(capture(client, decision(&content)).await);
        }
        ids.sort();
        for (tool, asked) in [
            ("memory_list", json!({"limit": 3})),
            ("memory_recall", json!({"limit": 3})),
            ("memory_recall", json!({"limit": 3, "query": "harbour ship", "mode": "text"})),
        ] {
            let (mut seen, mut page, mut pages) = (Vec::new(), asked.clone(), 0);
            loop {
                let part = client.call(tool, page).await;
                seen.extend(texts(&part["memories"], "id"));
                pages += 1;
                assert!(pages < 9, "{tool} {asked}: no end");
                if part["next_cursor"].is_null() {
                    break;
                }
                page = asked.clone();
                page["cursor"] = part["next_cursor"].clone();
            }
            seen.sort();
            assert_eq!(seen, ids, "{tool} {asked}");
            assert_eq!(pages, 3, "{tool} {asked}");
            let mut bad = asked.clone();
            bad["cursor"] = "none of ours".into();
            client.failure(tool, bad).await;
        }
    })
    .await;
}

#[tokio::test]
async fn namespaces_and_status_are_counted() {
    everywhere("native-counts", async |client, home| {
        capture(client, decision("Use tabs")).await;
        capture(client, decision("Use spaces in tables")).await;
        let own = json!({"content": "Flour, eggs", "namespace": "kitchen-lists", "scope": "user"});
        let gone = capture(client, own.clone()).await;
        client.call("memory_delete", json!({"id": gone})).await;
        capture(client, json!({"content": "Milk", "namespace": "kitchen-lists", "scope": "user"}))
            .await;
        let listed = client.call("memory_namespaces", json!({})).await;
        let lines = listed["namespaces"].as_array().unwrap();
        let line = |name: &str| lines.iter().find(|it| it["name"] == name).unwrap();
        assert_eq!(line("decisions")["count"], 2);
        assert_eq!(line("patterns")["count"], 0);
        assert_eq!(*line("kitchen-lists"), json!({"name": "kitchen-lists", "count": 1}));
        assert_eq!(lines.len(), 13);
        let folder = home.0.join("project").canonicalize().unwrap();
        let status = client.call("memory.status", json!({})).await;
        let expected = json!({
            "project": format!("folder:{}", folder.display()),
            "memories": {"project": 2, "user": 1, "org": 0},
            "deleted": 1,
            "embeddings": {"embedded": 0, "total": 3},
            "secrets": "block",
        });
        assert_eq!(status, expected);
        let refused =
            client.failure("memory_recall", json!({"query": "x", "mode": "vector"})).await;
        assert!(refused.contains("no embedding model"), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn what_is_exported_is_imported_elsewhere_as_it_was() {
    everywhere("native-carry", async |client, _| {
        for memory in [
            json!({"content": "Line one\nline two\n---\nid: not a header\n\"quoted\" 🙂 e\u{301}",
                "namespace": "learnings", "tags": ["ünïcode", "b"], "source": "chat"}),
            json!({"content": "  leading and trailing  \n\n", "namespace": "context"}),
            json!({"content": "Ends some day", "namespace": "my-own", "scope": "user", "ttl": "30d"}),
            json!({"content": "For everybody", "namespace": "config", "scope": "org"}),
        ] {
            capture(client, memory).await;
        }
        for format in ["jsonl", "markdown"] {
            let exported = client.call("memory_export", json!({"format": format})).await;
            assert_eq!(exported["count"], 4, "{exported}");
            let home = Home::new("native-carried");
            let mut other = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;
            let data = json!({"data": exported["data"], "format": format});
            let taken = other.call("memory_import", data.clone()).await;
            assert_eq!(taken, json!({"imported": 4, "known": 0, "problems": []}), "{format}");
            let there = other.call("memory_export", json!({"format": format})).await;
            assert_eq!(there, exported, "{format}");
            let again = other.call("memory_import", data).await;
            assert_eq!(again, json!({"imported": 0, "known": 4, "problems": []}), "{format}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_imported_is_named_by_its_line() {
    everywhere("native-problems", async |client, _| {
        let key = ["AKIA", "J5Q7R2D9KX4WMN3P"].concat();
        let lines = [
            json!({"namespace": "context", "content": "This one is fine"}).to_string(),
            "{ not JSON".into(),
            json!({"namespace": "context", "content": format!("the key is {key}")}).to_string(),
            json!({"namespace": "context", "content": "x", "surplus": 1}).to_string(),
            json!({"namespace": "Not One", "content": "x"}).to_string(),
        ];
        let taken = client.call("memory_import", json!({"data": lines.join("\n")})).await;
        assert_eq!((&taken["imported"], &taken["known"]), (&json!(1), &json!(0)), "{taken}");
        let problems = taken["problems"].as_array().unwrap();
        let named: Vec<u64> = problems.iter().map(|it| it["line"].as_u64().unwrap()).collect();
        assert_eq!(named, [2, 3, 4, 5], "{taken}");
        assert_eq!(problems[3]["problem"], "Invalid namespace: Not One");
        assert!(!taken.to_string().contains(&key), "the secret is repeated: {taken}");
        let masked = json!({"data": lines[2], "redact": true});
        assert_eq!(client.call("memory_import", masked).await["imported"], 1);
        let exported = client.call("memory_export", json!({})).await;
        assert_eq!(exported["count"], 2);
        assert!(!exported.to_string().contains(&key), "{exported}");
    })
    .await;
}

#[tokio::test]
async fn memories_have_addresses() {
    everywhere("native-resources", async |client, _| {
        let memory = json!({"content": "Use PostgreSQL", "namespace": "decisions",
            "tags": ["db", "storage"]});
        let id = capture(client, memory).await;
        let mine = json!({"content": "Likes tea", "namespace": "kitchen", "scope": "user",
            "tags": ["db"]});
        let tea = capture(client, mine).await;
        let place = "memory://project/decisions";
        let uris = client.listed("resources/list", "resources", "uri").await;
        for uri in ["memory://help", "memory://project", "memory://user", "memory://topics"] {
            assert!(uris.contains(&uri.to_owned()), "{uri} in {uris:?}");
        }
        let help = client.read("memory://help").await;
        assert!(help.contains("memory://SCOPE/NAMESPACE/ID") && help.contains("`decisions`"));
        let light = json!({"id": id, "urn": format!("{place}/{id}"), "namespace": "decisions",
            "tags": ["db", "storage"]});
        for uri in ["memory://project", place] {
            let list = client.data(uri).await;
            assert_eq!(list, json!({"count": 1, "memories": [light]}), "{uri}");
        }
        let whole = client.data(&format!("{place}/{id}")).await;
        assert_eq!(whole, client.call("memory_get", json!({"id": id})).await);
        assert_eq!(client.data("memory://user").await["memories"][0]["id"], json!(tea));
        assert_eq!(client.data("memory://user/kitchen").await["count"], 1);
        assert_eq!(client.data("memory://user/decisions").await["count"], 0);
        let topics = json!([{"tag": "db", "count": 2}, {"tag": "storage", "count": 1}]);
        assert_eq!(client.data("memory://topics").await["topics"], topics);
        assert_eq!(client.data("memory://topics/db").await["count"], 2);
        assert_eq!(client.data("memory://topics/storage").await["memories"], json!([light]));
        for uri in [
            format!("{place}/{}", "0".repeat(32)),
            // Another's address for the same id is none.
            format!("memory://project/patterns/{id}"),
            format!("memory://user/decisions/{id}"),
            "memory://world/decisions".into(),
            "memory://project/Not One".into(),
        ] {
            let error = client.error("resources/read", json!({"uri": uri})).await;
            assert!(matches!(error["code"].as_i64(), Some(-32002 | -32602)), "{uri}: {error}");
        }
        let method = "resources/templates/list";
        let templates = client.listed(method, "resourceTemplates", "uriTemplate").await;
        for template in [
            "memory://{scope}/{namespace}",
            "memory://{scope}/{namespace}/{id}",
            "memory://topics/{tag}",
            "tasks://list/{list}",
            "tasks://task/{id}",
        ] {
            assert!(templates.contains(&template.to_owned()), "{template} in {templates:?}");
        }
    })
    .await;
}

/// On a pipe there is one project, whose namespaces are listed while they are in use. Over HTTP
/// clients may bring others, and no project's are everybody's.
#[tokio::test]
async fn a_namespace_in_use_is_listed_where_there_is_one_project() {
    let place = "memory://project/decisions".to_owned();
    let is_listed = async |client: &mut Client| {
        client.listed("resources/list", "resources", "uri").await.contains(&place)
    };
    each_era("native-listed", ServerTransport::Stdio, async |client, _| {
        assert!(!is_listed(client).await);
        let id = capture(client, decision("Use PostgreSQL")).await;
        client.until("the namespace is listed", is_listed).await;
        client.call("memory_delete", json!({"id": id})).await;
        client.until("it is listed no more", async |client| !is_listed(client).await).await;
    })
    .await;
    each_era("native-unlisted", ServerTransport::Http, async |client, home| {
        capture(client, decision("Use PostgreSQL")).await;
        // One that is started now knows of it, and does not list it either.
        let mut later = Client::open(home, ServerTransport::Http, Era::Modern).await;
        assert!(!is_listed(&mut later).await);
        assert_eq!(later.data(&place).await["count"], 1);
    })
    .await;
}

#[tokio::test]
async fn names_are_completed() {
    everywhere("native-completion", async |client, _| {
        let memory = json!({"content": "Use PostgreSQL", "namespace": "decks",
            "tags": ["database", "data-model", "storage"]});
        capture(client, memory).await;
        let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
        let resource = |uri: &str| json!({"type": "ref/resource", "uri": uri});
        let place = "memory://{scope}/{namespace}";
        for (target, argument, typed, expected) in [
            (resource(place), "namespace", "de", &["decks", "decisions"][..]),
            (resource(place), "scope", "", &["project", "user", "org"]),
            (resource(place), "scope", "us", &["user"]),
            (resource("memory://topics/{tag}"), "tag", "data", &["data-model", "database"]),
            (resource("memory://topics/{tag}"), "tag", "x", &[]),
            (prompt("memory_review"), "namespace", "dec", &["decks", "decisions"]),
            (prompt("memory_review"), "tag", "sto", &["storage"]),
        ] {
            let argument = json!({"name": argument, "value": typed});
            let asked = json!({"ref": target, "argument": argument});
            let result = client.result("completion/complete", asked.clone()).await;
            let mut values: Vec<&str> = Vec::new();
            for value in result["completion"]["values"].as_array().unwrap() {
                values.push(value.as_str().unwrap());
            }
            values.sort_unstable();
            let mut expected = expected.to_vec();
            expected.sort_unstable();
            assert_eq!(values, expected, "{asked}");
        }
    })
    .await;
}

#[tokio::test]
async fn prompts_guide_and_can_be_saved() {
    everywhere("native-prompts", async |client, _| {
        capture(client, decision("Use PostgreSQL for storage")).await;
        for (name, arguments, part) in [
            (
                "memory_capture",
                json!({"content": "We chose Rust"}),
                "Suggested namespace: decisions",
            ),
            ("memory_recall", json!({"query": "which database?"}), "which database?"),
            ("memory_review", json!({"namespace": "decisions"}), "Use PostgreSQL for storage"),
            ("memory_review", json!({"tag": "nobodys"}), "nothing is remembered yet"),
            ("memory_session_start", json!({}), "Use PostgreSQL for storage"),
            ("memory_decision", json!({"decision": "Use Rust"}), "Decision: Use Rust"),
            ("tasks_next", json!({}), "has no open tasks"),
        ] {
            let asked = json!({"name": name, "arguments": arguments});
            let text = prompt_text(client, asked).await;
            assert!(text.contains(part), "{name}: {text}");
        }
        let missing = client.error("prompts/get", json!({"name": "memory_recall"})).await;
        assert_eq!(missing["code"], -32602, "{missing}");

        let template = "Review {{file}} as {{who}} would; then {{file}} again";
        let saved = json!({"name": "second-look", "template": template, "description": "Twice"});
        let saved = client.call("memory_prompt_save", saved).await;
        assert_eq!(saved["variables"], json!(["file", "who"]));
        let is_listed = async |client: &mut Client| {
            let names = client.listed("prompts/list", "prompts", "name").await;
            names.contains(&"my_second-look".to_owned())
        };
        client.until("the saved prompt is listed", is_listed).await;
        let listed = client.result("prompts/list", json!({})).await;
        let prompts = listed["prompts"].as_array().unwrap();
        let mine = prompts.iter().find(|it| it["name"] == "my_second-look").unwrap();
        let arguments = json!([
            {"name": "file", "required": true}, {"name": "who", "required": true}]);
        assert_eq!((&mine["description"], &mine["arguments"]), (&json!("Twice"), &arguments));
        let filled = json!({"file": "main.rs", "who": "{{file}}"});
        let asked = json!({"name": "my_second-look", "arguments": filled});
        let expected = "Review main.rs as {{file}} would; then main.rs again";
        assert_eq!(prompt_text(client, asked).await, expected);
        let run = json!({"name": "second-look", "variables": filled});
        assert_eq!(client.call("memory_prompt_run", run).await["text"], expected);
        let short = json!({"name": "second-look", "variables": {"who": "Ada"}});
        let short = client.failure("memory_prompt_run", short).await;
        assert!(short.contains("needs file"), "{short}");
        let own = client.call("memory.prompt_list", json!({})).await;
        assert_eq!(texts(&own["prompts"], "name"), ["second-look"]);

        client.call("memory_prompt_delete", json!({"name": "second-look"})).await;
        client.until("it is listed no more", async |client| !is_listed(client).await).await;
        let gone = client.failure("memory_prompt_run", json!({"name": "second-look"})).await;
        assert_eq!(gone, "Prompt not found: second-look");
    })
    .await;
}

async fn prompt_text(client: &mut Client, asked: Value) -> String {
    let prompt = client.result("prompts/get", asked).await;
    assert_eq!(prompt["messages"].as_array().unwrap().len(), 1, "{prompt}");
    prompt["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn secrets_and_personal_data_are_kept_out() {
    everywhere("native-secrets", async |client, _| {
        // Joined at run time, so that scanners do not take this file for one with secrets.
        let key = ["AKIA", "J5Q7R2D9KX4WMN3P"].concat();
        let token = ["ghp_", "abcdEFGH1234ijklMNOP5678qrstUVWX9012"].concat();
        let mail = ["ada.byron", "@", "difference-engines.com"].concat();
        let known = capture(client, decision("Keys are in the vault")).await;
        for (secret, kind) in
            [(&key, "aws access key id"), (&token, "github token"), (&mail, "e-mail")]
        {
            let content = format!("first line 🙂\nit is {secret} there");
            for (tool, arguments) in [
                ("memory_capture", decision(&content)),
                ("memory_update", json!({"id": known, "content": content})),
                (
                    "memory_capture",
                    json!({"content": "fine", "namespace": "config", "source": content}),
                ),
                ("memory_prompt_save", json!({"name": "leak", "template": content})),
            ] {
                let said = client.failure(tool, arguments).await;
                assert!(said.starts_with("Content blocked: "), "{tool}: {said}");
                assert!(said.contains(kind) && said.contains("line 2, column 7"), "{tool}: {said}");
                assert!(!said.contains(secret.as_str()), "{tool}: the secret is repeated: {said}");
            }
            let masked = json!({"content": content, "namespace": "config", "redact": true});
            let masked = client.call("memory_capture", masked).await;
            assert_eq!(masked["redacted"].as_array().unwrap().len(), 1, "{masked}");
            let kept = client.call("memory_get", json!({"id": masked["id"]})).await;
            let kept = kept["content"].as_str().unwrap();
            assert!(kept.starts_with("first line 🙂\nit is [redacted: "), "{kept}");
            assert!(kept.ends_with(" there"), "{kept}");
            let asked = json!({"query": secret, "mode": "text", "detail": "full"});
            let found = client.call("memory_recall", asked).await;
            assert!(!found.to_string().contains(secret.as_str()), "{found}");
        }
        assert_eq!(client.call("memory_get", json!({"id": known})).await["version"], 1);
        assert_eq!(client.call("memory_prompt_list", json!({})).await["count"], 0);
    })
    .await;
}

#[tokio::test]
async fn tasks_go_from_hand_to_hand() {
    everywhere("native-tasks", async |client, _| {
        let first = json!({"description": "Lay the foundation", "priority": "high"});
        let first = client.call("tasks.create", first).await;
        assert_eq!((&first["status"], &first["priority"]), (&json!("pending"), &json!("high")));
        let first = first["id"].as_str().unwrap().to_owned();
        let part = json!({"description": "Raise the walls", "parent": first, "blockers": [first]});
        let part = client.call("tasks_create", part).await["id"].as_str().unwrap().to_owned();
        let ready = client.call("tasks_ready", json!({})).await;
        assert_eq!(texts(&ready["tasks"], "id"), [first.as_str()]);
        assert_eq!(client.data("tasks://ready").await, ready);
        let children = client.call("tasks_children", json!({"id": first})).await;
        assert_eq!(texts(&children["tasks"], "id"), [part.as_str()]);

        let cycle = json!({"id": first, "blocker_id": part});
        let cycle = client.failure("tasks_add_blocker", cycle).await;
        assert!(cycle.contains(&format!("{first} → {part} → {first}")), "{cycle}");
        for start in ["tasks_claim", "tasks_update"] {
            let mut asked = json!({"id": part});
            if start == "tasks_update" {
                asked["status"] = "in_progress".into();
            }
            let blocked = client.failure(start, asked).await;
            assert_eq!(blocked, format!("task {part} is blocked by {first}"), "{start}");
        }

        let claim = json!({"worker": "ada", "lease_seconds": 60});
        let claimed = client.call("tasks_claim", claim).await;
        assert_eq!((&claimed["claimed"], &claimed["task"]["id"]), (&json!(true), &json!(first)));
        assert_eq!(claimed["task"]["claimed_by"], "ada");
        assert!(claimed["task"]["started_at"].is_string(), "{claimed}");
        let lease = claimed["task"]["lease_until"].as_str().unwrap().to_owned();
        let nothing = client.call("tasks_claim", json!({"worker": "bob"})).await;
        assert_eq!(nothing["claimed"], false);
        for tool in ["tasks_renew", "tasks_release"] {
            let foreign = client.failure(tool, json!({"id": first, "worker": "bob"})).await;
            assert!(foreign.contains("not claimed by `bob`"), "{tool}: {foreign}");
        }
        let longer = json!({"id": first, "worker": "ada", "lease_seconds": 3_600});
        let renewed = client.call("tasks_renew", longer).await;
        assert!(lease.as_str() < renewed["lease_until"].as_str().unwrap(), "{renewed}");
        let free = client.call("tasks_release", json!({"id": first, "worker": "ada"})).await;
        assert_eq!((&free["status"], &free["ready"]), (&json!("pending"), &json!(true)));

        client.call("tasks_claim", json!({"worker": "bob", "id": first})).await;
        let done = json!({"id": first, "status": "completed", "result": "solid", "worker": "bob"});
        let done = client.call("tasks_update", done).await;
        assert!(done["finished_at"].is_string() && done["result"] == "solid", "{done}");
        let history = client.call("tasks_history", json!({"id": first})).await;
        let actions = texts(&history["steps"], "action");
        let expected = ["created", "claimed", "renewed", "released", "claimed", "completed"];
        assert_eq!(actions, expected);
        let ready = client.call("tasks_ready", json!({})).await;
        assert_eq!(texts(&ready["tasks"], "id"), [part.as_str()]);
        let whole = client.data(&format!("tasks://task/{first}")).await;
        assert_eq!(whole["task"], client.call("tasks_get", json!({"id": first})).await);
        assert_eq!(whole["history"], history["steps"]);
        let next = prompt_text(client, json!({"name": "tasks_next"})).await;
        assert!(next.contains(&part) && !next.contains(&first), "{next}");

        let needed = client.failure("tasks_delete", json!({"id": first})).await;
        assert!(needed.contains(&part), "{needed}");
        client.call("tasks_delete", json!({"id": part})).await;
        let missing = client.failure("tasks_get", json!({"id": part})).await;
        assert_eq!(missing, format!("task not found: {part}"));
    })
    .await;
}

/// What a client finds of a memory by every way there is.
async fn sightings(client: &mut Client, id: &str, word: &str) -> Vec<&'static str> {
    let mut seen = Vec::new();
    for mode in ["text", "hybrid"] {
        let asked = json!({"query": word, "mode": mode, "filter": "status:active,deleted"});
        let found = client.call("memory_recall", asked).await;
        if found.to_string().contains(id) {
            seen.push("recall");
        }
    }
    for (tool, arguments, label) in [
        ("memory_recall", json!({}), "newest"),
        ("memory_list", json!({"filter": "scope:project,user,org"}), "list"),
        ("memory_export", json!({}), "export"),
        ("memory_consolidate", json!({"dry_run": true, "similarity": 0.1}), "consolidate"),
    ] {
        if client.call(tool, arguments).await.to_string().contains(id) {
            seen.push(label);
        }
    }
    let one = json!({"id": id});
    for (tool, label) in [("memory_get", "get"), ("memory_history", "history")] {
        let asked = json!({"name": tool, "arguments": one});
        let result = client.result("tools/call", asked).await;
        if result["isError"] != true {
            seen.push(label);
        }
    }
    for scope in ["project", "user"] {
        if client.data(&format!("memory://{scope}")).await.to_string().contains(id) {
            seen.push("scope");
        }
        if client.data(&format!("memory://{scope}/decisions")).await.to_string().contains(id) {
            seen.push("namespace");
        }
        let uri = format!("memory://{scope}/decisions/{id}");
        if client.ask("resources/read", json!({"uri": uri})).await["result"].is_object() {
            seen.push("one");
        }
    }
    if client.data("memory://topics").await.to_string().contains(word) {
        seen.push("topics");
    }
    if client.data(&format!("memory://topics/{word}")).await.to_string().contains(id) {
        seen.push("topic");
    }
    let start = json!({"name": "memory_session_start"});
    if prompt_text(client, start).await.contains(id) {
        seen.push("prompt");
    }
    let asked = json!({"ref": {"type": "ref/resource", "uri": "memory://topics/{tag}"},
        "argument": {"name": "tag", "value": word}});
    if client.result("completion/complete", asked).await.to_string().contains(word) {
        seen.push("completion");
    }
    seen
}

/// All of them.
const EVERYWHERE: [&str; 15] = [
    "recall",
    "recall",
    "newest",
    "list",
    "export",
    "consolidate",
    "get",
    "history",
    "scope",
    "namespace",
    "one",
    "topics",
    "topic",
    "prompt",
    "completion",
];

/// All where a question can be asked back: a client that has to be asked for its project is
/// suggested nothing of any.
const ANSWERED: &[&str] = EVERYWHERE.split_at(14).0;

/// A memory that differs from others by one word, and one that is nearly the same.
async fn twins(client: &mut Client, word: &str, scope: &str) -> String {
    let memory = |end: &str| {
        json!({"content": format!("The {word} is our secret plan for the summer {end}"),
            "namespace": "decisions", "tags": [word], "scope": scope})
    };
    capture(client, memory("party")).await;
    capture(client, memory("feast")).await
}

/// Checks what two clients see of a memory that the first one captured.
async fn check_isolation(one: &mut Client, other: &mut Client, own_sightings: &[&str]) {
    let own = twins(one, "walrus", "project").await;
    assert_eq!(sightings(one, &own, "walrus").await, own_sightings);
    assert_eq!(sightings(other, &own, "walrus").await, [""; 0]);
    for (tool, arguments) in [
        ("memory_update", json!({"id": own, "content": "changed"})),
        ("memory_delete", json!({"id": own})),
        ("memory_delete", json!({"id": own, "purge": true})),
        ("memory_restore", json!({"id": own})),
        ("memory_enrich", json!({"id": own})),
    ] {
        let said = other.failure(tool, arguments).await;
        assert_eq!(said, format!("Memory not found: {own}"), "{tool}");
    }
    let shared = twins(one, "ocelot", "user").await;
    assert_eq!(sightings(other, &shared, "ocelot").await, EVERYWHERE);
    let counts = other.call("memory_status", json!({})).await["memories"].clone();
    assert_eq!(counts, json!({"project": 0, "user": 2, "org": 0}));
    assert_eq!(one.call("memory_get", json!({"id": own})).await["version"], 1);
}

#[tokio::test]
async fn projects_do_not_see_each_other() {
    for way in ServerTransport::ALL {
        for era in Era::ALL {
            let home = Home::new("native-folders");
            let mut one = Client::in_folder(&home, "project", way, era).await;
            let mut other = Client::in_folder(&home, "other", way, era).await;
            check_isolation(&mut one, &mut other, &EVERYWHERE).await;
        }
    }
}

/// A client that says where it works is believed: two of one server have two projects.
#[tokio::test]
async fn clients_with_roots_do_not_see_each_other() {
    let root = |home: &Home, name: &str| {
        let folder = home.0.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        ClientAbilities::root(folder.to_str().unwrap())
    };
    let home = Home::new("native-roots-http");
    let server = home.hobnob(&["serve", "--http", "127.0.0.1:0"]);
    let server = listening(server).await;
    let mut one = Client::at(&server.url, Era::Modern, root(&home, "one")).await;
    let mut other = Client::at(&server.url, Era::Modern, root(&home, "other")).await;
    check_isolation(&mut one, &mut other, ANSWERED).await;
    for era in Era::ALL {
        let home = Home::new("native-roots");
        let mut command = home.hobnob(&["serve"]);
        let mut one = Client::start(&mut command, era, root(&home, "one")).await;
        let mut other = Client::start(&mut command, era, root(&home, "other")).await;
        check_isolation(&mut one, &mut other, ANSWERED).await;
    }
}
