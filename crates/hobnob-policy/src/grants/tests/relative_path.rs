//! Paths below a folder: what they are read as, and that no text leads out.

use std::path::{Component, Path};

use proptest::prelude::*;

use crate::{BadRelativePath, MachineService, RelativePath, ServiceAccess};

fn parse(text: &str) -> Result<String, BadRelativePath> {
    RelativePath::parse(text).map(|path| path.to_string())
}

#[test]
fn paths_are_read_as_names() {
    for (text, read) in [
        ("", "."),
        (".", "."),
        ("a", "a"),
        ("a/b.txt", "a/b.txt"),
        ("a//b/./c/", "a/b/c"),
        ("a/../b", "b"),
        ("a/b/../../c", "c"),
        ("a/..", "."),
        ("...", "..."),
        ("..a/b..", "..a/b.."),
        ("%2e%2e/a", "%2e%2e/a"),
        ("-rf", "-rf"),
        ("ä/文", "ä/文"),
    ] {
        assert_eq!(parse(text).unwrap(), read, "{text}");
    }
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    let long_name = "x".repeat(256);
    let long_path = "abc/".repeat(1025);
    for (text, why) in [
        ("/", BadRelativePath::Absolute),
        ("/etc/passwd", BadRelativePath::Absolute),
        ("..", BadRelativePath::Climbs),
        ("a/../..", BadRelativePath::Climbs),
        ("a/../../a", BadRelativePath::Climbs),
        ("../etc", BadRelativePath::Climbs),
        ("a\0b", BadRelativePath::BadName),
        ("a/\0", BadRelativePath::BadName),
        (&long_name, BadRelativePath::TooLong),
        (&long_path, BadRelativePath::TooLong),
    ] {
        assert_eq!(parse(text), Err(why), "{text}");
    }
}

#[test]
fn a_path_grows_by_one_name_at_a_time() {
    let folder = RelativePath::parse("a").unwrap();
    assert_eq!(folder.join("b").unwrap(), RelativePath::parse("a/b").unwrap());
    for name in ["", ".", "..", "b/c", "/b", "b/", "\0", "b/../c"] {
        assert!(folder.join(name).is_err(), "{name}");
    }
    let mut deep = RelativePath::root();
    while let Ok(next) = deep.join("x".repeat(200)) {
        deep = next;
    }
    assert!(deep.to_path().as_os_str().len() <= 4096);
    assert!(RelativePath::parse(deep.to_path()).is_ok());
}

#[test]
fn a_path_knows_its_leaf_and_its_folder() {
    let path = RelativePath::parse("a/b/c").unwrap();
    assert_eq!(path.leaf().unwrap(), "c");
    assert_eq!(path.parent().unwrap().to_string(), "a/b");
    assert_eq!(path.names().count(), 3);
    assert!(RelativePath::root().is_root());
    assert_eq!((RelativePath::root().leaf(), RelativePath::root().parent()), (None, None));
}

#[test]
fn prefix_siblings_are_outside() {
    let below = |path: &str, folder: &str| {
        let folder = RelativePath::parse(folder).unwrap();
        let rest = RelativePath::parse(path).unwrap().strip_prefix(&folder);
        rest.map(|rest| rest.to_string())
    };
    assert_eq!(below("home/a/p", "home/a").as_deref(), Some("p"));
    assert_eq!(below("home/a", "home/a").as_deref(), Some("."));
    assert_eq!(below("home/a", "").as_deref(), Some("home/a"));
    for path in ["home/ab", "home/a.txt", "home", "home/A", "x/home/a", "home/a/../b"] {
        assert_eq!(below(path, "home/a"), None, "{path}");
    }
}

#[test]
fn the_words_of_services_and_access_are_read_back() {
    for service in MachineService::ALL {
        assert_eq!(MachineService::parse(service.as_str()), Some(service));
    }
    for access in [ServiceAccess::Disabled, ServiceAccess::ReadOnly, ServiceAccess::ReadWrite] {
        assert_eq!(ServiceAccess::parse(access.as_str()), Some(access));
    }
    assert_eq!(MachineService::parse("Shell"), None);
    assert_eq!(ServiceAccess::default(), ServiceAccess::Disabled);
}

proptest! {
    #[test]
    fn relative_paths_never_climb(text in "([a.%/\\\\\0-]|\\.\\.|/\\.\\./){0,24}") {
        if let Ok(path) = RelativePath::parse(&text) {
            for name in path.names() {
                let alone = Path::new(name);
                let mut parts = alone.components();
                prop_assert!(matches!(parts.next(), Some(Component::Normal(part)) if part == name));
                prop_assert!(parts.next().is_none());
                prop_assert!(!name.as_encoded_bytes().contains(&0));
            }
            prop_assert_eq!(RelativePath::parse(path.to_path()).unwrap(), path);
        }
    }

    #[test]
    fn folding_agrees_with_a_walk(parts in prop::collection::vec("a|b|\\.|\\.\\.|", 0..12)) {
        let mut walked: Option<Vec<&str>> = Some(Vec::new());
        for part in &parts {
            let Some(names) = &mut walked else { break };
            match part.as_str() {
                "" | "." => {}
                ".." => if names.pop().is_none() { walked = None },
                name => names.push(name),
            }
        }
        let text = parts.join("/");
        prop_assume!(!text.starts_with('/'));
        let names = RelativePath::parse(&text).ok().map(|path| {
            path.names().map(|name| name.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        });
        prop_assert_eq!(names, walked.map(|it| it.into_iter().map(str::to_owned).collect()));
    }
}
