//! Which cgroups are ours to divide, decided from the kernel's files.

use super::leaves::oom_kills;
use super::search::{CgroupFacts, folder_in, judge, path_in};
use std::path::Path;

#[test]
fn the_path_is_that_of_version_2() {
    for (text, expected) in [
        ("0::/user.slice/a.service\n", Some("/user.slice/a.service")),
        ("9:name=systemd:/x\n4:memory:/y\n0::/\n", Some("/")),
        ("4:memory:/y\n", None),
        ("0::/../other\n", None),
        ("0::\n", None),
        ("", None),
    ] {
        assert_eq!(path_in(text), expected, "{text}");
    }
}

#[test]
fn the_folder_is_below_the_mount() {
    let whole = "25 30 0:22 / /proc rw - proc proc rw\n\
                 29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate";
    let part = "29 23 0:26 /machine/a /cg rw - cgroup2 none rw";
    let hybrid = "41 31 0:38 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                  42 31 0:39 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw";
    for (mounts, path, expected) in [
        (whole, "/", Some("/sys/fs/cgroup")),
        (whole, "/a/b.service", Some("/sys/fs/cgroup/a/b.service")),
        (part, "/machine/a", Some("/cg")),
        (part, "/machine/a/b", Some("/cg/b")),
        (part, "/machine/ab", None),
        (part, "/", None),
        (hybrid, "/x", Some("/sys/fs/cgroup/unified/x")),
        ("29 23 0:26 / /a\\040b rw - cgroup2 none rw", "/", None),
        ("29 23 0:26 /../.. /cg rw - cgroup2 none rw", "/a", None),
        ("29 23 0:26 / /cg rw - tmpfs cgroup2 rw", "/", None),
        ("", "/", None),
    ] {
        let found = folder_in(mounts, path);
        // A path with a trailing slash is equal to one without.
        assert_eq!(found.as_deref(), expected.map(Path::new), "{mounts} {path}");
    }
}

#[test]
fn only_a_delegated_cgroup_is_divided() {
    let marked = CgroupFacts {
        is_ours: true,
        kind: Some("domain\n".into()),
        controllers: "cpu memory pids\n".into(),
        is_marked: true,
        is_namespace_root: false,
        has_strangers: false,
    };
    let of = |change: fn(&mut CgroupFacts)| {
        let mut facts = marked.clone();
        change(&mut facts);
        facts
    };
    for (facts, expected) in [
        (marked.clone(), None),
        (of(|it| (it.is_marked, it.is_namespace_root) = (false, true)), None),
        (of(|it| it.controllers = "memory".into()), None),
        (of(|it| it.controllers = "cpu memory_x".into()), Some("no controller for memory")),
        (of(|it| it.is_ours = false), Some("belongs to another user")),
        (of(|it| it.kind = None), Some("cannot be divided")),
        (of(|it| it.kind = Some("domain threaded\n".into())), Some("cannot be divided")),
        (of(|it| it.is_marked = false), Some("not delegated")),
        (of(|it| it.has_strangers = true), Some("other programs")),
    ] {
        match (judge(&facts), expected) {
            (Ok(()), None) => {}
            (Err(found), Some(expected)) => assert!(found.contains(expected), "{found}"),
            (found, expected) => panic!("{facts:?}: {found:?} is not {expected:?}"),
        }
    }
}

#[test]
fn only_kills_count() {
    for (events, expected) in [
        ("low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 1\n", 2),
        ("max 7\noom 3\noom_kill 0\n", 0),
        ("", 0),
    ] {
        assert_eq!(oom_kills(events), expected, "{events}");
    }
}
