//! A set as a whole: nothing by default, and all rows or none.

use super::support::{LOCAL, command, enabled, file_grant, folder};
use crate::{
    CommandGrantSource, CommandText, CommandWish, FileGrantSource, FileOperation, FileWish,
    FolderSource, GrantSet, GrantSources, KeyGrantSource, LogGrantSource, LogSource,
    MachineService, ServiceAccess,
};

#[test]
fn nothing_is_granted_by_default() {
    for set in [
        GrantSet::nothing(),
        GrantSet::parse(&GrantSources::default()).unwrap(),
        // Rows alone switch nothing on.
        GrantSet::parse(&GrantSources {
            files: vec![file_grant("/", "write")],
            commands: vec![command("/bin/sh", None)],
            ..GrantSources::default()
        })
        .unwrap(),
    ] {
        for service in MachineService::ALL {
            assert_eq!(set.access(service), ServiceAccess::Disabled);
        }
        let wish = FileWish { path: "/x".into(), operation: FileOperation::Stat };
        assert!(set.permit_file(LOCAL, wish).is_err());
        let wish = CommandWish {
            command: CommandText::Line("true".into()),
            folder: None,
            environment: Vec::new(),
            input: Vec::new(),
            timeout: std::time::Duration::from_secs(1),
        };
        assert!(set.permit_command(LOCAL, wish).is_err());
    }
}

#[test]
fn a_wrong_row_is_named_and_nothing_counts() {
    let file = |source| GrantSources { files: vec![source], ..GrantSources::default() };
    let shell = |source| GrantSources { commands: vec![source], ..GrantSources::default() };
    let service = |name: &str, access: &str| (name.to_owned(), access.to_owned());
    let services = |rows: &[(String, String)]| GrantSources {
        services: rows.to_vec(),
        ..GrantSources::default()
    };
    let key = |key: &str, access: &str, view: Option<&str>| GrantSources {
        keys: vec![KeyGrantSource {
            key: key.into(),
            access: access.into(),
            view: view.map(Into::into),
            principal: None,
        }],
        ..GrantSources::default()
    };
    let log = |log| GrantSources {
        logs: vec![LogGrantSource { log, principal: None }],
        ..GrantSources::default()
    };
    let ls = || command("/bin/ls", Some(&["..."]));
    for (sources, row) in [
        (services(&[service("disk", "read-only")]), "service `disk`"),
        (services(&[service("files", "all")]), "service `files`"),
        (services(&[service("files", "disabled"), service("files", "read-only")]), "two rows"),
        (file(file_grant("home/a", "read")), "files grant 1: the folder is not an absolute"),
        (file(file_grant("/home/../a", "read")), "files grant 1"),
        (file(file_grant("/home//a", "read")), "files grant 1"),
        (file(file_grant("/home/a/", "read")), "files grant 1"),
        (file(file_grant("/home/a", "readwrite")), "`readwrite` is no access"),
        (
            file(FileGrantSource { folder: folder("/a", "read"), principal: Some("".into()) }),
            "no name",
        ),
        (
            file(FileGrantSource {
                folder: FolderSource { identity: "".into(), ..folder("/a", "read") },
                principal: None,
            }),
            "grant it again",
        ),
        (shell(CommandGrantSource { name: "".into(), ..ls() }), "shell grant 1"),
        (shell(CommandGrantSource { program: "ls".into(), ..ls() }), "absolute"),
        (shell(CommandGrantSource { program: "/bin/../ls".into(), ..ls() }), "absolute"),
        (shell(CommandGrantSource { sandbox: "maybe".into(), ..ls() }), "sandbox"),
        (shell(CommandGrantSource { environment: vec!["LD_*".into()], ..ls() }), "LD_*"),
        (shell(command("/bin/ls", Some(&["...", "x"]))), "put it last"),
        (shell(CommandGrantSource { folders: vec![folder("x", "read")], ..ls() }), "absolute"),
        (log(LogSource::Name("[".into())), "logs grant 1"),
        (log(LogSource::Folder(folder("x", "read"))), "logs grant 1"),
        (key("Software", "read", None), "registry grant 1"),
        (key("HKCU", "both", None), "registry grant 1"),
        (key("HKCU", "read", Some("16")), "registry grant 1"),
        (
            GrantSources { files: vec![file_grant("/a", "read"); 1025], ..GrantSources::default() },
            "files grant 1025",
        ),
    ] {
        let error = GrantSet::parse(&sources).unwrap_err().to_string();
        assert!(error.contains(row), "{error}: {row}");
    }
}

#[test]
fn a_set_lists_its_grants_for_the_person() {
    let set = enabled(GrantSources {
        files: vec![
            file_grant("/a", "read"),
            FileGrantSource { folder: folder("/b", "write"), principal: Some("bob".into()) },
        ],
        commands: vec![command("/bin/ls", Some(&["*"])), command("/bin/sh", None)],
        ..GrantSources::default()
    });
    let texts =
        |service| set.texts(service).iter().map(|text| text.to_string()).collect::<Vec<_>>();
    assert_eq!(texts(MachineService::Files), ["files /a read", "files /b write for bob"]);
    let shell = ["shell /bin/ls *", "shell /bin/sh (any command line)"];
    assert_eq!(texts(MachineService::Shell), shell);
    assert!(texts(MachineService::Logs).is_empty());
    assert_eq!(set.clone().access(MachineService::Logs), ServiceAccess::ReadWrite);
}
