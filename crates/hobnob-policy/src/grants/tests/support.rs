//! Rows and callers for the tables of the other files.

use crate::{
    CallerPlace, CommandGrantSource, FileGrantSource, FolderSource, GrantSet, GrantSources,
    GrantSubject, HardLinks, MachineService,
};

pub(super) const LOCAL: GrantSubject<'static> =
    GrantSubject { principal: None, place: CallerPlace::Local };
pub(super) const REMOTE: GrantSubject<'static> =
    GrantSubject { principal: None, place: CallerPlace::Remote };

/// A principal that the transport authenticated, on another machine.
pub(super) fn principal(name: &str) -> GrantSubject<'_> {
    GrantSubject { principal: Some(name), place: CallerPlace::Remote }
}

pub(super) fn folder(path: &str, access: &str) -> FolderSource {
    FolderSource {
        path: path.into(),
        access: access.into(),
        identity: "1 on 2:3".into(),
        hard_links: HardLinks::Refused,
    }
}

pub(super) fn file_grant(path: &str, access: &str) -> FileGrantSource {
    FileGrantSource { folder: folder(path, access), principal: None }
}

/// A command with the name of its file; without `words` it is a shell that may run any line.
pub(super) fn command(program: &str, words: Option<&[&str]>) -> CommandGrantSource {
    CommandGrantSource {
        name: program.rsplit('/').next().unwrap().into(),
        program: program.into(),
        arguments: words.map(|words| words.iter().map(|word| (*word).into()).collect()),
        folders: Vec::new(),
        environment: Vec::new(),
        sandbox: "on".into(),
        network: false,
        as_root: false,
        principal: None,
    }
}

/// These grants with every service switched on.
pub(super) fn enabled(sources: GrantSources) -> GrantSet {
    with_access(sources, "read-write")
}

pub(super) fn with_access(mut sources: GrantSources, access: &str) -> GrantSet {
    let row = |service: MachineService| (service.as_str().into(), access.into());
    sources.services = MachineService::ALL.map(row).into();
    GrantSet::parse(&sources).unwrap()
}
