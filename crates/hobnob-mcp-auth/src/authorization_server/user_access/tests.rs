//! Roles remove scopes, and profiles remove paths.

use super::{UserAccess, UserRole};

#[test]
fn scopes_are_cut_to_the_role() {
    let cases = [
        ("read call", "read call", "read call"),
        ("read call admin", "read call", "read call admin"),
        ("admin", "", "admin"),
        ("p/work:admin p/work:call", "p/work:call", "p/work:admin p/work:call"),
        ("time:call x:p/work:admin", "time:call", "time:call x:p/work:admin"),
        ("administer", "administer", "administer"),
        ("", "", ""),
    ];
    for (asked, member, admin) in cases {
        for (role, expected) in [(UserRole::Member, member), (UserRole::Admin, admin)] {
            let access = UserAccess { role, ..UserAccess::default() };
            assert_eq!(&*access.cut(asked), expected, "{role:?}: {asked}");
        }
    }
}

#[test]
fn profiles_leave_everything_else_out() {
    let cases = [
        (&[][..], None, true),
        (&[], Some("work"), true),
        (&["work"], Some("work"), true),
        (&["home", "work"], Some("work"), true),
        (&["work"], Some("home"), false),
        (&["work"], Some("workshop"), false),
        (&["work"], None, false),
    ];
    for (profiles, shown, expected) in cases {
        let profiles = profiles.iter().map(|it: &&str| (*it).into()).collect();
        let access = UserAccess { profiles, ..UserAccess::default() };
        assert_eq!(access.may_use(shown), expected, "{access:?}: {shown:?}");
    }
}

#[test]
fn a_record_of_an_earlier_version_is_that_of_a_member() {
    let read: UserAccess = serde_json::from_str("{}").unwrap();
    assert_eq!(read, UserAccess::default());
    assert_eq!(read.role, UserRole::Member);
    serde_json::from_str::<UserAccess>(r#"{"role":"emperor"}"#).unwrap_err();
}
