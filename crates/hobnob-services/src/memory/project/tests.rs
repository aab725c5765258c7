//! The keys of remotes and folders.

use super::{Project, ProjectSource, remote, remote_key};
use std::fs;

#[test]
fn one_repository_has_one_key() {
    for (url, key) in [
        ("git@example.com:team/atlas.git", "example.com/team/atlas"),
        ("https://example.com/team/atlas", "example.com/team/atlas"),
        ("https://user:word@Example.com/team/atlas.git/", "example.com/team/atlas"),
        ("ssh://git@example.com:2222/team/atlas.git", "example.com/team/atlas"),
        ("/srv/git/atlas.git", "folder:/srv/git/atlas"),
        ("file:///srv/git/atlas.git", "folder:/srv/git/atlas"),
    ] {
        assert_eq!(remote_key(url).expect(url).as_str(), key, "{url}");
    }
    assert_eq!(remote_key("https://example.com/"), None);
    assert_eq!(remote_key(""), None);
}

#[test]
fn origin_comes_before_other_remotes() {
    let url = |config: &str| remote(config).map(|remote| remote.url);
    let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = a:b/c\n[remote \"origin\"]\n\turl = d:e/f\n";
    assert_eq!(url(config).as_deref(), Some("d:e/f"));
    assert_eq!(url("[remote \"fork\"]\n\turl = a:b/c\n").as_deref(), Some("a:b/c"));
    let two = "[remote \"upstream\"]\n\turl = a:b/c\n[remote \"fork\"]\n\turl = d:e/f\n";
    assert_eq!(url(two).as_deref(), Some("d:e/f"), "the one that `git remote` tells first");
    assert_eq!(url("[remote \"origin\"]\n\tfetch = x\n[branch \"m\"]\n\turl = y"), None);
}

#[test]
fn a_folder_inside_a_clone_is_its_project() {
    let top = std::env::temp_dir().join(format!("hobnob-project-{}", std::process::id()));
    let inner = top.join("clone/src/deep");
    fs::create_dir_all(&inner).expect("folders");
    assert_eq!(Project::of(&inner).source, ProjectSource::Path);
    fs::create_dir_all(top.join("clone/.git")).expect("git");
    assert_eq!(Project::of(&inner).source, ProjectSource::Repository);
    fs::write(top.join("clone/.git/config"), "[remote \"origin\"]\nurl = git@h.example:a/b.git\n")
        .expect("config");
    let clone = Project::of(&inner);
    assert_eq!((clone.key.as_str(), clone.source), ("h.example/a/b", ProjectSource::Remote));
    assert!(clone.root.ends_with("clone"));
    // A relative remote is a folder of its own, not the same one for every repository.
    fs::write(top.join("clone/.git/config"), "[remote \"origin\"]\nurl = ../atlas.git\n")
        .expect("config");
    fs::create_dir_all(top.join("atlas.git")).expect("remote");
    let beside = top.join("atlas").canonicalize().unwrap_or_else(|_| top.join("atlas"));
    assert_eq!(Project::of(&inner).key.as_str(), format!("folder:{}", beside.display()));
    fs::write(top.join("clone/.git/config"), "[remote \"origin\"]\nurl = git@h.example:a/b.git\n")
        .expect("config");
    // The file `.git` of a worktree points to its repository.
    let tree = top.join("tree");
    fs::create_dir_all(top.join("clone/.git/worktrees/tree")).expect("worktree");
    fs::create_dir_all(&tree).expect("tree");
    fs::write(tree.join(".git"), "gitdir: ../clone/.git/worktrees/tree\n").expect("file");
    fs::write(top.join("clone/.git/worktrees/tree/commondir"), "../..\n").expect("file");
    assert_eq!(Project::of(&tree).key.as_str(), "h.example/a/b");
    fs::remove_dir_all(&top).expect("gone");
}
