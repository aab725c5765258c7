//! Records of logins are stored and read back, also by other processes.

use super::{EmbeddedSettings, embedded_authorization};
use crate::authorization::{LoginChanges, StoredRecords};
use hobnob_mcp_auth::SecretText;
use hobnob_mcp_auth::authorization_server::{
    AuthorizationRecord, AuthorizationStore as _, Committed, FoundRecord, RecordKind, StoredChange,
};
use hobnob_store_sqlite::SqliteStore;
use std::sync::Arc;

fn record(key: &str) -> AuthorizationRecord {
    AuthorizationRecord {
        kind: RecordKind::AccessToken,
        key: key.into(),
        user: "ann".into(),
        grant: "grant-1".into(),
        expires_at: Some(1_000_000),
        body: "{}".into(),
    }
}

#[tokio::test]
async fn records_come_back_as_they_were_and_conflicts_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let store = SqliteStore::open(&folder.path().join("store.db")).unwrap();
        StoredRecords::new(Arc::new(store))
    };
    let (one, two) = (open(), open());
    let insert = |key: &str| vec![StoredChange::Insert(record(key))];
    assert_eq!(one.commit(insert("a")).await.unwrap(), Committed::Done);
    assert_eq!(two.commit(insert("a")).await.unwrap(), Committed::Conflict);
    assert_eq!(two.commit(insert("b")).await.unwrap(), Committed::Done);
    let found = two.find(RecordKind::AccessToken, "a").await.unwrap();
    assert_eq!(found, Some(FoundRecord { record: record("a"), version: 1 }));
    let changed = AuthorizationRecord { expires_at: None, body: "[]".into(), ..record("a") };
    let replace = |version| StoredChange::Replace { record: changed.clone(), version };
    assert_eq!(one.commit(vec![replace(1)]).await.unwrap(), Committed::Done);
    assert_eq!(two.commit(vec![replace(1)]).await.unwrap(), Committed::Conflict);
    assert_eq!(one.purge(999_999).await.unwrap(), 0);
    assert_eq!(one.purge(1_000_000).await.unwrap(), 1);
    let left = two.list(RecordKind::AccessToken, None, 9).await.unwrap();
    assert_eq!(left, [FoundRecord { record: changed.clone(), version: 2 }]);
    one.commit(vec![StoredChange::RemoveUser("ann".into())]).await.unwrap();
    assert_eq!(two.count(RecordKind::AccessToken).await.unwrap(), 0);
}

#[tokio::test]
async fn a_server_of_settings_keeps_its_users_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(&folder.path().join("store.db")).unwrap());
    let settings = |public_url| EmbeddedSettings {
        public_url,
        resources: vec!["https://hub.example/mcp".into()],
        root_profile: None,
        changes: LoginChanges::new(folder.path().join("login-changes")),
    };
    let server = embedded_authorization(settings("https://hub.example"), store.clone(), None);
    let server = server.unwrap();
    let password = SecretText::new("canary password");
    server.users().add("ann", Some(password), 1).await.unwrap();
    let again = embedded_authorization(settings("https://hub.example/x"), store.clone(), None);
    assert!(again.unwrap().users().access("ann").await.unwrap().is_some());
    for public_url in ["", "http://hub.example", "ftp://hub.example", "https://u@hub.example"] {
        assert!(embedded_authorization(settings(public_url), store.clone(), None).is_err());
    }
}

#[test]
fn changes_of_other_processes_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let changes = || LoginChanges::new(folder.path().join("state/login-changes"));
    let (hub, command) = (changes(), changes());
    for expected in 0..5 {
        assert_eq!((hub.count(), hub.count()), (expected, expected));
        command.announce().unwrap();
    }
}
