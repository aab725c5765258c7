//! Grants of registry keys: component by component, without regard to case.

use proptest::prelude::*;

use super::support::{LOCAL, enabled, principal, with_access};
use crate::{
    GrantSet, GrantSources, KeyGrantSource, KeyOperation, KeyView, KeyWish, NotGranted,
    NotGrantedReason, RegistryKey, RegistryValue, ValueName,
};

fn row(key: &str, access: &str, view: Option<&str>) -> KeyGrantSource {
    let view = view.map(Into::into);
    KeyGrantSource { key: key.into(), access: access.into(), view, principal: None }
}

fn sources() -> GrantSources {
    GrantSources {
        keys: vec![
            row(r"HKCU\Software\Example", "read", None),
            row(r"HKEY_CURRENT_USER\Software\Example\Mine", "write", None),
            row(r"HKLM\Software\Wide", "write", Some("64")),
        ],
        ..GrantSources::default()
    }
}

fn write() -> KeyOperation {
    let value = RegistryValue::Text("canary".into());
    KeyOperation::Write { name: ValueName::Named("n".into()), value }
}

fn ask(set: &GrantSet, key: &str, operation: KeyOperation) -> Result<String, NotGranted> {
    let wish = KeyWish { key: key.into(), view: KeyView::Native, operation };
    set.permit_key(LOCAL, wish).map(|permit| permit.request().key().to_string())
}

#[test]
fn keys_match_by_component_and_without_case() {
    let set = enabled(sources());
    for (key, read) in [
        (r"HKCU\Software\Example", r"HKCU\Software\Example"),
        (r"hkey_current_user\SOFTWARE\example\a b\c", r"HKCU\SOFTWARE\example\a b\c"),
    ] {
        assert_eq!(ask(&set, key, KeyOperation::List).unwrap(), read);
    }
    for key in [
        "HKCU",
        r"HKCU\Software",
        r"HKCU\Software\Example2",
        r"HKCU\Software\Exam",
        r"HKLM\Software\Example",
        r"HKCU\Example",
        // The Kelvin sign is no K: systems disagree about the case of letters beyond ASCII.
        "HKCU\\Software\\Example\u{212a}",
    ] {
        let denied = ask(&set, key, KeyOperation::List).unwrap_err();
        assert_eq!(*denied.reason(), NotGrantedReason::NotCovered, "{key}");
    }
}

#[test]
fn texts_that_are_no_key_are_refused() {
    let set = enabled(sources());
    for key in [
        "",
        "Software",
        r"\\machine\HKLM\Software",
        r"\HKCU",
        r"HKCU\",
        r"HKCU\Software\\Example",
        r"HKCU\Software\Example\ x",
        "HKCU\\Software\\Example\\a\0b",
        "HKCU\\Software\\Example\\a\nb",
        "HKCU/Software",
        &format!(r"HKCU\{}", "x".repeat(256)),
    ] {
        let denied = ask(&set, key, KeyOperation::List).unwrap_err();
        assert!(matches!(denied.reason(), NotGrantedReason::BadInput(_)), "{key}");
    }
    let bad = |operation| ask(&set, r"HKCU\Software\Example\Mine", operation).unwrap_err();
    let named = |name: &str| ValueName::Named(name.into());
    for operation in [
        KeyOperation::Read { value: Some(named("")) },
        KeyOperation::DeleteValue { name: named("a\0") },
        KeyOperation::Write { name: named("a"), value: RegistryValue::Text("b\0c".into()) },
    ] {
        assert!(matches!(bad(operation).reason(), NotGrantedReason::BadInput(_)));
    }
}

#[test]
fn writing_needs_a_grant_to_write() {
    let set = enabled(sources());
    for operation in
        [write(), KeyOperation::DeleteKey, KeyOperation::DeleteValue { name: ValueName::Default }]
    {
        assert!(ask(&set, r"HKCU\Software\Example\Mine\x", operation.clone()).is_ok());
        let denied = ask(&set, r"HKCU\Software\Example", operation.clone()).unwrap_err();
        assert_eq!(*denied.reason(), NotGrantedReason::ReadingOnly);
        assert_eq!(denied.commands(), [r"hobnob grant registry 'HKCU\Software\Example' --write"]);
        let reading = with_access(sources(), "read-only");
        let denied = ask(&reading, r"HKCU\Software\Example\Mine", operation).unwrap_err();
        assert_eq!(denied.commands(), ["hobnob enable registry"]);
    }
    let all = GrantSources { keys: vec![row("HKCU", "write", None)], ..GrantSources::default() };
    let denied = ask(&enabled(all), "HKCU", KeyOperation::DeleteKey).unwrap_err();
    assert_eq!(*denied.reason(), NotGrantedReason::GrantedItself);
}

#[test]
fn a_view_is_granted_by_itself() {
    let set = enabled(sources());
    let in_view = |view| {
        let key = r"HKLM\Software\Wide".into();
        set.permit_key(LOCAL, KeyWish { key, view, operation: KeyOperation::List }).is_ok()
    };
    assert!(in_view(KeyView::Bits64) && !in_view(KeyView::Bits32) && !in_view(KeyView::Native));
}

#[test]
fn before_any_grant_the_line_is_named() {
    let wish = KeyWish { key: "HKCU".into(), view: KeyView::Native, operation: write() };
    let denied = GrantSet::nothing().permit_key(principal("eve"), wish).unwrap_err();
    let grant = "hobnob grant registry HKCU --write --for eve";
    assert_eq!(denied.commands(), ["hobnob enable registry", grant]);
    assert!(!format!("{:?}", write()).contains("canary"));
}

proptest! {
    #[test]
    fn a_key_is_read_back(key in "HK(CU|LM|U)(\\\\[a-zA-Z ./-]{0,4}){0,4}") {
        if let Ok(read) = RegistryKey::parse(&key) {
            prop_assert_eq!(read.to_string(), key);
            prop_assert!(read.is_within(&read));
        }
    }
}
