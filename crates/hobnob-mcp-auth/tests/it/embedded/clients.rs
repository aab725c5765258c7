//! Registration and authentication of clients.

use super::browser::{Browser, REDIRECT, VERIFIER, tokens};
use super::login_server::{ISSUER, LoginServer, RESOURCE, posted};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use http::Request;
use serde_json::{Value, json};

#[tokio::test]
async fn the_server_says_what_it_can_do_to_everybody() {
    let server = LoginServer::new().await;
    for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        let metadata = answer.json();
        let expected = [
            ("issuer", json!(ISSUER)),
            ("authorization_endpoint", json!(format!("{ISSUER}/oauth/authorize"))),
            ("token_endpoint", json!(format!("{ISSUER}/oauth/token"))),
            ("registration_endpoint", json!(format!("{ISSUER}/oauth/register"))),
            ("revocation_endpoint", json!(format!("{ISSUER}/oauth/revoke"))),
            ("code_challenge_methods_supported", json!(["S256"])),
            ("response_types_supported", json!(["code"])),
            ("grant_types_supported", json!(["authorization_code", "refresh_token"])),
            ("client_id_metadata_document_supported", json!(true)),
            ("authorization_response_iss_parameter_supported", json!(true)),
            ("scopes_supported", json!(["read", "call", "admin"])),
        ];
        for (member, value) in expected {
            assert_eq!(metadata[member], value, "{member}");
        }
    }
}

#[tokio::test]
async fn each_path_takes_its_own_methods() {
    let server = LoginServer::new().await;
    let cases = [
        ("POST", "/.well-known/oauth-authorization-server", 405, "GET, OPTIONS"),
        ("DELETE", "/oauth/authorize", 405, "GET, POST"),
        ("OPTIONS", "/oauth/authorize", 405, "GET, POST"),
        ("GET", "/oauth/token", 405, "POST, OPTIONS"),
        ("GET", "/oauth/register", 405, "POST, OPTIONS"),
        ("PUT", "/oauth/revoke", 405, "POST, OPTIONS"),
    ];
    for (method, path, status, allow) in cases {
        let request = Request::builder().method(method).uri(path).body(Bytes::new()).unwrap();
        let answer = server.send(request).await;
        assert_eq!((answer.status, answer.header("allow")), (status, allow), "{method} {path}");
    }
    for path in ["/oauth/token", "/oauth/register", "/.well-known/oauth-authorization-server"] {
        let request = Request::builder().method("OPTIONS").uri(path).body(Bytes::new()).unwrap();
        let answer = server.send(request).await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert!(answer.header("access-control-allow-headers").contains("authorization"));
    }
}

#[tokio::test]
async fn a_registration_gets_what_it_asked_for_or_a_reason() {
    let server = LoginServer::new().await;
    let with = |member: &str, value: Value| {
        let mut body = json!({ "redirect_uris": [REDIRECT], "client_name": "Claude" });
        body[member] = value;
        body
    };
    let good = [
        (with("token_endpoint_auth_method", json!("none")), "none"),
        (with("token_endpoint_auth_method", json!("client_secret_post")), "client_secret_post"),
        (with("token_endpoint_auth_method", json!("client_secret_basic")), "client_secret_basic"),
        (with("unknown", json!({ "deep": [1] })), "client_secret_basic"),
        (
            with("grant_types", json!(["authorization_code", "urn:x:device_code"])),
            "client_secret_basic",
        ),
        (
            with("redirect_uris", json!(["cursor://anysphere.cursor-mcp/oauth/callback"])),
            "client_secret_basic",
        ),
    ];
    for (body, method) in good {
        let answer = server.register(&body).await;
        assert_eq!(answer.status, 201, "{body}: {answer:?}");
        assert_eq!(answer.header("cache-control"), "no-store");
        let json = answer.json();
        assert_eq!(json["token_endpoint_auth_method"], method, "{body}");
        assert_eq!(json["client_secret"].is_string(), method != "none", "{body}");
        assert_eq!(json["redirect_uris"], body["redirect_uris"]);
        assert_eq!(json["client_name"], "Claude");
    }
    let bad = [
        (with("redirect_uris", json!([])), "invalid_redirect_uri"),
        (with("redirect_uris", json!(vec![REDIRECT; 11])), "invalid_redirect_uri"),
        (with("redirect_uris", json!(["http://evil.example/"])), "invalid_redirect_uri"),
        (with("redirect_uris", json!(["javascript:alert(1)"])), "invalid_redirect_uri"),
        (with("redirect_uris", json!([REDIRECT, "myapp://x"])), "invalid_redirect_uri"),
        (with("redirect_uris", json!("text")), "invalid_client_metadata"),
        (with("redirect_uris", Value::Null), "invalid_client_metadata"),
        (with("token_endpoint_auth_method", json!("private_key_jwt")), "invalid_client_metadata"),
        (with("grant_types", json!(["client_credentials"])), "invalid_client_metadata"),
        (with("response_types", json!(["token"])), "invalid_client_metadata"),
        (with("client_name", json!("x".repeat(17_000))), "invalid_client_metadata"),
        (json!([]), "invalid_client_metadata"),
    ];
    for (body, code) in bad {
        let answer = server.register(&body).await;
        assert_eq!((answer.status, answer.error().as_str()), (400, code), "{body}");
    }
}

#[tokio::test]
async fn an_address_registers_so_many_clients_and_no_more() {
    let server = LoginServer::new().await;
    let body = json!({ "redirect_uris": [REDIRECT] });
    for _ in 0..30 {
        assert_eq!(server.register(&body).await.status, 201);
    }
    let refused = server.register(&body).await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), "3600");
    let other = ClientId::next_at("192.0.2.2".parse().unwrap());
    let request = Request::post("/oauth/register").body(Bytes::from(body.to_string())).unwrap();
    assert_eq!(server.send_from(request, other).await.status, 201);
    server.pass(3600);
    assert_eq!(server.register(&body).await.status, 201);
}

#[tokio::test]
async fn a_registration_that_nobody_uses_ends_and_one_with_tokens_does_not() {
    let server = LoginServer::new().await;
    let unused = server.public_client(&[REDIRECT]).await;
    let (used, _, refresh) = server.logged_in().await;
    server.pass(24 * 3600);
    server.store.purge(server.now()).await.unwrap();
    let gone = server.refresh(&unused, "hobr_any").await;
    assert_eq!((gone.status, gone.error().as_str()), (401, "invalid_client"));
    assert!(gone.header("www-authenticate").starts_with("Basic"));
    let page = Browser::new(&server).open(&super::browser::usual(&unused)).await;
    assert_eq!((page.status, page.header("location")), (400, ""));
    let mut refresh = refresh;
    // Each use keeps the client for longer than its newest token.
    for _ in 0..5 {
        server.pass(58 * 24 * 3600);
        server.store.purge(server.now()).await.unwrap();
        refresh = tokens(&server.refresh(&used, &refresh).await).1;
    }
    server.pass(61 * 24 * 3600);
    server.store.purge(server.now()).await.unwrap();
    assert_eq!(server.refresh(&used, &refresh).await.error(), "invalid_grant");
}

#[tokio::test]
async fn a_client_proves_itself_in_the_one_way_it_registered() {
    let basic =
        |id: &str, secret: &str| format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
    for method in ["none", "client_secret_post", "client_secret_basic"] {
        let server = LoginServer::new().await;
        let body = json!({ "redirect_uris": [REDIRECT], "token_endpoint_auth_method": method });
        let client = server.register(&body).await.json();
        let id = client["client_id"].as_str().unwrap();
        let secret = client["client_secret"].as_str().unwrap_or("no secret");
        let code = Browser::new(&server).code(id).await;
        let usual = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
        ];
        let form = |extra: &[(&'static str, &'static str)]| {
            let mut all: Vec<(&str, String)> =
                usual.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
            for (name, value) in extra {
                let value = value.replace("ID", id).replace("SECRET", secret);
                all.push((name, value));
            }
            all
        };
        let tries = [
            ("wrong", form(&[("client_id", "ID"), ("client_secret", "wrong")]), None::<String>),
            ("wrong", form(&[]), Some(basic(id, "wrong"))),
            ("wrong", form(&[("client_id", "client-other")]), None),
            ("none", form(&[("client_id", "ID")]), None),
            ("client_secret_post", form(&[("client_id", "ID"), ("client_secret", "SECRET")]), None),
            ("client_secret_basic", form(&[]), Some(basic(id, secret))),
        ];
        // The right method comes last, since it redeems the code.
        let (right, wrong): (Vec<_>, Vec<_>) = tries.into_iter().partition(|it| it.0 == method);
        for (way, form, header) in wrong.into_iter().chain(right) {
            let pairs: Vec<_> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let mut request = posted("/oauth/token", &pairs);
            if let Some(header) = header {
                request.headers_mut().insert("authorization", header.parse().unwrap());
            }
            let answer = server.send(request).await;
            if way == method {
                assert_eq!(answer.status, 200, "{method}: {answer:?}");
            } else {
                let found = (answer.status, answer.error());
                assert_eq!(found, (401, "invalid_client".into()), "{method} by {way}");
            }
        }
    }
    let server = LoginServer::new().await;
    let (client, code) = server.client_and_code().await;
    let mut two = posted("/oauth/token", &[("client_id", &client), ("client_secret", "x")]);
    two.headers_mut().insert("authorization", basic(&client, "x").parse().unwrap());
    assert_eq!(server.send(two).await.error(), "invalid_request");
    // None of the refused attempts has used up the code.
    assert_eq!(server.redeem(&client, &code).await.status, 200);
    assert_eq!(RESOURCE, "https://hub.example/mcp");
}
