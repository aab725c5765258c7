//! No path leads out of a granted folder, in spite of links, pipes and mounts in it.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use hobnob_machine::files::{FileRefusal, RootIdentity};
use hobnob_policy::{EntryKind, HardLinks, MissingParents, ReadWindow, RelativePath, WriteMode};

use crate::granted::{Granted, SECRET, open, relative};
use crate::permitted::{TestRoot, list, make_folder, read, stat, write};

/// Reads and writes a path; both must be refused with this text, and the secret must stay.
fn check(granted: &Granted, path: &str, refused: &str) {
    let read = granted.text(path).expect_err(path).to_string();
    assert_eq!(read, format!("`{path}` {refused}"));
    assert!(!read.contains(granted.above.to_str().expect("text")), "{read}");
    write(&granted.root, &relative(path), b"overwritten", WriteMode::Replace).expect_err(path);
    let kept = fs::read_to_string(granted.above.join("outside/secret.txt")).expect("it is there");
    assert_eq!(kept, SECRET);
}

#[test]
fn texts_never_climb() {
    for text in ["..", "../outside/secret.txt", "a/../../outside", "/etc/passwd", "a\0b"] {
        RelativePath::parse(text).expect_err(text);
    }
    let granted = Granted::new();
    // Encoded dots are ordinary names.
    for text in ["%2e%2e/outside/secret.txt", "..%2foutside", "open.txt/../../x"] {
        if let Ok(path) = RelativePath::parse(text) {
            stat(&granted.root, &path).expect_err(text);
        }
    }
}

#[test]
fn links_do_not_lead_out() {
    let granted = Granted::new();
    let link = |target: &str, name: &str| symlink(target, granted.inside.join(name)).expect("link");
    fs::create_dir(granted.inside.join("deep")).expect("a folder");
    link("../outside/secret.txt", "leaf");
    link("../outside", "parent");
    link("../../outside/secret.txt", "deep/leaf");
    link("deep/../../outside/secret.txt", "through");
    link("leaf", "chain1");
    link("chain1", "chain2");
    link("../granted/../outside/secret.txt", "around");
    link("../granted/open.txt", "home");
    let secret = granted.above.join("outside/secret.txt");
    symlink(&secret, granted.inside.join("absolute")).expect("link");
    let sibling = granted.above.join("granted-sibling/secret.txt");
    symlink(sibling, granted.inside.join("sibling")).expect("link");
    let around = granted.inside.join("../outside/secret.txt");
    symlink(around, granted.inside.join("prefix")).expect("link");
    let out = "leads out of the granted folder";
    let outside = ["leaf", "parent/secret.txt", "deep/leaf", "through", "chain1", "chain2"];
    for path in outside.into_iter().chain(["around", "home", "absolute", "sibling", "prefix"]) {
        check(&granted, path, out);
    }
    // Nothing is made through a link either.
    check(&granted, "parent/new.txt", out);
    make_folder(&granted.root, &relative("parent/new"), MissingParents::Make).expect_err("outside");
    list(&granted.root, &relative("parent"), None, 10).expect_err("outside");
    assert!(!granted.above.join("outside/new.txt").exists());
    link("circle2", "circle1");
    link("circle1", "circle2");
    check(&granted, "circle1", "leads through too many links");
    link("../outside/not-there", "dangling");
    check(&granted, "dangling", out);
    let facts = stat(&granted.root, &relative("leaf")).expect("the link itself is inside");
    assert_eq!(facts.link.expect("a link").leads_to, None);
}

#[test]
fn links_inside_are_followed() {
    let granted = Granted::new();
    fs::create_dir_all(granted.inside.join("a/b")).expect("folders");
    symlink("../../open.txt", granted.inside.join("a/b/up")).expect("link");
    symlink("a/b", granted.inside.join("folder")).expect("link");
    symlink(granted.inside.join("open.txt"), granted.inside.join("absolute")).expect("link");
    for path in ["a/b/up", "folder/up", "absolute"] {
        assert_eq!(granted.text(path).expect(path), "anybody may read this\n");
    }
    let facts = stat(&granted.root, &relative("a/b/up")).expect("it is there");
    assert_eq!(facts.facts.kind, EntryKind::Link);
    assert_eq!(facts.link.expect("a link").leads_to, Some(EntryKind::File));
    write(&granted.root, &relative("folder/up"), b"new", WriteMode::Replace).expect("inside");
    assert_eq!(fs::read_to_string(granted.inside.join("open.txt")).expect("text"), "new");
    assert!(granted.inside.join("a/b/up").is_symlink(), "the link stays a link");
}

#[test]
fn own_folders_are_invisible() {
    let granted = Granted::new();
    symlink("hidden", granted.inside.join("link")).expect("link");
    for path in ["hidden", "hidden/own.db", "link/own.db", "hidden/../hidden/own.db"] {
        let refusal = granted.text(path).expect_err(path);
        assert!(matches!(refusal.refusal(), FileRefusal::Missing | FileRefusal::NotFile));
    }
    stat(&granted.root, &relative("hidden")).expect_err("hidden");
    let page = list(&granted.root, &relative("."), None, 10).expect("a page");
    let names: Vec<_> = page.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!((names, page.total), (vec!["link", "open.txt"], 2));
    // A hidden folder stays hidden under another name.
    fs::rename(granted.inside.join("hidden"), granted.inside.join("HIDDEN")).expect("a rename");
    granted.text("HIDDEN/own.db").expect_err("still hidden");
    // A hidden folder that is made later is hidden too.
    fs::create_dir(granted.inside.join("hidden")).expect("a folder");
    stat(&granted.root, &relative("hidden")).expect_err("hidden");
    write(&granted.root, &relative("hidden/x"), b"", WriteMode::New).expect_err("hidden");
}

#[test]
fn a_root_within_our_own_folders_is_refused() {
    let granted = Granted::new();
    let inner = granted.inside.join("hidden/inner");
    fs::create_dir(&inner).expect("a folder");
    open(&inner, HardLinks::Refused, vec![granted.inside.join("hidden")])
        .err()
        .expect("it is ours");
}

#[test]
fn a_replaced_root_is_refused() {
    let granted = Granted::new();
    let identity = RootIdentity::of_path(&granted.inside).expect("an identity");
    let identity: RootIdentity = identity.to_string().parse().expect("it is written and read");
    let again = || TestRoot::open(&granted.inside, &identity, HardLinks::Refused, Vec::new());
    again().expect("the same folder");
    let moved = granted.above.join("moved");
    fs::rename(&granted.inside, &moved).expect("a rename");
    fs::create_dir(&granted.inside).expect("a folder");
    fs::write(granted.inside.join("open.txt"), SECRET).expect("a file");
    let refused = again().err().expect("another folder");
    assert!(matches!(refused.refusal(), FileRefusal::RootReplaced));
    // A root that was open before serves neither the new folder at its path nor the moved one.
    granted.text("open.txt").expect_err("its path leads elsewhere");
    fs::remove_dir_all(&granted.inside).expect("removed");
    symlink(granted.above.join("outside"), &granted.inside).expect("link");
    again().err().expect("a link is not the granted folder");
    fs::remove_file(&granted.inside).expect("removed");
    let gone = again().err().expect("nothing there");
    assert!(matches!(gone.refusal(), FileRefusal::Missing));
}

#[test]
fn fifos_and_devices_are_refused_at_once() {
    let granted = Granted::new();
    let fifo = granted.inside.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs").success());
    let _socket = UnixListener::bind(granted.inside.join("socket")).expect("a socket");
    symlink("fifo", granted.inside.join("link")).expect("link");
    let special = "is a pipe, a socket or a device, which are never opened";
    for path in ["fifo", "socket", "link"] {
        check(&granted, path, special);
        make_folder(&granted.root, &relative(path), MissingParents::Make).expect_err("taken");
    }
    let facts = stat(&granted.root, &relative("fifo")).expect("looking is harmless").facts;
    assert_eq!(facts.kind, EntryKind::Special);
    // Every user has devices in `/dev`, and only there.
    let devices = open(Path::new("/dev"), HardLinks::Refused, Vec::new()).expect("a root");
    for name in ["null", "zero", "tty"] {
        let refused = read(&devices, &relative(name), ReadWindow::Whole, 10);
        let refused = refused.expect_err("a device");
        assert!(matches!(refused.refusal(), FileRefusal::Special), "{refused}");
    }
}

#[test]
fn file_systems_of_the_kernel_are_refused() {
    let whole = open(Path::new("/"), HardLinks::Refused, Vec::new()).expect("a root");
    for path in ["proc/self/root/etc/passwd", "proc/self/environ", "proc/self/cwd", "proc", "sys"] {
        let refused = stat(&whole, &relative(path)).expect_err(path);
        assert!(matches!(refused.refusal(), FileRefusal::KernelFileSystem), "{refused}");
    }
    RootIdentity::of_path(Path::new("/proc/sys")).expect_err("not even as a root");
    let granted = Granted::new();
    for target in ["/proc/self/root", "/proc/self/fd/0", "/proc/self/cwd"] {
        symlink(target, granted.inside.join("magic")).expect("link");
        check(&granted, "magic", "leads out of the granted folder");
        fs::remove_file(granted.inside.join("magic")).expect("removed");
    }
}

#[test]
fn hard_links_are_refused_unless_allowed() {
    let granted = Granted::new();
    let secret = granted.above.join("outside/secret.txt");
    fs::hard_link(&secret, granted.inside.join("linked")).expect("a second name");
    let refused = granted.text("linked").expect_err("it has a name outside");
    assert!(matches!(refused.refusal(), FileRefusal::HardLinked));
    assert_eq!(stat(&granted.root, &relative("linked")).expect("named").facts.names, 2);
    let allowed = Granted::with(HardLinks::Allowed, |_| Vec::new());
    fs::hard_link(allowed.inside.join("open.txt"), allowed.inside.join("two")).expect("a name");
    assert_eq!(allowed.text("two").expect("allowed"), "anybody may read this\n");
}
