//! The scope matrix (A12): every method against every kind of scope, and what a refusal names.

use super::{AccessRights, NamedOwners};
use crate::scopes::Scopes;
use hobnob_mcp_types::{Method, MethodName, Params, Revision};

/// Names as a program could have them: `SERVICE_tool`, `SERVICE://…`, and `hub` for the hub itself.
#[derive(Debug)]
struct Owners;

impl NamedOwners for Owners {
    fn of_name<'a>(&self, name: &'a str) -> Option<&'a str> {
        name.split_once('_').map(|(owner, _)| owner)
    }

    fn of_uri<'a>(&self, uri: &'a str) -> Option<&'a str> {
        uri.split_once("://").map(|(owner, _)| owner)
    }

    fn needs_admin(&self, name_or_uri: &str, _params: &Params) -> bool {
        name_or_uri.starts_with("hub")
    }
}

const MEMORY: &str = r#"{"name":"memory_find","uri":"memory://1"}"#;
const HUB: &str = r#"{"name":"hub_reload","uri":"hub://logs"}"#;
const NAMELESS: &str = r#"{"name":"find","uri":"find"}"#;

/// The scopes of a token, and for each column whether it is allowed at `/p/work`: lists, reading
/// from memory, a call of memory, a call of an unowned tool, stopping a task, the hub itself.
const MATRIX: &[(&str, [u8; 6])] = &[
    ("", [0, 0, 0, 0, 0, 0]),
    ("openid email memory notes:write", [0, 0, 0, 0, 0, 0]),
    ("READ CALL", [0, 0, 0, 0, 0, 0]),
    ("read", [1, 1, 0, 0, 0, 0]),
    ("call", [1, 1, 1, 1, 1, 0]),
    ("admin", [1, 1, 1, 1, 1, 1]),
    ("memory:read", [1, 1, 0, 0, 0, 0]),
    ("memory:call", [1, 1, 1, 0, 1, 0]),
    ("memory:admin", [0, 0, 0, 0, 0, 0]),
    ("files:call", [1, 0, 0, 0, 1, 0]),
    ("files:call memory:read", [1, 1, 0, 0, 1, 0]),
    ("p/work:read", [1, 1, 0, 0, 0, 0]),
    ("p/work:call", [1, 1, 1, 1, 1, 0]),
    ("p/work:admin", [1, 1, 1, 1, 1, 1]),
    ("p/home:admin", [0, 0, 0, 0, 0, 0]),
    ("p/:admin :admin :call", [0, 0, 0, 0, 0, 0]),
    ("work:call", [1, 0, 0, 0, 1, 0]),
];

fn rights(scopes: &str) -> AccessRights {
    AccessRights::of(&Scopes::parse(scopes))
}

fn check(scopes: &str, prefix: &str, method: &str, params: &str) -> Result<(), Box<str>> {
    let params = Params::from_json(params.into()).unwrap();
    rights(scopes).check(&Owners, prefix, &MethodName::parse(method), &params)
}

#[test]
fn each_scope_allows_what_it_says_and_what_it_includes() {
    for (scopes, expected) in MATRIX {
        let columns = [
            ("tools/list", MEMORY),
            ("resources/read", MEMORY),
            ("tools/call", MEMORY),
            ("tools/call", NAMELESS),
            ("tasks/cancel", MEMORY),
            ("tools/call", HUB),
        ];
        let seen = columns
            .map(|(method, params)| u8::from(check(scopes, "/p/work", method, params).is_ok()));
        assert_eq!(seen, *expected, "{scopes}");
        let all = rights(scopes).check_all("/p/work").is_ok();
        assert_eq!(u8::from(all), expected[5], "{scopes}: everything is the hub too");
    }
}

#[test]
fn a_profile_counts_below_its_path_only() {
    for (prefix, allowed) in [("/p/work", true), ("/p/work2", false), ("/p/", false), ("", false)] {
        let seen = check("p/work:call", prefix, "tools/call", MEMORY);
        assert_eq!(seen.is_ok(), allowed, "{prefix}");
    }
}

/// Every request of every revision: without a scope only the greeting is allowed, with all scopes
/// everything is, and `read` never suffices for a request that changes something.
#[test]
fn every_method_has_its_place() {
    let (mut greetings, mut readings, mut changes) = (Vec::new(), 0, Vec::new());
    for method in Method::ALL {
        if !Revision::ALL.iter().any(|revision| method.is_asked_of_servers(*revision)) {
            continue;
        }
        let name = method.as_str();
        assert_eq!(check("admin", "", name, MEMORY), Ok(()), "{name}");
        match (check("", "", name, MEMORY), check("read", "", name, MEMORY)) {
            (Ok(()), _) => greetings.push(name),
            (Err(_), Ok(())) => readings += 1,
            (Err(_), Err(_)) => changes.push(name),
        }
    }
    assert_eq!(greetings, ["initialize", "ping", "server/discover"]);
    assert_eq!(changes, ["tools/call", "tasks/cancel", "tasks/update"]);
    assert_eq!(readings, 14);
    assert!(check("read", "", "other/method", "{}").is_err(), "another protocol's calls");
    assert!(check("call", "", "other/method", "{}").is_ok());
    assert!(check("memory:call", "", "other/method", "{}").is_err());
}

/// A refusal names all missing scopes at once, of the same kind as the token's own.
#[test]
fn a_refusal_names_all_scopes() {
    for (scopes, prefix, method, params, missing) in [
        ("", "", "tools/list", "{}", "read"),
        ("", "", "tools/call", MEMORY, "read call"),
        ("read", "", "tools/call", MEMORY, "read call"),
        ("read", "", "tools/call", HUB, "read call admin"),
        ("call", "", "resources/read", HUB, "read call admin"),
        ("memory:read", "", "tools/call", MEMORY, "memory:read memory:call"),
        ("files:call", "", "resources/read", MEMORY, "memory:read"),
        ("files:call", "", "tools/call", NAMELESS, "read call"),
        ("files:call", "", "tools/call", HUB, "read call admin"),
        ("p/work:read", "/p/work", "tools/call", MEMORY, "p/work:read p/work:call"),
        ("p/work:call", "/p/home", "tools/list", "{}", "p/home:read"),
        ("p/work:call", "", "tools/list", "{}", "read"),
    ] {
        let seen = check(scopes, prefix, method, params);
        assert_eq!(seen, Err(missing.into()), "{scopes} {prefix} {method}");
    }
}
