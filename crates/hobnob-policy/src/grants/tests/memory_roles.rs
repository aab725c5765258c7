//! Roles in shared memories: none by default; the person's own programs have them all.

use super::support::LOCAL;
use crate::{CallerPlace, GrantSet, GrantSources, GrantSubject, MemoryRole, MemoryRoleSource};

fn sources(rows: &[(&str, &str)]) -> GrantSources {
    let row = |(principal, role): &(&str, &str)| MemoryRoleSource {
        principal: (*principal).into(),
        role: (*role).into(),
    };
    GrantSources { memory_roles: rows.iter().map(row).collect(), ..GrantSources::default() }
}

fn named(name: &str) -> GrantSubject<'_> {
    GrantSubject { principal: Some(name), place: CallerPlace::Local }
}

#[test]
fn a_role_is_for_whom_it_names() {
    let set = GrantSet::parse(&sources(&[("ann", "writer"), ("bob", "reader"), ("eve", "admin")]));
    let set = set.unwrap();
    for (who, role) in [
        ("ann", Some(MemoryRole::Writer)),
        ("bob", Some(MemoryRole::Reader)),
        ("eve", Some(MemoryRole::Admin)),
        ("Ann", None),
        ("ann ", None),
        ("dan", None),
    ] {
        for place in [CallerPlace::Local, CallerPlace::Remote] {
            let who = GrantSubject { place, ..named(who) };
            assert_eq!(set.memory_role(who), role, "{who:?}");
            assert_eq!(GrantSet::nothing().memory_role(who), None, "{who:?}");
        }
    }
    assert_eq!(set.memory_role(LOCAL), Some(MemoryRole::Admin));
    assert_eq!(GrantSet::nothing().memory_role(LOCAL), Some(MemoryRole::Admin));
    let texts: Vec<String> = set.memory_role_texts().iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["memory writer for ann", "memory reader for bob", "memory admin for eve"]);
}

#[test]
fn a_wrong_role_makes_nothing_count() {
    for (row, problem) in [(("ann", "owner"), "role"), (("", "reader"), "no name")] {
        let error = GrantSet::parse(&sources(&[("bob", "reader"), row])).unwrap_err().to_string();
        assert!(error.contains("memory grant 2") && error.contains(problem), "{error}");
    }
}

#[test]
fn the_line_to_type_names_the_principal_as_a_shell_reads_it() {
    for (who, line) in [
        ("token:ci", "hobnob grant memory --for token:ci --role writer"),
        ("https://id#a b", "hobnob grant memory --for 'https://id#a b' --role writer"),
        ("a\u{202e}b", "hobnob grant memory --for PRINCIPAL --role writer"),
    ] {
        assert_eq!(MemoryRole::Writer.command(named(who)), line);
    }
}
