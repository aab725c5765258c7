//! Approvals and pins: stored, withdrawn, merged between processes, ignored in a broken file.

use std::path::Path;
use std::thread;

use hobnob_config::{
    AcceptedDefinitions, Approvals, Cause, Digest, Pin, Pins, SaveError, ServerKey,
};

use crate::support::{Scratch, name};

const PROJECT: &str = "/some/project";

#[test]
fn approvals_are_of_project_name_and_digest() {
    let scratch = Scratch::new();
    let path = scratch.path("state/approvals.json");
    let (one, two) = (Digest::of(b"1"), Digest::of(b"2"));
    let project = Path::new(PROJECT);
    let mut approvals = Approvals::load(&path).unwrap();
    assert!(!approvals.is_approved(project, &name("a"), &one));
    approvals.approve(project, &name("a"), one);
    approvals.save().unwrap();
    let mut approvals = Approvals::load(&path).unwrap();
    assert!(approvals.is_approved(project, &name("a"), &one));
    for (project, server, digest) in [
        (PROJECT, "a", two),
        (PROJECT, "b", one),
        ("/some", "a", one),
        ("/some/project/x", "a", one),
    ] {
        assert!(!approvals.is_approved(Path::new(project), &name(server), &digest));
    }
    approvals.approve(project, &name("a"), two);
    assert!(approvals.is_approved(project, &name("a"), &one));
    approvals.revoke(project, &name("a"));
    approvals.save().unwrap();
    let approvals = Approvals::load(&path).unwrap();
    assert!(!approvals.is_approved(project, &name("a"), &one));
    assert!(!approvals.is_approved(project, &name("a"), &two));
}

#[test]
fn old_approvals_of_one_server_are_forgotten() {
    let scratch = Scratch::new();
    let mut approvals = Approvals::load(&scratch.path("approvals.json")).unwrap();
    let digests: Vec<_> = (0..17_u8).map(|it| Digest::of(&[it])).collect();
    for digest in &digests {
        approvals.approve(Path::new(PROJECT), &name("a"), *digest);
    }
    let approved = |it: &Digest| approvals.is_approved(Path::new(PROJECT), &name("a"), it);
    assert_eq!(digests.iter().map(approved).filter(|it| *it).count(), 16);
    assert!(!approved(&digests[0]) && approved(&digests[16]));
}

#[test]
fn pins_are_kept_per_server_and_digest() {
    let scratch = Scratch::new();
    let path = scratch.path("approvals.json");
    let key = ServerKey::new(&name("a"), Digest::of(b"1"));
    let pin =
        |text: &[u8]| Pin::Canonical { definition: Digest::of(text), texts: Digest::of(b"t") };
    let pins: Pins = [("tool".to_owned(), pin(b"definition"))].into();
    let mut approvals = Approvals::load(&path).unwrap();
    assert_eq!(approvals.pins(&key), None);
    approvals.set_pins(key.clone(), pins.clone());
    approvals.set_pin(key.clone(), "other", Pin::FirstForm(Digest::of(b"x")));
    approvals.save().unwrap();
    let approvals = Approvals::load(&path).unwrap();
    assert_eq!(approvals.pins(&key).unwrap().len(), 2);
    assert_eq!(approvals.pins(&key).unwrap()["tool"], pins["tool"]);
    assert_eq!(approvals.pins(&key).unwrap()["other"], Pin::FirstForm(Digest::of(b"x")));
    assert_eq!(approvals.pins(&ServerKey::new(&name("a"), Digest::of(b"2"))), None);
}

#[test]
fn writers_do_not_lose_each_others_approvals() {
    let scratch = Scratch::new();
    let path = scratch.path("state/approvals.json");
    let digest = Digest::of(b"x");
    thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                // Every writer begins with the same empty file in memory.
                let mut approvals = Approvals::load(path).unwrap();
                for round in 0..5 {
                    let server = name(&format!("server-{writer}-{round}"));
                    approvals.approve(Path::new(PROJECT), &server, digest);
                    approvals.save().unwrap();
                }
            });
        }
    });
    let approvals = Approvals::load(&path).unwrap();
    for server in (0..20).map(|it| name(&format!("server-{}-{}", it / 5, it % 5))) {
        assert!(approvals.is_approved(Path::new(PROJECT), &server, &digest), "{server}");
    }
}

#[test]
fn a_refresh_brings_what_others_wrote() {
    let scratch = Scratch::new();
    let path = scratch.path("approvals.json");
    let digest = Digest::of(b"x");
    let mut first = Approvals::load(&path).unwrap();
    let mut second = Approvals::load(&path).unwrap();
    first.approve(Path::new(PROJECT), &name("a"), digest);
    first.save().unwrap();
    second.approve(Path::new(PROJECT), &name("b"), digest);
    assert!(!second.is_approved(Path::new(PROJECT), &name("a"), &digest));
    second.refresh().unwrap();
    for server in ["a", "b"] {
        assert!(second.is_approved(Path::new(PROJECT), &name(server), &digest));
    }
}

#[test]
fn a_broken_file_approves_nothing_and_is_not_changed() {
    let digest = Digest::of(b"x");
    let approved =
        |server: &str| format!(r#"{{"projects": {{"/p": {{"{server}": ["{digest}"]}}}}}}"#);
    assert!(Approvals::load(&Scratch::new().write("x", &approved("good"))).is_ok());
    for text in [
        String::new(),
        "{".into(),
        "[]".into(),
        "null".into(),
        r#"{"projects": []}"#.into(),
        r#"{"unknown": {}}"#.into(),
        r#"{"projects": {"/p": {"a": ["not a digest"]}}}"#.into(),
        r#"{"projects": {}, "projects": {}}"#.into(),
        r#"{"pins": {"k": {"tool": "x", "tool": "y"}}}"#.into(),
        format!(r#"{{"pins": {{"k": {{"tool": {{"form": 2, "definition": "{digest}"}}}}}}}}"#),
        format!(r#"{{"pins": {{"k": {{"tool": {{"form": 3, "new": "{digest}"}}}}}}}}"#),
        approved("bad/name"),
        format!("{}trailing", approved("a")),
    ] {
        let scratch = Scratch::new();
        let path = scratch.path("approvals.json");
        let mut approvals = Approvals::load(&path).unwrap();
        approvals.approve(Path::new(PROJECT), &name("a"), digest);
        scratch.write("approvals.json", &text);
        let broken = Approvals::load(&path).unwrap_err().to_string();
        assert!(broken.contains("nothing counts as approved"), "{broken}");
        assert!(matches!(approvals.save(), Err(SaveError::Broken(_))), "{text}");
        assert_eq!(scratch.read("approvals.json"), text);
    }
}

#[cfg(unix)]
#[test]
fn projects_that_are_not_unicode_are_distinct() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use crate::support::mode;

    let scratch = Scratch::new();
    let path = scratch.path("approvals.json");
    let projects = [b"/a\xff".as_slice(), b"/a\xfe"].map(|it| Path::new(OsStr::from_bytes(it)));
    let mut approvals = Approvals::load(&path).unwrap();
    approvals.approve(projects[0], &name("a"), Digest::of(b"x"));
    approvals.save().unwrap();
    let approvals = Approvals::load(&path).unwrap();
    let approved = projects.map(|it| approvals.is_approved(it, &name("a"), &Digest::of(b"x")));
    assert_eq!(approved, [true, false]);
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn a_pin_in_a_new_form_replaces_only_the_one_it_was_made_of() {
    let scratch = Scratch::new();
    let path = scratch.path("approvals.json");
    let key = ServerKey::new(&name("a"), Digest::of(b"1"));
    let old = Pin::FirstForm(Digest::of(b"old"));
    let new =
        |text: &[u8]| Pin::Canonical { definition: Digest::of(text), texts: Digest::of(text) };
    let mut approvals = Approvals::load(&path).unwrap();
    approvals.set_pins(key.clone(), [("t".to_owned(), old)].into());
    approvals.save().unwrap();
    let mut slow = Approvals::load(&path).unwrap();
    slow.replace_pin(key.clone(), "t", old, new(b"as seen"));
    // A person approves another definition meanwhile, and that approval counts.
    approvals.set_pin(key.clone(), "t", new(b"approved"));
    approvals.save().unwrap();
    slow.save().unwrap();
    assert_eq!(Approvals::load(&path).unwrap().pins(&key).unwrap()["t"], new(b"approved"));
}

#[test]
fn trust_is_given_and_taken_back() {
    let scratch = Scratch::new();
    let path = scratch.path("approvals.json");
    let keys = [b"1", b"2"].map(|it| ServerKey::new(&name("a"), Digest::of(it)));
    let mut approvals = Approvals::load(&path).unwrap();
    approvals.trust(keys[0].clone());
    approvals.save().unwrap();
    let mut approvals = Approvals::load(&path).unwrap();
    assert_eq!(keys.each_ref().map(|key| approvals.is_trusted(key)), [true, false]);
    approvals.distrust(keys[0].clone());
    approvals.save().unwrap();
    assert!(!Approvals::load(&path).unwrap().is_trusted(&keys[0]));
}

#[test]
fn a_corrupt_file_differs_from_an_unreadable_one() {
    let scratch = Scratch::new();
    let corrupt = scratch.write("corrupt.json", "{");
    assert_eq!(Approvals::load(&corrupt).unwrap_err().0.cause, Cause::Contents);
    std::fs::create_dir(scratch.path("folder.json")).unwrap();
    let folder = Approvals::load(&scratch.path("folder.json")).unwrap_err();
    assert_eq!(folder.0.cause, Cause::Contents);
    // A name that the system refuses stands for any error that may pass by itself.
    let refused = Approvals::load(&scratch.path(&"x".repeat(300))).unwrap_err();
    assert_eq!(refused.0.cause, Cause::Unreadable);
    assert!(refused.to_string().ends_with("until it can be read again"), "{refused}");
}

#[test]
fn whether_approvals_can_be_written_is_known_beforehand() {
    let scratch = Scratch::new();
    let path = scratch.path("state/approvals.json");
    Approvals::check_writable(&path).unwrap();
    assert!(!path.exists());
    std::fs::create_dir(scratch.path("state/other.lock")).unwrap();
    assert!(Approvals::check_writable(&scratch.path("state/other.json")).is_err());
}

#[test]
fn accepted_definitions_are_private_and_bounded() {
    let scratch = Scratch::new();
    let kept = AcceptedDefinitions::new(&scratch.path("definitions"));
    let key = ServerKey::new(&name("a"), Digest::of(b"1"));
    assert!(kept.load(&key).is_empty());
    let long = format!("\"{}\"", "x".repeat(70_000));
    kept.add(&key, [("a", "{\"n\": 1e400}"), ("b", "{}"), ("c", "no JSON")]).unwrap();
    kept.add(&key, [("b", long.as_str()), ("d", "[]")]).unwrap();
    let found = kept.load(&key);
    // A definition that is too long removes the one it replaces, and is not kept.
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a", "d"]);
    assert_eq!(found["a"], "{\"n\": 1e400}");
    assert!(kept.load(&ServerKey::new(&name("a"), Digest::of(b"2"))).is_empty());
    #[cfg(unix)]
    for file in std::fs::read_dir(scratch.path("definitions")).unwrap() {
        assert_eq!(crate::support::mode(&file.unwrap().path()), 0o600);
    }
}
