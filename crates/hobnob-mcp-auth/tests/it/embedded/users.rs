//! Users: adding, listing and removing them, their passwords and their logins.

use super::browser::{Browser, REDIRECT, usual};
use super::login_server::{LoginServer, PASSWORD, RESOURCE};
use hobnob_mcp_auth::SecretText;
use hobnob_mcp_auth::authorization_server::{ListedLogin, LoginSubject, UserApproval, UserError};
use hobnob_mcp_auth::resource_server::{TokenRefusal, TokenVerifier as _};
use hobnob_mcp_engine::ClientId;

#[tokio::test]
async fn users_are_added_listed_and_removed() {
    let server = LoginServer::new().await;
    let users = server.server.users();
    users.add("ops", None, 7).await.unwrap();
    let listed = users.list().await.unwrap();
    let all: Vec<_> = listed.iter().map(|it| (&*it.name, it.agrees_by, it.created)).collect();
    let expected = [("ann", UserApproval::Password, 1_000_000), ("ops", UserApproval::Terminal, 7)];
    assert_eq!(all, expected);
    assert!(matches!(users.add("ann", None, 7).await, Err(UserError::Taken)));
    for name in ["", "Ann", "a b", "-a", "ann/x", "ann\n", "ä", &"x".repeat(65)] {
        assert!(matches!(users.add(name, None, 7).await, Err(UserError::BadName)), "{name}");
    }
    for password in ["", "seven77", "with\nline", &"x".repeat(1025)] {
        let added = users.add("bob", Some(SecretText::new(password)), 7).await;
        assert!(matches!(added, Err(UserError::BadPassword)), "{password}");
    }
    users.remove("ops").await.unwrap();
    assert!(matches!(users.remove("ops").await, Err(UserError::Unknown)));
    let unknown = users.set_password("ops", SecretText::new("long enough")).await;
    assert!(matches!(unknown, Err(UserError::Unknown)));
}

#[tokio::test]
async fn a_new_password_counts_and_the_old_one_does_not() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    server.server.users().set_password("ann", SecretText::new("another one")).await.unwrap();
    let mut browser = Browser::new(&server);
    let page = browser.page(&usual(&client)).await;
    assert_eq!(browser.allow(&page).await.status, 403);
    let fields = [("decision", "allow"), ("user", "ann"), ("password", "another one")];
    assert_eq!(browser.submit(&page, &fields).await.status, 303);
}

#[tokio::test]
async fn a_new_password_ends_every_login_of_its_user_and_of_nobody_else() {
    let server = LoginServer::new().await;
    let users = server.server.users();
    users.add("bob", Some(SecretText::new(PASSWORD)), 1).await.unwrap();
    let (client, anns, refresh) = server.logged_in().await;
    let mut browser = Browser::new(&server);
    let code = browser.code(&client).await;
    let page = browser.page(&usual(&client)).await;
    assert!(page.text.contains("logged in as"), "{}", page.text);
    let fields = [("decision", "allow"), ("user", "bob"), ("password", PASSWORD)];
    let answer = Browser::new(&server).submit(&page, &fields).await;
    let bobs = super::browser::sent_back(&answer, REDIRECT)["code"].clone();
    let before = server.server.revocations();
    users.set_password("ann", SecretText::new("another one")).await.unwrap();
    assert_ne!(server.server.revocations(), before, "who remembers tokens must ask again");
    assert_eq!(server.server.verify(&anns, RESOURCE).await.unwrap_err(), TokenRefusal::Unknown);
    assert_eq!(server.refresh(&client, &refresh).await.error(), "invalid_grant");
    assert_eq!(server.redeem(&client, &code).await.error(), "invalid_grant");
    let page = browser.page(&usual(&client)).await;
    assert!(!page.text.contains("logged in as"), "{}", page.text);
    assert_eq!(server.redeem(&client, &bobs).await.status, 200);
    assert_eq!(users.list().await.unwrap().len(), 2);
}

#[tokio::test]
async fn logins_are_listed_and_ended_one_by_one() {
    let server = LoginServer::new().await;
    let users = server.server.users();
    users.add("bob", None, 1).await.unwrap();
    let (client, first, refresh) = server.logged_in().await;
    let (_, second, _) = server.logged_in().await;
    let listed = async || users.logins(None, server.now()).await.unwrap();
    // Each login was in its own browser, which stays logged in.
    let all = listed().await;
    let of_clients = all.iter().filter(|it| it.subject != LoginSubject::Browser).count();
    assert_eq!((all.len(), of_clients), (4, 2), "{all:?}");
    for login in &all {
        assert_eq!(&*login.user, "ann");
        match &login.subject {
            LoginSubject::Client { name, resource, scopes, created, renewed } => {
                assert_eq!((&**name, &**resource), ("Test client", RESOURCE));
                assert_eq!(scopes.join(" "), "read call");
                assert_eq!((*created, *renewed), (server.now(), server.now()));
            }
            LoginSubject::Browser => assert_eq!(login.ends_at, server.now() + 12 * 60 * 60),
        }
    }
    let works = async |token: &str| server.server.verify(token, RESOURCE).await.is_ok();
    let is_client = |it: &&ListedLogin| it.subject != LoginSubject::Browser;
    let id = all.iter().find(is_client).unwrap().id.clone();
    let ended = users.end_login(&id, server.now()).await.unwrap();
    assert_eq!(ended.id, id);
    assert!(matches!(users.end_login(&id, server.now()).await, Err(UserError::NoLogin)));
    let left = (works(&first).await, works(&second).await);
    assert!(left.0 != left.1, "one of them has ended: {left:?}");
    assert_eq!(server.refresh(&client, &refresh).await.status == 200, left.0);
    for login in listed().await {
        users.end_login(&login.id, server.now()).await.unwrap();
    }
    assert_eq!(listed().await, []);
    assert!(!works(&first).await && !works(&second).await);
    // All of one user at once.
    let (_, third, _) = server.logged_in().await;
    assert!(works(&third).await && listed().await.len() == 2);
    users.end_logins("ann").await.unwrap();
    assert_eq!((listed().await.len(), works(&third).await), (0, false));
    assert!(matches!(users.end_logins("eve").await, Err(UserError::Unknown)));
    // Expired logins are not listed, and an unknown user is an error.
    server.logged_in().await;
    assert_eq!(users.logins(Some("bob"), server.now()).await.unwrap(), []);
    assert_eq!(users.logins(Some("ann"), server.now()).await.unwrap().len(), 2);
    assert!(matches!(users.logins(Some("eve"), 1).await, Err(UserError::Unknown)));
    server.pass(13 * 60 * 60);
    assert_eq!(users.logins(Some("ann"), server.now()).await.unwrap().len(), 1);
    server.pass(60 * 24 * 60 * 60);
    assert_eq!(listed().await, []);
}

#[tokio::test]
async fn who_has_no_password_cannot_use_one() {
    let server = LoginServer::new().await;
    server.server.users().add("ops", None, 1).await.unwrap();
    let client = server.public_client(&[REDIRECT]).await;
    let mut browser = Browser::new(&server);
    let page = browser.page(&usual(&client)).await;
    for password in ["x", "password"] {
        let fields = [("decision", "allow"), ("user", "ops"), ("password", password)];
        assert_eq!(browser.submit(&page, &fields).await.status, 403);
    }
    let fields = [("decision", "allow"), ("user", "ops"), ("password", "")];
    assert_eq!(browser.submit(&page, &fields).await.status, 403);
}

#[tokio::test]
async fn a_user_who_is_removed_loses_every_login_and_nobody_else_does() {
    let server = LoginServer::new().await;
    let (_, anns, _) = server.logged_in().await;
    let bob = SecretText::new("bobs password");
    server.server.users().add("bob", Some(bob), 1).await.unwrap();
    let (client, code) = server.client_and_code().await;
    let mut browser = Browser::new(&server);
    let page = browser.page(&usual(&client)).await;
    let fields = [("decision", "allow"), ("user", "bob"), ("password", "bobs password")];
    let answer = browser.submit(&page, &fields).await;
    let bobs_code = super::browser::sent_back(&answer, REDIRECT)["code"].clone();
    let (bobs, refresh) = super::browser::tokens(&server.redeem(&client, &bobs_code).await);
    assert_eq!(server.server.verify(&bobs, RESOURCE).await.unwrap().principal.as_str(), "bob");
    server.server.users().remove("bob").await.unwrap();
    let gone = server.server.verify(&bobs, RESOURCE).await;
    assert_eq!(gone.unwrap_err(), TokenRefusal::Unknown);
    assert_eq!(server.refresh(&client, &refresh).await.error(), "invalid_grant");
    assert_eq!(server.server.verify(&anns, RESOURCE).await.unwrap().principal.as_str(), "ann");
    assert_eq!(server.redeem(&client, &code).await.status, 200);
}

#[tokio::test]
async fn a_password_proves_its_own_user_and_is_not_tried_for_ever() {
    let server = LoginServer::new().await;
    let users = server.server.users();
    users.add("bob", Some(SecretText::new("another password")), 1).await.unwrap();
    users.add("ops", None, 1).await.unwrap();
    let from = ClientId::next_at("192.0.2.7".parse().unwrap());
    let proves = async |user: &str, password: &str| {
        server.server.is_password_of(user, SecretText::new(password), from).await
    };
    assert!(proves("ann", PASSWORD).await);
    for (user, password) in
        [("bob", PASSWORD), ("ops", PASSWORD), ("ops", ""), ("nobody", PASSWORD), ("ann", "")]
    {
        assert!(!proves(user, password).await, "{user}");
    }
    for _ in 0..10 {
        assert!(!proves("bob", "wrong").await);
    }
    assert!(!proves("bob", "another password").await, "too many attempts");
    let told = server.events();
    for event in ["login_failed", "login_throttled"] {
        assert!(told.iter().any(|it| it == event), "{told:?}");
    }
    server.pass(15 * 60);
    assert!(proves("bob", "another password").await);
}
