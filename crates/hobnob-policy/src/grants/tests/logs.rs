//! Grants of logs: by the system's names and by folder.

use super::support::{LOCAL, REMOTE, enabled, folder, with_access};
use crate::{
    GrantSet, GrantSources, LogFilter, LogGrantSource, LogOperation, LogSource, LogStart, LogWish,
    NotGranted, NotGrantedReason,
};

fn sources() -> GrantSources {
    let row = |log| LogGrantSource { log, principal: None };
    GrantSources {
        logs: vec![
            row(LogSource::Name("ssh*".into())),
            row(LogSource::Name("System".into())),
            row(LogSource::Folder(folder("/var/log", "read"))),
            row(LogSource::Folder(folder("/srv/logs", "read"))),
        ],
        ..GrantSources::default()
    }
}

/// The system log and the files that a name may mean.
fn ask(set: &GrantSet, log: &str) -> Result<(Option<String>, Vec<String>), NotGranted> {
    let operation = LogOperation::Query {
        filter: LogFilter::default(),
        limit: 100,
        start: LogStart::Offset(0),
    };
    let permit = set.permit_log(LOCAL, LogWish { log: log.into(), operation })?;
    let file = |path: &crate::GrantedPath| {
        path.root().path().join(path.below().to_path()).display().to_string()
    };
    let action = permit.request();
    Ok((action.system_log().map(Into::into), action.files().iter().map(file).collect()))
}

#[test]
fn a_name_means_what_is_granted_by_it() {
    let set = enabled(sources());
    let both = |name: &str| vec![format!("/var/log/{name}"), format!("/srv/logs/{name}")];
    let system = |name: &str| Some(name.to_owned());
    for (log, found) in [
        ("sshd", (system("sshd"), both("sshd"))),
        ("System", (system("System"), both("System"))),
        ("system", (None, both("system"))),
        ("nginx/access.log", (None, both("nginx/access.log"))),
        ("/var/log/x", (None, vec!["/var/log/x".into()])),
        ("file:///srv/logs/x", (None, vec!["/srv/logs/x".into()])),
    ] {
        assert_eq!(ask(&set, log).unwrap(), found, "{log}");
    }
}

#[test]
fn other_logs_are_refused() {
    let set = enabled(GrantSources {
        logs: vec![
            LogGrantSource { log: LogSource::Name("*".into()), principal: None },
            LogGrantSource { log: LogSource::Folder(folder("/var/log", "read")), principal: None },
        ],
        ..GrantSources::default()
    });
    for (log, line) in [
        ("/etc/passwd", "hobnob grant logs /etc"),
        ("/var/log", "hobnob grant logs /var"),
        ("/var/log/../x", "hobnob grant logs /var"),
        ("/var/logs/x", "hobnob grant logs /var/logs"),
    ] {
        let denied = ask(&set, log).unwrap_err();
        assert_eq!(*denied.reason(), NotGrantedReason::NotCovered);
        assert_eq!(denied.commands(), [line]);
    }
    // An option for a program is no log of the system, but may be a file.
    assert_eq!(ask(&set, "--file=x").unwrap().0, None);
    for log in ["", "a\nb", "a\0b", &"x".repeat(2000)] {
        assert!(matches!(ask(&set, log).unwrap_err().reason(), NotGrantedReason::BadInput(_)));
    }
}

#[test]
fn climbing_names_mean_no_file() {
    let set = enabled(sources());
    for log in ["../secret", "a/../../secret", "..", "."] {
        assert_eq!(*ask(&set, log).unwrap_err().reason(), NotGrantedReason::NotCovered, "{log}");
    }
}

#[test]
fn the_list_shows_what_is_granted() {
    let set = enabled(sources());
    let listing = set.permit_log_list(LOCAL).unwrap();
    assert!(listing.request().shows("sshd") && listing.request().shows("System"));
    assert!(!listing.request().shows("Security"));
    assert_eq!(listing.request().folders().len(), 2);
    assert_eq!(listing.rule(), "logs ssh*, logs System, logs /var/log, logs /srv/logs");
    let nothing = GrantSet::nothing().permit_log_list(LOCAL).unwrap_err();
    assert_eq!(nothing.commands(), ["hobnob enable logs --read-only", "hobnob grant logs LOG"]);
    let off = with_access(sources(), "disabled").permit_log_list(LOCAL).unwrap_err();
    assert_eq!(off.commands(), ["hobnob enable logs --read-only"]);
    assert!(set.permit_log_list(REMOTE).is_err());
}

#[test]
fn before_any_grant_the_line_is_named() {
    let denied = ask(&GrantSet::nothing(), "System").unwrap_err();
    assert_eq!(denied.commands(), ["hobnob enable logs --read-only", "hobnob grant logs System"]);
    let denied = ask(&GrantSet::nothing(), "a*").unwrap_err();
    assert_eq!(denied.commands()[1], r"hobnob grant logs 'a\*'");
}
