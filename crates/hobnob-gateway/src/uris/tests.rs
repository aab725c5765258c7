//! Public addresses and the way back to the originals.

use super::{PublicUris, UriMap, is_own, public_uri};
use proptest::prelude::*;

fn map(servers: &[&str]) -> UriMap {
    UriMap::new(servers.iter().map(|name| (*name).into()))
}

#[test]
fn addresses_go_out_and_come_back() {
    let servers = ["files", "my server", "a/b", "größe", "a%2Fb", "files.v2", ""];
    let originals = [
        "file:///home/me/x.txt",
        "memory://user/a?b=c#d",
        "mcp://other/file:///x",
        "hobnob://results/1",
        "ui://widget/ä",
        "no-scheme",
        "",
        "file:///{+path}{?page,size}",
    ];
    let known = map(&servers);
    for server in servers {
        for original in originals {
            let public = public_uri(server, original);
            let (owner, back) = known.split(&public).unwrap();
            assert_eq!((&**owner, &*back), (server, original), "{public}");
            assert!(!is_own(&public));
        }
    }
}

#[test]
fn the_form_is_fixed() {
    let cases = [
        ("files", "file:///x", "mcp://files/file:///x"),
        ("my server", "x:y", "mcp://my%20server/x:y"),
        ("a/b", "x:y", "mcp://a%2Fb/x:y"),
        ("ä", "x:y", "mcp://%C3%A4/x:y"),
        ("A-z.0_~", "x:y", "mcp://A-z.0_~/x:y"),
        ("100%", "", "mcp://100%25/"),
        ("shop", "ui://cart", "ui://shop/cart"),
        ("shop", "ui://cart/{item}", "ui://shop/cart/{item}"),
        ("a/b", "ui://", "ui://a%2Fb/"),
        ("shop", "ui:cart", "mcp://shop/ui:cart"),
        ("shop", "UI://cart", "mcp://shop/UI://cart"),
    ];
    for (server, original, expected) in cases {
        assert_eq!(public_uri(server, original), expected);
        assert_eq!(PublicUris::of(server).public(original), expected);
    }
}

#[test]
fn only_exact_prefixes_of_known_servers_are_split() {
    let known = map(&["files", "a/b"]);
    for uri in [
        "file:///x",
        "mcp://files",
        "mcp://other/x",
        "mcp://Files/x",
        "MCP://files/x",
        "mcp:/files/x",
        "mcp://a/b/x",
        "mcp://a%2fb/x",
        "mcp://files2/x",
        "hobnob://files/x",
        "ui://files",
        "ui://other/x",
        // This resource has another address.
        "mcp://files/ui://x",
        " mcp://files/x",
        "",
    ] {
        assert!(known.split(uri).is_none(), "{uri}");
    }
}

#[test]
fn own_addresses_are_recognised_by_their_scheme() {
    assert!(is_own("hobnob://results/1"));
    assert!(!is_own("hobnob:/results/1"));
    assert!(!is_own("mcp://hobnob/x"));
}

proptest! {
    #[test]
    fn every_pair_comes_back(server in any::<String>(), other in any::<String>(), original in "(ui://|mcp://|ui:)?.*") {
        let known = map(&[&server, &other]);
        let public = public_uri(&server, &original);
        let (owner, back) = known.split(&public).unwrap();
        prop_assert_eq!((&**owner, &*back), (server.as_str(), original.as_str()));
    }
}
