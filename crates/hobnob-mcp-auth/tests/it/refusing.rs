//! A35, A36: how often a server or an authorization server may refuse before the authorizer stops.

use crate::world::{World, log_in, parameter, refuse, shown};

#[tokio::test]
async fn a_server_that_refuses_every_token_gets_one_login() {
    let world = World::new();
    let authorizer = world.builder().build();
    refuse(&authorizer, (401, "Bearer"), 0).await.unwrap();
    let failed = refuse(&authorizer, (401, "Bearer"), 1).await.unwrap_err();
    assert!(failed.0.contains("tell the operator of the server"), "{failed}");
    for _ in 0..5 {
        refuse(&authorizer, (401, "Bearer"), 0).await.unwrap_err();
    }
    assert_eq!(world.happened().pages.len(), 1);
}

#[tokio::test]
async fn scopes_that_were_asked_for_and_not_given_are_not_asked_for_again() {
    let world = World::new();
    let authorizer = world.builder().build();
    log_in(&authorizer).await;
    let write = (403, "Bearer error=\"insufficient_scope\", scope=\"write\"");
    refuse(&authorizer, write, 0).await.unwrap();
    let failed = refuse(&authorizer, write, 1).await.unwrap_err();
    assert!(failed.0.contains("scopes"), "{failed}");
    refuse(&authorizer, write, 0).await.unwrap_err();
    let pages = world.happened().pages.clone();
    assert_eq!(pages.len(), 2);
    assert_eq!(parameter(&pages[0], "scope").unwrap(), "read");
    assert_eq!(parameter(&pages[1], "scope").unwrap(), "read write");
}

#[tokio::test]
async fn a_token_that_was_revoked_is_refreshed_and_then_got_anew() {
    let world = World::new();
    let authorizer = world.builder().build();
    log_in(&authorizer).await;
    refuse(&authorizer, (401, "Bearer error=\"invalid_token\""), 0).await.unwrap();
    assert_eq!((world.count("refresh_token"), world.happened().pages.len()), (1, 1));
    refuse(&authorizer, (401, "Bearer error=\"invalid_token\""), 1).await.unwrap();
    assert_eq!((world.count("refresh_token"), world.happened().pages.len()), (1, 2));
    refuse(&authorizer, (401, "Bearer error=\"invalid_token\""), 2).await.unwrap_err();
    assert_eq!(world.happened().pages.len(), 2);
}

#[tokio::test]
async fn a_forgotten_client_is_registered_again_once() {
    let world = World::new();
    let authorizer = world.builder().build();
    let forgotten = || (401, r#"{"error":"invalid_client"}"#.to_owned());
    world.happened().answers.push_back(forgotten());
    log_in(&authorizer).await;
    assert_eq!(shown(&authorizer).await, "Bearer canary-token-1");
    assert_eq!(world.happened().registrations.len(), 2);
    let used = world.happened().tokens[1].1["client_id"].clone();
    assert_eq!(used, "as.example-client-2");

    let world = World::new();
    let authorizer = world.builder().build();
    world.happened().answers.extend([forgotten(), forgotten(), forgotten()]);
    let failed = refuse(&authorizer, (401, "Bearer"), 0).await.unwrap_err();
    assert!(failed.0.contains("set its client id"), "{failed}");
    assert_eq!(world.happened().registrations.len(), 2);
}

#[tokio::test]
async fn without_anybody_to_ask_the_error_says_that_a_login_is_needed() {
    let world = World::new();
    let url = crate::world::SERVER;
    let authorizer = hobnob_mcp_auth::OAuthAuthorizer::builder(url)
        .unwrap()
        .fetch(std::sync::Arc::new(world.clone()))
        .build();
    let failed = refuse(&authorizer, (401, "Bearer"), 0).await.unwrap_err();
    assert!(failed.0.contains("requires a login"), "{failed}");
    assert!(world.happened().registrations.is_empty());
}
