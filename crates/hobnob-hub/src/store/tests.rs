//! Every way to open the store keeps to the quotas of the settings.

use super::{open_store, open_store_or_retry, store_bytes, store_on_demand};
use hobnob_config::{LimitSettings, Places};
use hobnob_store::tasks::{ListName, NewTask, Priority, TaskAccess, TaskError};
use hobnob_store::{Owner, Store, StoreError, Time};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

#[tokio::test]
async fn whoever_opens_the_store_keeps_to_the_quotas_of_the_settings() {
    let limits =
        LimitSettings { tasks_per_principal: NonZeroUsize::new(1), ..LimitSettings::default() };
    type Open = fn(&Places, &LimitSettings) -> Arc<dyn Store>;
    let ways: [Open; 3] = [
        |places, limits| open_store(places, limits).unwrap(),
        open_store_or_retry,
        store_on_demand,
    ];
    for open in ways {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&places(folder.path()), &limits);
        let access = TaskAccess { owner: Owner::default(), now: Time::default() };
        store.create(access.clone(), task()).await.unwrap();
        let second = store.create(access, task()).await;
        let full = matches!(second, Err(TaskError::Store(StoreError::Full { limit: 1, .. })));
        assert!(full, "{second:?}");
    }
}

fn task() -> NewTask {
    NewTask {
        list: ListName::new("home"),
        description: "feed the cat".into(),
        priority: Priority::Normal,
        parent: None,
        blockers: Vec::new(),
    }
}

fn places(top: &Path) -> Places {
    Places {
        home: top.into(),
        config_dir: top.join("config"),
        data_dir: top.join("data"),
        state_dir: top.join("state"),
        runtime_dir: top.join("run"),
        project: top.into(),
    }
}

#[test]
fn the_store_is_its_file_and_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("hobnob.db");
    assert_eq!(store_bytes(&store), None);
    std::fs::write(&store, [0; 100]).unwrap();
    assert_eq!(store_bytes(&store), Some(100));
    std::fs::write(folder.path().join("hobnob.db-wal"), [0; 20]).unwrap();
    assert_eq!(store_bytes(&store), Some(120));
}
