//! The owners of public names, as far as they are certain.

use super::{PublicNameOwners, ScopeReach, scope_reach};
use hobnob_config::ToolNameLength::{self, Full, Short};
use hobnob_mcp_auth::resource_server::NamedOwners as _;
use hobnob_mcp_types::Params;

const NAMES: &[(ToolNameLength, &str, Option<&str>)] = &[
    (Full, "mcp__git__read_text", Some("git")),
    (Full, "mcp__git__read__text", Some("git")),
    // A server may have a service's name, but the service's scope does not cover it.
    (Full, "mcp__memory__capture", None),
    (Full, "mcp__files__read_text", None),
    (Full, "memory_capture", Some("memory")),
    (Full, "shell_run", Some("shell")),
    (Full, "cone_ask", None),
    (Full, "claudecode_start", None),
    (Full, "find_tools", None),
    (Full, "call_tool", None),
    (Full, "ReadMcpResource", None),
    // With full names, a name without `mcp__` belongs to no server.
    (Full, "git__read_text", None),
    (Full, "mcp__memory_capture", None),
    (Full, "mcp__a_very_long_server_n_0123abcd", None),
    (Short, "git__read_text", Some("git")),
    (Short, "memory__capture", None),
    (Short, "mcp__memory__capture", Some("mcp")),
    (Short, "memory_capture", Some("memory")),
    (Short, "a_name_that_was_cut_0123abcd", None),
];

#[test]
fn a_name_has_an_owner_only_where_that_is_certain() {
    for (form, name, owner) in NAMES {
        assert_eq!(PublicNameOwners::new(*form).of_name(name), *owner, "{form:?} {name}");
    }
}

#[test]
fn addresses_have_owners_too() {
    let owners = PublicNameOwners::new(Full);
    for (uri, owner) in [
        ("mcp://git/file:///x", Some("git")),
        ("mcp://memory/1", None),
        ("mcp://a%2Fb/x", None),
        ("memory://1", Some("memory")),
        ("hobnob://status", None),
        ("file:///etc", None),
        ("memory", None),
    ] {
        assert_eq!(owners.of_uri(uri), owner, "{uri}");
    }
}

/// The parameters of a call of a tool that calls another one.
const THROUGH: &str =
    r#"{"arguments":{"name":"ReadMcpResource","arguments":{"uri":"hobnob://logs/git?of=all"}}}"#;

#[test]
fn everybodys_logs_need_admin_whichever_way_they_are_read() {
    let owners = PublicNameOwners::new(Full);
    for (name, params, admin) in [
        ("hobnob://logs/git?of=all", "{}", true),
        ("HOBNOB://LOGS/git?OF=ALL", "{}", true),
        ("hobnob://logs/git?of=all", r#"{"arguments":{}}"#, true),
        ("hobnob://status?of=all", "{}", true),
        // Addresses of the caller's own data.
        ("hobnob://logs/git", "{}", false),
        ("hobnob://status", "{}", false),
        ("mcp://x/hobnob://status?of=all", "{}", false),
        ("memory_capture", r#"{"arguments":{"text":"hobnob://logs/git?of=all"}}"#, false),
        ("ReadMcpResource", r#"{"arguments":{"server":"x","uri":"x://y"}}"#, false),
        ("ReadMcpResource", r#"{"arguments":{"uri":"hobnob://logs/git"}}"#, false),
        ("ReadMcpResource", r#"{"arguments":{"uri":"hobnob://logs/git?of=all"}}"#, true),
        ("ReadMcpResource", r#"{"arguments":{"uri":"hobnob:\/\/logs\/git?of=\u0061ll"}}"#, true),
        ("ReadMcpResource", "{}", false),
        ("call_tool", THROUGH, true),
        // A profile may rename the tool.
        ("invoke", THROUGH, true),
    ] {
        let params = Params::from_json(params.into()).unwrap();
        assert_eq!(owners.needs_admin(name, &params), admin, "{name} {params:?}");
    }
}

#[test]
fn a_scope_reaches_what_shows_its_owner() {
    for (server, reach) in [
        ("git", ScopeReach::Everything),
        ("my-server_2", ScopeReach::Everything),
        ("memory", ScopeReach::Nothing),
        ("cone", ScopeReach::Everything),
        ("my.server", ScopeReach::Resources),
        ("a__b", ScopeReach::Resources),
        ("two words", ScopeReach::Nothing),
    ] {
        assert_eq!(scope_reach(server), reach, "{server}");
    }
}
