//! Which folder is the project, and which files above it count, as Claude Code reads them.

use std::fs;
use std::path::PathBuf;

use hobnob_config::{Approvals, Origin, Overrides, Places, Servers, Target};

use crate::support::{Scratch, name, variables};

/// The places of a user who works in this folder.
fn places_in(scratch: &Scratch, here: &str, overrides: &Overrides) -> Places {
    let here = scratch.path(here);
    fs::create_dir_all(&here).unwrap();
    let (home, own) = (scratch.path("home"), scratch.path("own"));
    let variable = |name: &str| match name {
        "HOME" | "USERPROFILE" => Some(home.clone()),
        "HOBNOB_HOME" => Some(own.clone()),
        _ => None,
    };
    Places::detect_from(overrides, &variable, &here).unwrap()
}

fn file(server: &str, more: &str) -> String {
    format!(
        r#"{{"mcpServers": {{"{server}": {{"command": "c"}}, "same": {{"command": "{server}"{more}}}}}}}"#
    )
}

#[test]
fn a_project_is_found_from_its_subfolders() {
    let scratch = Scratch::new();
    scratch.write("home/.mcp.json", "{}");
    scratch.write("home/work/.mcp.json", "{}");
    fs::create_dir_all(scratch.path("home/work/repo/.git")).unwrap();
    scratch.write("home/work/repo/part/.mcp.json", "{}");
    scratch.write("home/loose/.mcp.json", "{}");
    let plain = Overrides::default();
    for (here, project) in [
        ("home/work/repo/part/a/b", "home/work/repo/part"),
        ("home/work/repo/part", "home/work/repo/part"),
        // The repository ends the search, so that its memories stay separate.
        ("home/work/repo/other", "home/work/repo/other"),
        ("home/loose/a", "home/loose"),
        ("home/nothing/a", "home/nothing/a"),
        ("home", "home"),
        ("outside/a", "outside/a"),
    ] {
        assert_eq!(places_in(&scratch, here, &plain).project, scratch.path(project), "{here}");
    }
    let named = Overrides { project: Some("..".into()), ..Overrides::default() };
    let here = "home/work/repo/part/a/b";
    assert_eq!(places_in(&scratch, here, &named).project, scratch.path("home/work/repo/part/a"));
}

#[test]
fn files_above_a_project_count_and_the_nearest_wins() {
    let scratch = Scratch::new();
    scratch.write("home/work/.mcp.json", &file("outer", ""));
    fs::create_dir_all(scratch.path("home/work/repo/.git")).unwrap();
    scratch.write("home/work/repo/.mcp.json", &file("inner", ""));
    scratch.write("home/.mcp.json", &file("user", ""));
    let places = places_in(&scratch, "home/work/repo/sub", &Overrides::default());
    let files: Vec<PathBuf> =
        ["home/work/.mcp.json", "home/work/repo/.mcp.json"].map(|it| scratch.path(it)).into();
    assert_eq!(places.project_mcp_jsons(), files);
    assert!(files.iter().all(|file| places.watched_files().contains(file)));
    let servers = Servers::load(&places, &variables);
    let names: Vec<&str> = servers.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["inner", "outer", "same", "user"]);
    assert_eq!(servers.get("outer").unwrap().origin, Origin::Project);
    // Without approvals, the user's own entry counts, and the nearest one waits.
    let same = servers.get("same").unwrap();
    assert_eq!(same.origin, Origin::User);
    assert_eq!(same.waiting.as_ref().unwrap().file, files[1]);
    // Without an entry of the user, the person is asked about the nearest.
    fs::remove_file(scratch.path("home/.mcp.json")).unwrap();
    let servers = Servers::load(&places, &variables);
    let same = servers.get("same").unwrap();
    assert_eq!((&same.file, same.waiting.is_some()), (&files[1], false));
    // An approved entry of an outer folder is used until the nearer one is approved.
    let outer =
        Servers::load(&Places { project: scratch.path("home/work"), ..places.clone() }, &variables);
    let digest = outer.get("same").unwrap().digest;
    let mut approvals = Approvals::load(&places.approvals()).unwrap();
    approvals.approve(&places.project, &name("same"), digest);
    approvals.save().unwrap();
    let servers = Servers::load(&places, &variables);
    let same = servers.get("same").unwrap();
    assert_eq!(same.file, files[0]);
    assert_eq!(same.waiting.as_ref().unwrap().file, files[1]);
}

#[test]
fn the_projects_folder_is_a_variable() {
    let scratch = Scratch::new();
    scratch.write(
        "home/p/.mcp.json",
        r#"{"mcpServers": {"a": {"command": "c", "args": ["${CLAUDE_PROJECT_DIR}/x", "${CLAUDE_PROJECT_DIR:-.}"]}}}"#,
    );
    let places = places_in(&scratch, "home/p/sub", &Overrides::default());
    let servers = Servers::load(&places, &|_| Some("elsewhere".into()));
    let Target::Command { args, .. } = &servers.get("a").unwrap().state.as_ref().unwrap().target
    else {
        panic!("a command");
    };
    let project = scratch.path("home/p").display().to_string();
    let args: Vec<&str> = args.iter().map(|it| it.expose()).collect();
    assert_eq!(args, [format!("{project}/x"), project]);
}

/// Otherwise, another user's file in a shared folder would prompt in every folder below it.
#[cfg(unix)]
#[test]
fn a_strangers_file_above_does_not_count() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let scratch = Scratch::new();
    let file = scratch.write("shared/.mcp.json", &file("stranger", ""));
    let strange = fs::metadata(&file).unwrap().uid() + 1;
    if chown(&file, Some(strange), None).is_err() {
        // Only root can give a file away.
        return;
    }
    let places = places_in(&scratch, "shared/mine", &Overrides::default());
    assert_eq!(places.project, scratch.path("shared/mine"));
    assert!(Servers::load(&places, &variables).is_empty());
}
