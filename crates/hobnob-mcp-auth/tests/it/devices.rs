//! Logins on another device, logins of another process, and logouts.

use crate::world::{START, World, credentials, refuse, shown};
use hobnob_mcp_auth::{
    DeviceCode, DevicePrompt, FileGrantStore, GrantKey, GrantStore as _, LogoutOutcome,
    MemoryGrantStore,
};
use parking_lot::Mutex;
use std::sync::Arc;

#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<String>>>);

impl DevicePrompt for Shown {
    fn show(&self, code: &DeviceCode) {
        let shown = format!("{} {}", code.user_code, code.page);
        self.0.lock().push(shown);
    }
}

fn refusal(code: &str) -> (u16, String) {
    (400, format!("{{\"error\":\"{code}\"}}"))
}

#[tokio::test(start_paused = true)]
async fn a_person_who_types_the_code_is_logged_in() {
    let (world, codes) = (World::new(), Shown::default());
    for answer in [refusal("authorization_pending"), refusal("slow_down"), (503, String::new())] {
        world.happened().answers.push_back(answer);
    }
    let authorizer = world.builder().device(codes.clone()).build();
    let begun = tokio::time::Instant::now();
    refuse(&authorizer, (401, "Bearer scope=\"read\""), 0).await.unwrap();
    assert_eq!(shown(&authorizer).await, "Bearer canary-token-1");
    assert_eq!(*codes.0.lock(), ["ABCD-EFGH https://as.example/device"]);
    // Every two seconds, then seven after `slow_down`, then fourteen after a failure.
    assert_eq!(begun.elapsed().as_secs(), 2 + 2 + 7 + 14);
    let happened = world.happened();
    assert!(happened.pages.is_empty());
    let (_, form) = &happened.tokens[0];
    assert_eq!(form["device_code"], "canary-device");
    assert_eq!(form["resource"], crate::world::SERVER);
}

#[tokio::test(start_paused = true)]
async fn a_code_that_nobody_types_or_that_is_refused_ends_the_login() {
    for (answers, why) in [
        (vec![refusal("access_denied")], "refused on the page"),
        (vec![refusal("expired_token")], "nobody logged in in time"),
        (vec![refusal("authorization_pending"); 1000], "nobody logged in in time"),
        (vec![refusal("invalid_grant")], "invalid_grant"),
    ] {
        let world = World::new();
        world.happened().answers.extend(answers);
        let authorizer = world.builder().device(Shown::default()).build();
        let error = refuse(&authorizer, (401, "Bearer"), 0).await.unwrap_err();
        assert!(error.0.contains(why), "{error}");
        assert!(!error.0.contains("canary"), "{error}");
    }
}

#[tokio::test]
async fn a_login_that_another_process_made_is_used_without_being_asked() {
    let (world, store) = (World::new(), Arc::new(MemoryGrantStore::default()));
    let running = world.builder_without_person().store(store.clone()).build();
    let error = refuse(&running, (401, "Bearer"), 0).await.unwrap_err();
    assert!(error.0.contains("requires a login"), "{error}");
    assert_eq!(world.fetches(), 0, "nobody can be asked, so no server is either");
    assert!(running.last_error().is_some());
    crate::world::log_in(&world.builder().store(store.clone()).build()).await;
    assert!(running.has_other_login().await);
    refuse(&running, (401, "Bearer"), 0).await.unwrap();
    assert_eq!(shown(&running).await, "Bearer canary-token-1");
    assert_eq!(running.last_error(), None);
    assert!(!running.has_other_login().await);
}

#[tokio::test]
async fn a_logout_ends_the_login_for_everybody() {
    let (world, store) = (World::new(), Arc::new(MemoryGrantStore::default()));
    let (one, two) = (
        world.builder().store(store.clone()).build(),
        world.builder().store(store.clone()).build(),
    );
    crate::world::log_in(&one).await;
    assert_eq!(shown(&two).await, "Bearer canary-token-1");
    assert_eq!(two.log_out().await.unwrap(), LogoutOutcome::Revoked);
    assert_eq!(world.happened().revoked, ["canary-refresh-1"]);
    let key =
        GrantKey { principal: "local".into(), server: crate::world::SERVER.into(), client: None };
    assert_eq!(store.load(&key).await.unwrap(), None);
    assert_eq!(shown(&two).await, "");
    // The other authorizer finds out at its next refresh.
    world.happened().now = START + crate::world::LIFE - 10;
    credentials(&one).await.unwrap();
    assert_eq!(world.count("refresh_token"), 0);
    assert!(refuse(&one, (401, "Bearer error=\"invalid_token\""), 0).await.is_ok());
    assert_eq!(world.happened().pages.len(), 2, "a person logs in again");
    assert_eq!(two.log_out().await.unwrap(), LogoutOutcome::Revoked);
    assert_eq!(two.log_out().await.unwrap(), LogoutOutcome::NotLoggedIn);
}

/// A33: for a stored login that a crash or a person damaged, the person logs in again, once.
#[tokio::test]
async fn a_damaged_login_is_asked_for_again_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = || Arc::new(FileGrantStore::new(folder.path()));
    let world = World::new();
    crate::world::log_in(&world.builder().store(store()).build()).await;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("grant-") {
            std::fs::write(path, b"damaged").unwrap();
        }
    }
    let running = world.builder_without_person().store(store()).build();
    assert_eq!(shown(&running).await, "");
    for _ in 0..2 {
        let error = refuse(&running, (401, "Bearer"), 0).await.unwrap_err();
        assert!(error.0.contains("log in again"), "{error}");
        assert!(!error.0.contains(folder.path().to_str().unwrap()), "{error}");
    }
    let login = world.builder().store(store()).build();
    crate::world::log_in(&login).await;
    refuse(&running, (401, "Bearer"), 0).await.unwrap();
    assert_eq!(shown(&running).await, shown(&login).await);
    assert_eq!(world.happened().registrations.len(), 1, "the registration was kept");
}

/// A32 in one process: two authorizers, two stores, one folder, and an issuer that accepts each
/// refresh token once.
#[tokio::test]
async fn two_that_share_a_folder_refresh_once_and_both_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new();
    let open = || world.builder().store(Arc::new(FileGrantStore::new(folder.path()))).build();
    let (one, two) = (open(), open());
    crate::world::log_in(&one).await;
    assert_eq!(shown(&two).await, "Bearer canary-token-1");
    for round in 1..5 {
        world.happened().now += crate::world::LIFE - 10;
        let (first, second) = tokio::join!(shown(&one), shown(&two));
        assert_eq!(first, format!("Bearer canary-token-{}", round + 1));
        assert_eq!(first, second);
        assert_eq!(world.count("refresh_token"), round);
    }
}
