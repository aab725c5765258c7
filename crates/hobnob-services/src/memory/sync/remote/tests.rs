//! Which remotes git may contact, and which it never sees.

use super::{Address, Remote};
use crate::memory::project::ConfiguredRemote;
use std::path::Path;

#[test]
fn only_addresses_that_start_no_program_are_taken() {
    let root = Path::new("/nowhere/project");
    for url in [
        "https://example.com/team/atlas.git",
        "https://user:word@example.com/team/atlas",
        "ssh://git@example.com:2222/team/atlas.git",
        "git@example.com:team/atlas.git",
        "example.com:atlas",
    ] {
        let address = Address::parse(root, url);
        assert_eq!(address.unwrap(), Address::Network(url.into()), "{url}");
    }
    for url in [
        "",
        "-",
        "--upload-pack=touch canary",
        "-oProxyCommand=touch canary",
        "ext::sh -c touch% canary",
        "fd::7",
        "foo::https://example.com/a",
        "http://example.com/a",
        "git://example.com/a",
        "ftp://example.com/a",
        "rsync://example.com/a",
        "HTTPS+foo://example.com/a",
        "ssh://-oProxyCommand=touch/x",
        "ssh://git@-oProxyCommand=touch/x",
        "ssh://example.com/-x",
        "https://",
        "https:///x",
        "git@-oProxyCommand=touch:x",
        "git@example.com:-x",
        "git@example.com:",
        "https://example.com/a\nb",
        "https://example.com/a b",
        "file://elsewhere/x",
        "file:///nowhere/at/all",
        "../nowhere",
        "/nowhere/at/all",
    ] {
        assert!(Address::parse(root, url).is_err(), "{url}");
    }
}

#[test]
fn memories_are_sent_to_no_other_repository_than_the_one_they_belong_to() {
    let root = Path::new("/nowhere/project");
    let check = |url: &str, push: &str| {
        let configured =
            ConfiguredRemote { url: url.into(), push_url: Some(push.into()), sha256: false };
        Remote::check(root, &configured).map(|remote| remote.shown())
    };
    let shown = check("https://me:word@h.example/a/b", "git@h.example:a/b.git").unwrap();
    assert_eq!(shown, "https://h.example/a/b (sent to git@h.example:a/b.git)");
    assert!(check("https://h.example/a/b", "git@evil.example:a/b.git").is_err());
    assert!(check("https://h.example/a/b", "ext::sh").is_err());
}
