//! Which servers have a login, and which principal each login belongs to.

use super::{grant_key, oauth_builder};
use hobnob_config::{Places, ServerSpec, Servers};
use hobnob_mcp_auth::FileGrantStore;
use hobnob_mcp_engine::Principal;
use serde_json::{Value, json};
use std::sync::Arc;

fn spec(entry: &Value) -> ServerSpec {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let places = Places {
        home: at("home"),
        config_dir: at("config"),
        data_dir: at("data"),
        state_dir: at("state"),
        runtime_dir: at("run"),
        project: at("project"),
    };
    places.create().unwrap();
    let servers = json!({"mcpServers": {"it": entry}});
    std::fs::write(places.own_mcp_json(), servers.to_string()).unwrap();
    Servers::load(&places, &|_| None).get("it").unwrap().state.clone().unwrap()
}

#[test]
fn a_login_is_for_servers_at_a_safe_address_without_credentials_of_their_own() {
    let store = Arc::new(FileGrantStore::new("/nowhere"));
    let cases = [
        (json!({"url": "https://h/mcp"}), Ok(true)),
        (json!({"url": "http://127.0.0.1:1/mcp"}), Ok(true)),
        (json!({"url": "https://h", "headers": {"X-Tenant": "a"}}), Ok(true)),
        (json!({"url": "https://h", "oauth": {"clientId": "a", "resource": false}}), Ok(true)),
        (json!({"url": "https://h", "headers": {"AUTHORIZATION": "x"}}), Ok(false)),
        (json!({"url": "https://h", "headersHelper": "x"}), Ok(false)),
        (json!({"url": "http://h/mcp"}), Ok(false)),
        (json!({"command": "x"}), Ok(false)),
        (json!({"url": "http://h/mcp", "oauth": {"clientId": "a"}}), Err("https")),
        (
            json!({"url": "https://h", "oauth": {"clientId": "a", "privateKeyFile": "/nowhere"}}),
            Err("privateKeyFile"),
        ),
    ];
    for (entry, expected) in cases {
        let built = oauth_builder(&spec(&entry), &Principal::anonymous(), &store);
        match (built, expected) {
            (Ok(built), Ok(expected)) => assert_eq!(built.is_some(), expected, "{entry}"),
            (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{error}"),
            (Ok(_), Err(_)) => panic!("{entry} has a login"),
            (Err(error), Ok(_)) => panic!("{entry}: {error}"),
        }
    }
}

/// A37: every principal has separate logins, even one whose name imitates another's.
#[test]
fn no_two_principals_share_a_login() {
    let spec = spec(&json!({"url": "https://h/mcp"}));
    let store = Arc::new(FileGrantStore::new("/nowhere"));
    let names = ["", "local", "principal local", "a", "A", "principal a"];
    let principal = |name: &str| match name {
        "" => Principal::anonymous(),
        name => Principal::named(name),
    };
    let keys: Vec<_> =
        names.iter().map(|name| grant_key(&spec, &principal(name), &store).unwrap()).collect();
    for (at, key) in keys.iter().enumerate() {
        assert!(!keys[at + 1..].contains(key), "{key:?}");
    }
}

/// A login of a machine must not serve a person, nor the other way round.
#[test]
fn no_two_clients_share_a_login() {
    let store = Arc::new(FileGrantStore::new("/nowhere"));
    let provider = json!({"tokenUrl": "https://i/token", "clientId": "a", "idTokenFile": "/x"});
    let clients = [
        json!({"clientId": "a"}),
        json!({"clientId": "a", "grant": "client_credentials"}),
        json!({"clientId": "b", "grant": "client_credentials"}),
        json!({"clientId": "a", "grant": "enterprise_managed", "identityProvider": provider}),
    ];
    let key = |oauth: &Value| {
        let spec = spec(&json!({"url": "https://h/mcp", "oauth": oauth}));
        grant_key(&spec, &Principal::anonymous(), &store).unwrap()
    };
    let keys: Vec<_> = clients.iter().map(key).collect();
    for (at, key) in keys.iter().enumerate() {
        assert!(!keys[at + 1..].contains(key), "{key:?}");
    }
}
