//! A17: metadata about another resource is not used.

use super::{covers, well_known};
use crate::endpoint_rule::EndpointRule;
use reqwest::Url;

#[test]
fn a_resource_is_the_server_or_a_parent_of_it() {
    let cases = [
        ("https://mcp.example/mcp", "https://mcp.example/mcp", true),
        ("https://mcp.example/mcp", "https://mcp.example/mcp/", true),
        ("https://mcp.example/mcp", "https://mcp.example", true),
        ("https://mcp.example/a/mcp", "https://mcp.example/a", true),
        ("https://mcp.example/mcp", "https://MCP.example:443/mcp", true),
        ("https://mcp.example/mcp?t=1", "https://mcp.example/mcp", true),
        ("https://mcp.example/mcp", "https://evil.example/mcp", false),
        ("https://mcp.example/mcp", "https://mcp.example.evil.example/mcp", false),
        ("https://mcp.example/mcp", "https://mcp.example:8443/mcp", false),
        ("https://mcp.example/mcp", "http://mcp.example/mcp", false),
        ("https://mcp.example/mcp-evil", "https://mcp.example/mcp", false),
        ("https://mcp.example/mcp", "https://mcp.example/mcp-evil", false),
        ("https://mcp.example/a", "https://mcp.example/b", false),
        ("https://mcp.example/a", "https://mcp.example/a/b", false),
        ("https://mcp.example/mcp", "https://mcp.example/mcp?t=2", false),
        ("https://mcp.example/mcp", "https://mcp.example/mcp#x", false),
        ("https://mcp.example/mcp", "https://u@mcp.example/mcp", false),
        ("https://mcp.example/mcp", "mcp", false),
    ];
    for (server, resource, fits) in cases {
        let server = Url::parse(server).unwrap();
        assert_eq!(covers(resource, &server).is_ok(), fits, "{server} {resource}");
    }
}

#[test]
fn the_place_of_the_path_comes_before_that_of_the_origin() {
    let places = |server: &str| {
        let found = well_known(&Url::parse(server).unwrap(), EndpointRule::Encrypted).unwrap();
        found.iter().map(Url::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        places("https://a.example/x/mcp/"),
        [
            "https://a.example/.well-known/oauth-protected-resource/x/mcp",
            "https://a.example/.well-known/oauth-protected-resource",
        ]
    );
    assert_eq!(
        places("https://a.example"),
        ["https://a.example/.well-known/oauth-protected-resource",]
    );
}
