//! Servers whose login needs no person, at a third-party authorization server: a client with a
//! secret, one with a key, and a company's identity provider that vouches for a person.
//!
//! The commands and a running hub use them; `status` and `doctor` report them correctly.

use serde_json::{Value, json};

use crate::login::{TOOL, assert_absent_below, hub, text, write_servers};
use crate::login_oidc::Stage;

/// Each kind of login, and the owner of its token as the tool reports it.
const MACHINES: [(&str, &str); 3] =
    [("secret", "nightly"), ("key", "signer"), ("company", "grace")];

/// The settings of one of them, for the server of the stage.
async fn settings(stage: &Stage, machine: &str) -> Value {
    match machine {
        "secret" => json!({"grant": "client_credentials", "clientId": "nightly",
            "clientSecret": "a secret of the nightly client"}),
        "key" => {
            let pem = stage.control("key").await["pem"].as_str().unwrap().to_owned();
            stage.home.write("home/key.pem", &pem);
            json!({"grant": "client_credentials", "clientId": "signer", "keyId": "hub",
                "privateKeyFile": stage.home.path("home/key.pem")})
        }
        _ => {
            let token = stage.control("id-token").await["token"].as_str().unwrap().to_owned();
            stage.home.write("home/id-token", &token);
            json!({"grant": "enterprise_managed", "clientId": "hub-at-server",
                "clientSecret": "a secret at the server", "identityProvider": {
                    "tokenUrl": format!("{}/token", stage.issuer),
                    "clientId": "hub-at-company", "clientSecret": "a secret at the company",
                    "idTokenFile": stage.home.path("home/id-token")}})
        }
    }
}

fn private(report: &Value) -> Value {
    let servers = report["servers"].as_array().unwrap();
    servers.iter().find(|it| it["name"] == "private").unwrap().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_a_client_of_its_own_needs_no_person() {
    let Some(stage) = Stage::start().await else { return };
    for (machine, name) in MACHINES {
        let oauth = settings(&stage, machine).await;
        write_servers(&stage.home, &json!({"private": {"url": stage.url, "oauth": oauth}}));
        let expected = format!("hello {name}");
        assert_eq!(stage.home.ok(&["call", TOOL]).stdout.trim(), expected, "{machine}");
        let status = private(&stage.home.json(0, &["status"]));
        assert_ne!(status["phase"], "needs-login", "{status}");
        let login = &status["login"];
        assert_eq!(
            (&login["logged_in"], &login["renews"]),
            (&true.into(), &true.into()),
            "{status}"
        );
        let doctor = stage.home.json(0, &["doctor", "private"]);
        assert_eq!(private(&doctor)["verdict"], "ok", "{doctor}");
        // The next token comes by itself, also for many calls of a hub.
        let (_hub, client) = hub(&stage.home).await;
        for _ in 0..2 {
            stage.control("expire").await;
            assert_eq!(text(&client).await, expected, "{machine}");
        }
    }
    let counts = stage.control("counts").await;
    assert_eq!(
        (&counts["registrations"], &counts["refreshes"]),
        (&0.into(), &0.into()),
        "{counts}"
    );
    for token in counts["tokens"].as_array().unwrap() {
        assert!(4 < assert_absent_below(&stage.home.path("hobnob"), token.as_str().unwrap()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_a_client_is_said_and_nobody_is_told_to_log_in() {
    let Some(stage) = Stage::start().await else { return };
    let home = &stage.home;
    let entry = |oauth: &Value| json!({"private": {"url": stage.url, "oauth": oauth}});
    let good = settings(&stage, "company").await;
    write_servers(home, &entry(&good));
    let report = home.json(0, &["login", "private"]);
    let expected = json!({"server": "private", "logged_in": true, "new": false, "renews": true});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(report[name], *value, "{report}");
    }
    assert!(home.ok(&["login", "private"]).stdout.contains("logs in by itself"));
    let device = home.run(&["login", "private", "--device"]);
    assert!(device.stderr.contains("`oauth.grant`"), "{}", device.stderr);

    let mut wrong = good.clone();
    wrong["clientSecret"] = "guessed".into();
    let mut unknown = good.clone();
    unknown["identityProvider"]["clientSecret"] = "guessed".into();
    let mut absent = good.clone();
    absent["identityProvider"]["idTokenFile"] = json!(home.path("home/absent"));
    for (oauth, why) in [
        (wrong, "the authorization server refused (invalid_client)"),
        (unknown, "the identity provider refused (invalid_client)"),
        (absent, "`oauth.identityProvider.idTokenFile`"),
    ] {
        home.ok(&["logout", "private"]);
        write_servers(home, &entry(&oauth));
        let refused = home.run(&["call", TOOL]);
        let said = refused.stdout + &refused.stderr;
        assert!(said.contains(why), "{said}");
        assert!(!said.contains("hobnob login"), "{said}");
        let status = private(&home.json(0, &["status"]));
        assert_eq!(status["phase"], "failed", "{status}");
        assert!(status["reason"].as_str().unwrap().contains(why), "{status}");
        let doctor = private(&home.json(1, &["doctor", "private"]));
        assert_eq!(doctor["verdict"], "broken", "{doctor}");
        assert!(doctor["reason"].as_str().unwrap().contains(why), "{doctor}");
        let login = home.run(&["login", "private"]);
        assert_ne!(login.code, 0);
        assert!(login.stderr.contains("check `oauth` of its entry"), "{}", login.stderr);
    }
}

/// The ID token of one person never speaks for another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_company_vouches_for_one_person_and_a_client_for_everybody() {
    let Some(stage) = Stage::start().await else { return };
    let home = crate::tokens::home();
    let config = std::fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap();
    home.write("hobnob/config/config.toml", &format!("{config}{}", crate::faults_setup::ALLOW));
    let ann = crate::tokens::create(&home, &["ann"]);
    for (machine, expected) in [("secret", "hello nightly"), ("company", "nobody else can use it")]
    {
        let oauth = settings(&stage, machine).await;
        write_servers(&home, &json!({"private": {"url": stage.url, "oauth": oauth}}));
        let local = home.ok(&["call", TOOL]).stdout;
        assert!(local.starts_with("hello "), "{local}");
        let server = crate::tokens::serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
        let params = json!({"name": TOOL, "arguments": {}});
        let answer = crate::tokens::ask(&server, "/mcp", Some(&ann), "tools/call", params).await;
        assert!(answer.body.contains(expected), "{}", answer.body);
        let status = private(&home.json(0, &["status"]));
        assert_ne!(status["phase"], "failed", "what others may not do is no failure: {status}");
    }
    let login = home.run(&["login", "private", "--as", "token:ann"]);
    assert!(login.stderr.contains("nobody else can use it"), "{}", login.stderr);
}
