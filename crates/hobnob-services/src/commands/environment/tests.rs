//! Which variables a command gets, and which ones it never gets.

use super::{CommandHome, SYSTEM_PATH, check, environment_of};
use crate::commands::SearchPath;
use hobnob_policy::{
    CallerPlace, CommandGrantSource, CommandText, CommandWish, GrantSet, GrantSources,
    GrantSubject, Permit, RunCommand,
};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

const WHO: GrantSubject<'_> = GrantSubject { principal: None, place: CallerPlace::Local };

fn command(program: &str, variables: &[(&str, &str)]) -> Permit<RunCommand> {
    let grant = CommandGrantSource {
        name: "tool".into(),
        program: program.into(),
        arguments: Some(Vec::new()),
        folders: Vec::new(),
        environment: variables.iter().map(|(name, _)| (*name).to_owned()).collect(),
        sandbox: "on".into(),
        network: false,
        as_root: false,
        principal: None,
    };
    let sources = GrantSources {
        services: vec![("shell".into(), "read-write".into())],
        commands: vec![grant],
        ..GrantSources::default()
    };
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let wish = CommandWish {
        command: CommandText::Words(vec!["tool".into()]),
        folder: None,
        environment: variables.iter().map(owned).collect(),
        input: Vec::new(),
        timeout: Duration::from_secs(1),
    };
    GrantSet::parse(&sources).unwrap().permit_command(WHO, wish).unwrap()
}

fn environment(program: &str, variables: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
    environment_at(CommandHome::Own("/home/somebody".into()), program, variables)
}

fn environment_at(
    home: CommandHome<'_>,
    program: &str,
    variables: &[(&str, &str)],
) -> BTreeMap<OsString, OsString> {
    let own = |name: &str| match name {
        "LANG" => Some("de_AT.UTF-8".into()),
        "TZ" => Some("Europe/Vienna".into()),
        "HOBNOB_TOKEN" | "AWS_SECRET_ACCESS_KEY" | "LD_PRELOAD" | "PATH" => Some("secret".into()),
        _ => None,
    };
    let permit = command(program, variables);
    let markers = ["HOBNOB_MARK".to_owned()];
    let all = environment_of(permit.request(), home, &markers, SearchPath::System, own);
    all.into_iter().collect()
}

#[test]
fn a_command_has_what_programs_need_and_nothing_else() {
    let found = environment("/usr/bin/tool", &[("COLOUR", "blue")]);
    let expected = [
        ("COLOUR", "blue"),
        ("HOBNOB_MARK", ""),
        ("HOME", "/home/somebody"),
        ("LANG", "de_AT.UTF-8"),
        ("PATH", SYSTEM_PATH),
        ("SHELL", "/bin/sh"),
        ("TERM", "dumb"),
        ("TZ", "Europe/Vienna"),
    ];
    let expected = expected.map(|(name, value)| (name.into(), value.into()));
    assert_eq!(found, BTreeMap::<OsString, OsString>::from(expected));
}

#[test]
fn a_confined_command_has_one_folder_for_everything() {
    let home = CommandHome::Scratch(Path::new("/run/scratch-0"));
    let found = environment_at(home, "/usr/bin/tool", &[("TMPDIR", "/tmp")]);
    let folders = ["HOME", "TMPDIR"].map(|name| found[&OsString::from(name)].clone());
    assert_eq!(folders, ["/run/scratch-0", "/run/scratch-0"]);
}

#[test]
fn a_program_finds_what_is_beside_it_first() {
    let path = |program| environment(program, &[])[&OsString::from("PATH")].clone();
    assert_eq!(path("/home/u/.cargo/bin/cargo"), *format!("/home/u/.cargo/bin:{SYSTEM_PATH}"));
    assert_eq!(path("/odd:folder/tool"), SYSTEM_PATH);
    assert_eq!(path("/bin/ls"), SYSTEM_PATH);
}

#[test]
fn a_granted_variable_replaces_ours() {
    assert_eq!(environment("/bin/x", &[("LANG", "C")])[&OsString::from("LANG")], "C");
}

#[test]
fn some_variables_are_never_set() {
    for name in [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "GCONV_PATH",
        "GLIBC_TUNABLES",
        "HOBNOB_HOME",
    ] {
        let refused = check(command("/bin/x", &[(name, "x")]).request()).unwrap_err();
        assert!(refused.to_string().contains(name), "{refused}");
    }
    assert_eq!(check(command("/bin/x", &[("GIT_AUTHOR_NAME", "x")]).request()), Ok(()));
}

#[test]
fn a_program_may_find_others_where_we_do() {
    for (own, path) in [
        (Some("/a:b::/c"), "/usr/bin:/a:/c"),
        (Some("/a:/usr/bin"), "/a:/usr/bin"),
        (None, SYSTEM_PATH),
    ] {
        let permit = command("/usr/bin/tool", &[]);
        let variable = |name: &str| own.filter(|_| name == "PATH").map(OsString::from);
        let home = CommandHome::Own("/home/somebody".into());
        let all = environment_of(permit.request(), home, &[], SearchPath::Own, variable);
        let found = all.into_iter().find(|(name, _)| name == "PATH").unwrap();
        assert_eq!(found.1, path);
    }
}
