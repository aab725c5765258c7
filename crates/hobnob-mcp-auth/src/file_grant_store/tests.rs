//! What the store keeps, what is on disk, and what happens to files that were changed.

use super::{FileGrantStore, Place};
use crate::error::AuthError;
use crate::grant_store::{
    GrantKey, GrantStore as _, RegisteredClient, RegistrationKey, StoredGrant,
};
use crate::scopes::Scopes;
use crate::secret::SecretText;
use std::fs;
use std::path::Path;

fn key(principal: &str) -> GrantKey {
    GrantKey { principal: principal.into(), server: "https://mcp.example/mcp".into(), client: None }
}

fn client() -> RegisteredClient {
    RegisteredClient {
        id: "client".into(),
        secret: Some(SecretText::new("canary-client-secret")),
        method: Some("client_secret_post".into()),
        secret_expires_at: Some(9),
    }
}

fn grant(number: u32) -> StoredGrant {
    StoredGrant {
        access_token: SecretText::new(format!("canary-access-{number}")),
        issued_at: 1,
        expires_at: Some(2),
        refresh_token: Some(SecretText::new(format!("canary-refresh-{number}"))),
        scopes: Scopes::parse("read write"),
        issuer: "https://as.example".into(),
        resource: Some("https://mcp.example".into()),
        client: client(),
        redirect: Some("http://127.0.0.1:1/callback".into()),
        token_endpoint: "https://as.example/token".into(),
        revocation_endpoint: Some("https://as.example/revoke".into()),
    }
}

fn registration(issuer: &str) -> RegistrationKey {
    RegistrationKey { issuer: issuer.into(), redirect: "http://127.0.0.1:1/callback".into() }
}

#[tokio::test]
async fn what_was_saved_is_there_for_the_next_process_and_for_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (FileGrantStore::new(folder.path()), FileGrantStore::new(folder.path()));
    assert_eq!(one.load(&key("a")).await.unwrap(), None);
    one.save(&key("a"), &grant(1)).await.unwrap();
    two.save_client(&registration("https://as.example"), Some(&client())).await.unwrap();
    assert_eq!(two.load(&key("a")).await.unwrap(), Some(grant(1)));
    assert_eq!(two.read_grant(&key("a")).unwrap(), Some(grant(1)));
    assert_eq!(two.load(&key("b")).await.unwrap(), None);
    let known = one.load_client(&registration("https://as.example")).await.unwrap();
    assert_eq!(known, Some(client()));
    assert_eq!(one.load_client(&registration("https://other.example")).await.unwrap(), None);
    one.save_client(&registration("https://as.example"), None).await.unwrap();
    assert_eq!(two.load_client(&registration("https://as.example")).await.unwrap(), None);
    two.delete(&key("a")).await.unwrap();
    two.delete(&key("a")).await.unwrap();
    assert_eq!(one.load(&key("a")).await.unwrap(), None);
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_secret_is_on_the_disk_and_nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("state").join("logins");
    let store = FileGrantStore::new(&folder);
    store.save(&key("a"), &grant(1)).await.unwrap();
    store.save_client(&registration("https://as.example"), Some(&client())).await.unwrap();
    drop(store.lock(&key("a")).await.unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(5 <= files.len(), "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        let bytes = fs::read(&file).unwrap();
        for plain in ["canary", "mcp.example", "as.example", "read write"] {
            let found = bytes.windows(plain.len()).any(|part| part == plain.as_bytes());
            assert!(!found, "{plain} in {}", file.display());
        }
    }
}

#[tokio::test]
async fn a_damaged_file_or_one_of_somebody_else_is_refused_and_a_login_replaces_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileGrantStore::new(folder.path());
    store.save(&key("a"), &grant(1)).await.unwrap();
    store.save(&key("b"), &grant(2)).await.unwrap();
    let file = |who| folder.path().join(Place::of_grant(&key(who)).file);
    let good = fs::read(file("a")).unwrap();
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    // Another principal's login under our file name must not become ours.
    let theirs = fs::read(file("b")).unwrap();
    for bad in [Vec::new(), b"{}".to_vec(), good[..good.len() - 1].to_vec(), flipped, theirs] {
        fs::write(file("a"), &bad).unwrap();
        let error = store.load(&key("a")).await.unwrap_err();
        assert!(matches!(error, AuthError::Damaged(_)), "{error}");
        assert_eq!(fs::read(file("a")).unwrap(), bad, "it is left as it is");
        assert_eq!(store.load(&key("b")).await.unwrap(), Some(grant(2)));
    }
    store.save(&key("a"), &grant(3)).await.unwrap();
    assert_eq!(store.load(&key("a")).await.unwrap(), Some(grant(3)));
}

#[tokio::test]
async fn without_its_key_nothing_is_read_and_a_damaged_key_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileGrantStore::new(folder.path());
    store.save(&key("a"), &grant(1)).await.unwrap();
    fs::remove_file(folder.path().join("key")).unwrap();
    assert!(matches!(store.load(&key("a")).await, Err(AuthError::Damaged(_))));
    fs::write(folder.path().join("key"), b"short").unwrap();
    set_private(&folder.path().join("key"));
    assert!(matches!(store.load(&key("a")).await, Err(AuthError::Damaged(_))));
    assert!(matches!(store.save(&key("a"), &grant(1)).await, Err(AuthError::Damaged(_))));
    assert_eq!(fs::read(folder.path().join("key")).unwrap(), b"short");
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_that_others_may_read_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let store = FileGrantStore::new(folder.path());
    store.save(&key("a"), &grant(1)).await.unwrap();
    let file = folder.path().join("key");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let error = store.load(&key("a")).await.unwrap_err().to_string();
    assert!(error.contains("mode 600"), "{error}");
    assert!(!error.contains(folder.path().to_str().unwrap()), "{error}");
}

#[tokio::test]
async fn a_lock_is_held_by_one_at_a_time_and_only_for_its_grant() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (FileGrantStore::new(folder.path()), FileGrantStore::new(folder.path()));
    let held = one.lock(&key("a")).await.unwrap();
    drop(two.lock(&key("b")).await.unwrap());
    let name = Place::of_grant(&key("a")).file;
    let file = fs::File::open(folder.path().join(format!("{name}.lock"))).unwrap();
    assert!(file.try_lock().is_err());
    drop(held);
    file.try_lock().unwrap();
    drop(file);
    drop(two.lock(&key("a")).await.unwrap());
}

#[tokio::test]
async fn processes_that_begin_together_agree_on_one_key() {
    let folder = tempfile::tempdir().unwrap();
    let mut saving = tokio::task::JoinSet::new();
    for number in 0..8_u32 {
        let store = FileGrantStore::new(folder.path());
        saving.spawn(async move { store.save(&key(&number.to_string()), &grant(number)).await });
    }
    assert!(saving.join_all().await.iter().all(Result::is_ok));
    let store = FileGrantStore::new(folder.path());
    for number in 0..8 {
        let kept = store.load(&key(&number.to_string())).await.unwrap();
        assert_eq!(kept, Some(grant(number)));
    }
}

fn set_private(file: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let _ = file;
}
