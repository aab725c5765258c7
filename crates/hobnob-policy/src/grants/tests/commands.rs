//! Grants of commands: which ones run, with what, where, and what the refusals say.

use std::time::Duration;

use super::support::{LOCAL, REMOTE, command, enabled, folder, principal, with_access};
use crate::{
    CommandGrantSource, CommandText, CommandWish, GrantSet, GrantSources, GrantSubject, NotGranted,
    NotGrantedReason, Permit, RootAccess, RunCommand, SandboxRule, WorkingFolder,
    is_dangerous_variable,
};

fn sources() -> GrantSources {
    GrantSources {
        commands: vec![
            command("/bin/sh", None).with_principal("root"),
            CommandGrantSource {
                folders: vec![folder("/home/a/p", "write"), folder("/home/a/q", "read")],
                environment: vec!["RUST_LOG".into()],
                sandbox: "required".into(),
                ..command("/usr/bin/cargo", Some(&["build", "..."]))
            },
            command("/bin/ls", Some(&["..."])),
            command("/bin/ls", Some(&["-l"])),
            command("/opt/hobnob", Some(&["-..."])),
        ],
        own_program: Some("/opt/hobnob".into()),
        ..GrantSources::default()
    }
}

impl CommandGrantSource {
    fn with_principal(self, name: &str) -> Self {
        Self { principal: Some(name.into()), ..self }
    }
}

fn wish(command: CommandText) -> CommandWish {
    let timeout = Duration::from_secs(1);
    CommandWish { command, folder: None, environment: Vec::new(), input: Vec::new(), timeout }
}

fn words(words: &[&str]) -> CommandText {
    CommandText::Words(words.iter().map(|word| (*word).into()).collect())
}

fn line(line: &str) -> CommandText {
    CommandText::Line(line.into())
}

fn ask(who: GrantSubject<'_>, wish: CommandWish) -> Result<Permit<RunCommand>, NotGranted> {
    enabled(sources()).permit_command(who, wish)
}

fn shown(permit: &Permit<RunCommand>) -> Vec<String> {
    let command = permit.request();
    let program = command.program().display().to_string();
    let arguments = command.arguments().iter().map(|word| word.to_str().unwrap().to_owned());
    std::iter::once(program).chain(arguments).collect()
}

#[test]
fn granted_words_run_by_their_absolute_path() {
    for (command, run) in [
        (words(&["ls"]), &["/bin/ls"][..]),
        (words(&["ls", "a b", "$(c)", "d\ne"]), &["/bin/ls", "a b", "$(c)", "d\ne"]),
        (words(&["ls", "-l"]), &["/bin/ls", "-l"]),
        (words(&["/bin/ls", "x"]), &["/bin/ls", "x"]),
        (words(&["cargo", "build"]), &["/usr/bin/cargo", "build"]),
        (line("ls  a=b ./c,d "), &["/bin/ls", "a=b", "./c,d"]),
    ] {
        assert_eq!(shown(&ask(LOCAL, wish(command)).unwrap()), run);
    }
}

#[test]
fn other_words_do_not_run() {
    for (command, grant) in [
        (words(&["ls", "-a"]), "hobnob grant shell --in FOLDER -- ls -a"),
        (words(&["./ls"]), "hobnob grant shell --in FOLDER -- ./ls"),
        (words(&["/tmp/ls"]), "hobnob grant shell --in FOLDER -- /tmp/ls"),
        (words(&["/bin/../bin/ls"]), "hobnob grant shell --in FOLDER -- /bin/../bin/ls"),
        (words(&["LS"]), "hobnob grant shell --in FOLDER -- LS"),
        (words(&["cargo", "run", "*"]), r"hobnob grant shell --in FOLDER -- cargo run '\*'"),
        (
            words(&["cargo", "build", "--release"]),
            "hobnob grant shell --in FOLDER -- cargo build --release",
        ),
        (words(&["rm", "a\nb"]), "hobnob grant shell --in FOLDER -- PROGRAM WORDS"),
        (line("A=b ls"), "hobnob grant shell --in FOLDER -- A=b ls"),
        (line("ls | wc"), "hobnob grant shell --in FOLDER --line"),
        (line("ls; reboot"), "hobnob grant shell --in FOLDER --line"),
        (line("ls\nreboot"), "hobnob grant shell --in FOLDER --line"),
        (line("ls $HOME"), "hobnob grant shell --in FOLDER --line"),
        (line("ls ~"), "hobnob grant shell --in FOLDER --line"),
        (line("ls *"), "hobnob grant shell --in FOLDER --line"),
    ] {
        let denied = ask(LOCAL, wish(command)).unwrap_err();
        assert_eq!(*denied.reason(), NotGrantedReason::NotCovered);
        assert_eq!(denied.commands(), [grant]);
    }
}

#[test]
fn commands_that_cannot_be_run_are_refused() {
    let long = "x".repeat(200_000);
    for command in [
        words(&[]),
        words(&["", "x"]),
        words(&["ls", "a\0b"]),
        words(&["ls", &long]),
        CommandText::Words(vec!["ls".into(); 2000]),
        line(""),
        line("   "),
        line("ls \0"),
        line(&long),
        line(&format!("ls ;{long}")),
    ] {
        let denied = ask(LOCAL, wish(command)).unwrap_err();
        assert!(matches!(denied.reason(), NotGrantedReason::BadInput(_)), "{denied}");
    }
}

#[test]
fn our_own_program_never_runs() {
    for command in [
        words(&["hobnob", "grant", "files", "/"]),
        words(&["/opt/hobnob", "status"]),
        line("hobnob enable shell"),
    ] {
        let denied = ask(LOCAL, wish(command)).unwrap_err();
        assert!(denied.to_string().contains("never run"), "{denied}");
    }
    // Nor does a grant that calls it by another name.
    let mut sources = sources();
    sources.commands[4].name = "other".into();
    assert!(enabled(sources).permit_command(LOCAL, wish(words(&["other"]))).is_err());
}

#[test]
fn whole_lines_run_only_where_they_are_granted() {
    let root = principal("root");
    for (command, run) in [
        (line("ls | wc"), &["/bin/sh", "-c", "--", "ls | wc"][..]),
        (line("-x; y"), &["/bin/sh", "-c", "--", "-x; y"]),
        (words(&["ls", "$(x)"]), &["/bin/sh", "-c", "--", r#"exec "$@""#, "sh", "ls", "$(x)"]),
    ] {
        assert_eq!(shown(&ask(root, wish(command)).unwrap()), run);
    }
    assert!(ask(LOCAL, wish(line("ls | wc"))).is_err());
}

#[test]
fn a_command_runs_in_a_folder_of_its_grant() {
    let place = |folder: Option<&str>, words: &[&str]| {
        let folder = folder.map(Into::into);
        let command = CommandText::Words(words.iter().map(|word| (*word).into()).collect());
        ask(LOCAL, CommandWish { folder, ..wish(command) }).map(|permit| {
            match permit.request().working_folder() {
                WorkingFolder::Scratch => "scratch".to_owned(),
                WorkingFolder::Granted(path) => {
                    format!("{} {}", path.root().path().display(), path.below())
                }
            }
        })
    };
    let build = &["cargo", "build"];
    assert_eq!(place(None, build).unwrap(), "/home/a/p .");
    assert_eq!(place(Some("/home/a/q/x"), build).unwrap(), "/home/a/q x");
    assert_eq!(place(Some("q/x"), build).unwrap(), "/home/a/q x");
    assert_eq!(place(None, &["ls"]).unwrap(), "scratch");
    let denied = place(Some("/etc"), build).unwrap_err();
    assert_eq!(denied.commands(), ["hobnob grant shell --in /etc -- cargo build"]);
    assert!(place(Some("/home/a/p/../x"), build).is_err());
    assert!(place(Some("/home/a/p"), &["ls"]).is_err());
    assert_eq!(place(Some("../x"), build).unwrap_err().input(), "../x");
}

#[test]
fn only_named_variables_are_set() {
    let with = |variables: &[(&str, &str)]| {
        let pair = |(name, value): &(&str, &str)| ((*name).into(), (*value).into());
        let environment = variables.iter().map(pair).collect();
        ask(LOCAL, CommandWish { environment, ..wish(words(&["cargo", "build"])) })
    };
    assert_eq!(with(&[("RUST_LOG", "a=b c")]).unwrap().request().environment().len(), 1);
    for name in ["LD_PRELOAD", "PATH", "GIT_SSH_COMMAND", "rust_log", "RUST_LOG_STYLE"] {
        let denied = with(&[(name, "x")]).unwrap_err();
        let line = format!("hobnob grant shell --in FOLDER --env {name} -- cargo build");
        assert_eq!(denied.commands(), [line]);
    }
    for bad in [
        &[("", "x")][..],
        &[("A=B", "x")],
        &[("1A", "x")],
        &[("A B", "x")],
        &[("RUST_LOG", "a\0b")],
        &[("RUST_LOG", "1"), ("RUST_LOG", "2")],
    ] {
        assert!(matches!(with(bad).unwrap_err().reason(), NotGrantedReason::BadInput(_)));
    }
    for name in ["LD_PRELOAD", "PATH", "BASH_ENV", "PYTHONSTARTUP", "GIT_DIR", "NODE_OPTIONS"] {
        assert!(is_dangerous_variable(name), "{name}");
    }
    assert!(!is_dangerous_variable("RUST_LOG"));
}

#[test]
fn a_shell_that_may_only_read_is_confined_to_reading() {
    let access = |set: &GrantSet| {
        let permit = set.permit_command(LOCAL, wish(words(&["cargo", "build"]))).unwrap();
        let folders = permit.request().folders();
        let access = folders.iter().map(|it| it.access()).collect::<Vec<_>>();
        (access, permit.request().sandbox())
    };
    let mut loose = sources();
    loose.commands[1].sandbox = "off".into();
    let (write, read) = (RootAccess::Write, RootAccess::Read);
    assert_eq!(access(&enabled(sources())), (vec![write, read], SandboxRule::Full));
    assert_eq!(access(&enabled(loose.clone())), (vec![write, read], SandboxRule::Off));
    let reading = with_access(loose.clone(), "read-only");
    assert_eq!(access(&reading), (vec![read, read], SandboxRule::Full));
    let off = with_access(loose, "disabled");
    let denied = off.permit_command(LOCAL, wish(words(&["ls"]))).unwrap_err();
    assert_eq!(denied.commands(), ["hobnob enable shell --read-only"]);
}

#[test]
fn remote_strangers_run_nothing() {
    let denied = ask(REMOTE, wish(words(&["ls"]))).unwrap_err();
    assert_eq!(*denied.reason(), NotGrantedReason::RemoteCaller);
    let denied = ask(principal("eve"), wish(words(&["ls"]))).unwrap_err();
    assert_eq!(denied.commands(), ["hobnob grant shell --for eve --in FOLDER -- ls"]);
}

#[test]
fn a_permit_shows_no_arguments() {
    let secret = CommandWish {
        environment: vec![("RUST_LOG".into(), "canary".into())],
        input: b"canary".to_vec(),
        ..wish(words(&["cargo", "build", "canary"]))
    };
    let permit = ask(LOCAL, secret).unwrap();
    assert_eq!(
        permit.rule(),
        "shell /usr/bin/cargo build ..., in /home/a/p, reading in /home/a/q, setting RUST_LOG, \
         only with a full sandbox"
    );
    assert!(!format!("{permit:?}").contains("canary"), "{permit:?}");
}
