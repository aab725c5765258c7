//! The places for several environments.

use std::path::{Path, PathBuf};

use hobnob_config::{NoHome, Overrides, Places};

use crate::support::Scratch;

type Variables<'a> = &'a [(&'a str, &'a str)];

fn detect(variables: Variables<'_>, overrides: &Overrides) -> Result<Places, NoHome> {
    let find = |name: &str| {
        variables.iter().find(|(it, _)| *it == name).map(|(_, value)| PathBuf::from(value))
    };
    Places::detect_from(overrides, &find, Path::new("/nowhere/here"))
}

fn shown(places: &Places) -> [String; 6] {
    [
        &places.home,
        &places.config_dir,
        &places.data_dir,
        &places.state_dir,
        &places.runtime_dir,
        &places.project,
    ]
    .map(|it| it.to_str().unwrap().to_owned())
}

#[cfg(unix)]
#[test]
fn environments() {
    let here = "/nowhere/here";
    let plain = Overrides::default();
    let cases: [(Variables<'_>, [&str; 6]); 5] = [
        (
            &[("HOME", "/h")],
            [
                "/h",
                "/h/.config/hobnob",
                "/h/.local/share/hobnob",
                "/h/.local/state/hobnob",
                "/h/.local/state/hobnob/run",
                here,
            ],
        ),
        (
            &[
                ("HOME", "/h"),
                ("XDG_CONFIG_HOME", "/c"),
                ("XDG_DATA_HOME", "/d"),
                ("XDG_STATE_HOME", "/s"),
                ("XDG_RUNTIME_DIR", "/r"),
            ],
            ["/h", "/c/hobnob", "/d/hobnob", "/s/hobnob", "/s/hobnob/run", here],
        ),
        (
            &[("HOME", "/h"), ("XDG_CONFIG_HOME", "relative"), ("XDG_STATE_HOME", "")],
            [
                "/h",
                "/h/.config/hobnob",
                "/h/.local/share/hobnob",
                "/h/.local/state/hobnob",
                "/h/.local/state/hobnob/run",
                here,
            ],
        ),
        (
            &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("HOBNOB_HOME", "/o")],
            ["/h", "/o/config", "/o/data", "/o/state", "/o/run", here],
        ),
        (
            &[("HOBNOB_HOME", "o")],
            [
                "/nowhere/here/o",
                "/nowhere/here/o/config",
                "/nowhere/here/o/data",
                "/nowhere/here/o/state",
                "/nowhere/here/o/run",
                here,
            ],
        ),
    ];
    for (variables, expected) in cases {
        assert_eq!(shown(&detect(variables, &plain).unwrap()), expected);
    }
    assert_eq!(detect(&[], &plain), Err(NoHome));
    let overrides = Overrides {
        config_dir: Some("cfg".into()),
        data_dir: Some("dat".into()),
        project: Some("/nowhere/p".into()),
    };
    let places = detect(&[("HOME", "/h"), ("HOBNOB_HOME", "/o")], &overrides).unwrap();
    let expected =
        ["/h", "/nowhere/here/cfg", "/nowhere/here/dat", "/o/state", "/o/run", "/nowhere/p"];
    assert_eq!(shown(&places), expected);
}

#[test]
fn the_file_in_the_home_folder_is_the_users() {
    let scratch = Scratch::new();
    let mut places = scratch.places();
    assert_eq!(places.project_mcp_json(), Some(scratch.path("project/.mcp.json")));
    places.project = places.home.clone();
    assert_eq!(places.project_mcp_json(), None);
}

#[cfg(unix)]
#[test]
fn a_link_to_the_users_file_is_the_users() {
    let scratch = Scratch::new();
    let places = scratch.places();
    let user = scratch.write("home/.mcp.json", "{}");
    std::os::unix::fs::symlink(user, scratch.path("project/.mcp.json")).unwrap();
    assert_eq!(places.project_mcp_json(), None);
}

#[cfg(unix)]
#[test]
fn folders_are_private() {
    let scratch = Scratch::new();
    let places = scratch.places();
    places.create().unwrap();
    for folder in [&places.config_dir, &places.data_dir, &places.state_dir, &places.runtime_dir] {
        assert_eq!(crate::support::mode(folder), 0o700);
    }
}

#[test]
fn projects_have_keys_of_their_own() {
    let scratch = Scratch::new();
    let places = scratch.places();
    let other = Places { project: scratch.path("elsewhere"), ..places.clone() };
    assert_ne!(places.project_key(), other.project_key());
    assert_eq!(places.project_key().len(), 16);
}
