//! A31, A33, A34: concurrent calls share a refresh, a server's trouble does not end a login, and no
//! grant is lost.

use crate::world::{LIFE, START, World, credentials, log_in, refuse, shown, token};
use hobnob_mcp_auth::{GrantKey, GrantStore as _, MemoryGrantStore, SecretText};
use std::sync::Arc;
use tokio::task::JoinSet;

fn key() -> GrantKey {
    GrantKey { principal: "local".into(), server: crate::world::SERVER.into(), client: None }
}

#[tokio::test]
async fn fifty_calls_at_the_end_of_a_token_refresh_once() {
    let world = World::new();
    let authorizer = world.builder().build();
    log_in(&authorizer).await;
    world.happened().now = START + LIFE - 10;
    let mut calls = JoinSet::new();
    for _ in 0..50 {
        let authorizer = Arc::clone(&authorizer);
        calls.spawn(async move { shown(&authorizer).await });
    }
    let all = calls.join_all().await;
    assert_eq!(all, vec!["Bearer canary-token-2"; 50]);
    assert_eq!(world.count("refresh_token"), 1);
    let form = world.happened().tokens[1].1.clone();
    assert_eq!(form["refresh_token"], "canary-refresh-1");
    assert_eq!(form["resource"], crate::world::SERVER);
}

#[tokio::test]
async fn fifty_refused_calls_log_in_once() {
    let world = World::new();
    let authorizer = world.builder().build();
    let mut calls = JoinSet::new();
    for _ in 0..50 {
        let authorizer = Arc::clone(&authorizer);
        calls.spawn(async move { refuse(&authorizer, (401, "Bearer"), 0).await });
    }
    assert!(calls.join_all().await.iter().all(Result::is_ok));
    assert_eq!(world.happened().pages.len(), 1);
}

#[tokio::test]
async fn trouble_of_the_authorization_server_leaves_the_grant_as_it_is() {
    let troubles =
        [(500, ""), (503, "<html>"), (429, ""), (400, "<html>"), (200, "<html>"), (0, "")];
    for (status, body) in troubles {
        let (world, store) = (World::new(), Arc::new(MemoryGrantStore::default()));
        let authorizer = world.builder().store(store.clone()).build();
        log_in(&authorizer).await;
        let before = store.load(&key()).await.unwrap();
        world.happened().now = START + LIFE - 10;
        world.happened().answers.push_back((status, body.into()));
        // The token has not expired yet, so it is used.
        assert_eq!(shown(&authorizer).await, "Bearer canary-token-1", "{status}");
        assert_eq!(store.load(&key()).await.unwrap(), before, "{status}");
        world.happened().now = START + LIFE + 60;
        assert_eq!(shown(&authorizer).await, "Bearer canary-token-2", "{status}");
        assert_eq!(world.happened().pages.len(), 1, "{status}");
    }
}

#[tokio::test]
async fn an_ended_token_is_an_error_that_says_so_while_nobody_renews_it() {
    let world = World::new();
    let authorizer = world.builder().build();
    log_in(&authorizer).await;
    world.happened().now = START + LIFE + 1;
    world.happened().answers.push_back((500, String::new()));
    let first = credentials(&authorizer).await.unwrap_err();
    assert!(first.0.contains("try again later"), "{first}");
    // The authorization server is left alone for a while.
    credentials(&authorizer).await.unwrap_err();
    assert_eq!(world.count("refresh_token"), 1);
}

#[tokio::test]
async fn the_grant_of_a_process_that_was_faster_is_used_and_kept() {
    let (world, store) = (World::new(), Arc::new(MemoryGrantStore::default()));
    let authorizer = world.builder().store(store.clone()).build();
    log_in(&authorizer).await;
    let mut winner = store.load(&key()).await.unwrap().unwrap();
    winner.access_token = SecretText::new("winner");
    winner.refresh_token = Some(SecretText::new("winner-refresh"));
    winner.issued_at = START + LIFE - 20;
    winner.expires_at = Some(START + 2 * LIFE);
    store.save(&key(), &winner).await.unwrap();
    world.happened().now = START + LIFE - 10;
    world.happened().answers.push_back((400, r#"{"error":"invalid_grant"}"#.into()));
    assert_eq!(shown(&authorizer).await, "Bearer winner");
    assert_eq!(store.load(&key()).await.unwrap(), Some(winner));
    assert_eq!(world.count("refresh_token"), 0);
}

#[tokio::test]
async fn a_refused_refresh_asks_for_a_login_and_deletes_nothing() {
    let (world, store) = (World::new(), Arc::new(MemoryGrantStore::default()));
    let authorizer = world.builder().store(store.clone()).build();
    log_in(&authorizer).await;
    let before = store.load(&key()).await.unwrap();
    world.happened().answers.push_back((400, r#"{"error":"invalid_grant"}"#.into()));
    world.happened().answers.push_back((500, String::new()));
    refuse(&authorizer, (401, "Bearer error=\"invalid_token\""), 0).await.unwrap_err();
    assert_eq!(world.happened().pages.len(), 2);
    assert_eq!(store.load(&key()).await.unwrap(), before);
}

#[tokio::test]
async fn an_answer_without_a_refresh_token_keeps_the_old_one() {
    let (world, store) = (World::new(), Arc::new(MemoryGrantStore::default()));
    let authorizer = world.builder().store(store.clone()).build();
    log_in(&authorizer).await;
    world.happened().now = START + LIFE - 10;
    let answer = token(7).replace(",\"refresh_token\":\"canary-refresh-7\"", "");
    assert!(!answer.contains("refresh"));
    world.happened().answers.push_back((200, answer));
    assert_eq!(shown(&authorizer).await, "Bearer canary-token-7");
    let kept = store.load(&key()).await.unwrap().unwrap().refresh_token.unwrap();
    assert_eq!(kept.expose(), "canary-refresh-1");
}

#[tokio::test]
async fn a_refresh_whose_caller_goes_away_is_not_lost() {
    let (world, store) = (World::new(), Arc::new(MemoryGrantStore::default()));
    let authorizer = world.builder().store(store.clone()).build();
    log_in(&authorizer).await;
    world.happened().now = START + LIFE - 10;
    {
        let mut caller = std::pin::pin!(credentials(&authorizer));
        tokio::select! {
            biased;
            _ = &mut caller => unreachable!("the refresh takes longer than one step"),
            () = tokio::task::yield_now() => {}
        }
    }
    authorizer.close().await;
    let kept = store.load(&key()).await.unwrap().unwrap();
    assert_eq!(kept.access_token.expose(), "canary-token-2");
    assert_eq!(kept.refresh_token.unwrap().expose(), "canary-refresh-2");
}

/// A33: a process crashed after using its refresh token and before storing the next one. The next
/// process needs a login, and does not send the refresh token again and again.
#[tokio::test]
async fn a_crash_before_the_write_asks_for_a_login_and_not_again_and_again() {
    let (world, store) = (World::new(), Arc::new(MemoryGrantStore::default()));
    let crashing = world.builder().store(store.clone()).build();
    log_in(&crashing).await;
    let spent = store.load(&key()).await.unwrap().unwrap();
    world.happened().now = START + LIFE - 10;
    assert_eq!(shown(&crashing).await, "Bearer canary-token-2");
    store.save(&key(), &spent).await.unwrap();
    let next = world.builder_without_person().store(store.clone()).build();
    let ended = (400, r#"{"error":"invalid_grant"}"#.to_owned());
    world.happened().answers.extend(std::iter::repeat_n(ended, 100));
    for _ in 0..10 {
        let error = refuse(&next, (401, "Bearer error=\"invalid_token\""), 0).await.unwrap_err();
        assert!(error.0.contains("requires a login"), "{error}");
    }
    assert_eq!(world.count("refresh_token"), 2, "one before the crash, one after it");
    assert_eq!(store.load(&key()).await.unwrap(), Some(spent), "nothing was deleted");
    // A login in another process helps at once.
    world.happened().answers.clear();
    let elsewhere = world.builder().store(store).build();
    log_in(&elsewhere).await;
    refuse(&next, (401, "Bearer error=\"invalid_token\""), 0).await.unwrap();
    assert_eq!(shown(&next).await, shown(&elsewhere).await);
}

#[tokio::test]
async fn a_stored_login_is_used_by_the_next_process_and_by_nobody_else() {
    let (world, store) = (World::new(), Arc::new(MemoryGrantStore::default()));
    log_in(&world.builder().store(store.clone()).build()).await;
    let next = world.builder().store(store.clone()).build();
    assert_eq!(shown(&next).await, "Bearer canary-token-1");
    let other = world.builder().store(store).principal("other").build();
    assert_eq!(shown(&other).await, "");
}
