//! The example of "Add a service" in `CONTRIBUTING.md`: the page shows the file that is compiled
//! here, and the service answers on the wire.

use crate::digest::{DigestOptions, DigestService};
use crate::tasks_server::Folder;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::converse;
use hobnob_services::{BuiltInService, KitChange, KitStaleness, Presentation};
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::tasks::{ListName, NewTask, Priority, TaskAccess, TaskRepository as _};
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const LIST: &str = "example.org/project";

#[test]
fn the_guide_shows_the_file_that_is_compiled() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CONTRIBUTING.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let (_, behind) = guide.split_once("## Add a service\n").unwrap();
    let (_, behind) = behind.split_once("```rust\n").unwrap();
    let (shown, _) = behind.split_once("```\n").unwrap();
    assert_eq!(shown, include_str!("digest.rs"), "copy tests/it/digest.rs into CONTRIBUTING.md");
}

#[tokio::test]
async fn the_example_answers_on_the_wire() {
    let (_folder, store, service) = digest();
    let new = |text: &str, list: &str| NewTask {
        list: ListName::new(list),
        description: text.into(),
        priority: Priority::Normal,
        parent: None,
        blockers: Vec::new(),
    };
    let access = || TaskAccess { owner: Owner::default(), now: Time::now() };
    for task in [new("one", LIST), new("two", LIST), new("elsewhere", "other")] {
        store.create(access(), task).await.unwrap();
    }
    let presentation = Presentation {
        uri_schemes: BTreeMap::from([("digest".into(), "sums".into())]),
        ..Presentation::default()
    };
    let kit = service.kit(&presentation).unwrap();
    assert_eq!(kit.name(), service.name());
    let server = Server::builder("probe", "1").kit(kit).build().unwrap();
    converse(
        &server,
        r#"
        > {"jsonrpc":"2.0","id":0,"method":"initialize","params":{
            "protocolVersion":"2025-11-25","capabilities":{},
            "clientInfo":{"name":"script","version":"1"}}}
        < {"jsonrpc":"2.0","id":0,"result":"$any"}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"digest_count",
            "arguments":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"open\":2}"}],
            "structuredContent":{"open":2}}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"sums://open"}}
        < {"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"sums://open",
            "mimeType":"text/plain","text":"2 open tasks"}]}}
    "#,
    )
    .await;
}

#[tokio::test]
async fn the_example_follows_the_store_and_ends() {
    let (_folder, _store, service) = digest();
    let presentation = Presentation::default();
    let change = |list: &str| RecordChange {
        owner: Owner::default(),
        what: ChangedRecord::Task { list: list.into(), id: "id".into() },
    };
    for (list, expected) in [(LIST, &["digest://open"][..]), ("other", &[])] {
        assert_eq!(service.changed_resources(&presentation, &change(list)), expected, "{list}");
        assert_eq!(service.staleness(&change(list)), KitStaleness::Current);
    }
    assert_eq!(service.all_resources(&presentation), ["digest://open"]);
    assert_eq!(service.refresh().await.unwrap(), KitChange::Same);
    let stop = CancellationToken::new();
    stop.cancel();
    service.run(stop).await;
    service.close().await;
}

fn digest() -> (Folder, SqliteStore, Arc<dyn BuiltInService>) {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.0.join("store.db")).unwrap();
    let options = DigestOptions { list: ListName::new(LIST), limit: 500 };
    let service = DigestService::new(Arc::new(store.clone()), options);
    (folder, store, Arc::new(service))
}
