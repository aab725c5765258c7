//! Wine's registry, through permits: values are read back as written, in both views, and refused if
//! `reg` cannot take them. A stand-in for `reg` shows what Wine never does.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::AtomicBool;

use hobnob_machine::registry::{
    KeyContents, KeyOutcome, NamedValue, ReadFidelity, Registry, RegistryError, StoredData,
    WriteDurability,
};
use hobnob_policy::{
    CallerPlace, GrantSet, GrantSources, GrantSubject, KeyGrantSource, KeyOperation, KeyView,
    KeyWish, RegistryValue, ValueName,
};

use crate::wine::Wine;

const KEY: &str = r"HKCU\Software\Hobnob test";

/// Performs actions that the tests' grants allow.
struct Keys(Registry);

impl Keys {
    fn ask(
        &self,
        key: &str,
        view: KeyView,
        operation: KeyOperation,
    ) -> Result<KeyOutcome, RegistryError> {
        let grant = |key: &str| KeyGrantSource {
            key: key.into(),
            access: "write".into(),
            view: None,
            principal: None,
        };
        let sources = GrantSources {
            services: vec![("registry".into(), "read-write".into())],
            keys: vec![grant("HKCU"), grant("HKLM")],
            ..GrantSources::default()
        };
        let who = GrantSubject { principal: None, place: CallerPlace::Local };
        let wish = KeyWish { key: key.into(), view, operation };
        let permit = GrantSet::parse(&sources).unwrap().permit_key(who, wish).unwrap();
        self.0.perform(&permit, &AtomicBool::new(false))
    }

    fn write(&self, key: &str, name: &ValueName, value: &RegistryValue) -> WriteDurability {
        let operation = KeyOperation::Write { name: name.clone(), value: value.clone() };
        match self.ask(key, KeyView::Native, operation).unwrap() {
            KeyOutcome::Changed(durability) => durability,
            other => panic!("{other:?}"),
        }
    }

    fn read(
        &self,
        key: &str,
        view: KeyView,
        name: &ValueName,
    ) -> Result<NamedValue, RegistryError> {
        match self.ask(key, view, KeyOperation::Read { value: Some(name.clone()) })? {
            KeyOutcome::Value(value, ReadFidelity::Exact) => Ok(value),
            other => panic!("{other:?}"),
        }
    }

    fn contents(&self, key: &str) -> Result<KeyContents, RegistryError> {
        match self.ask(key, KeyView::Native, KeyOperation::List)? {
            KeyOutcome::Contents(contents) => Ok(contents),
            other => panic!("{other:?}"),
        }
    }
}

fn named(name: &str) -> ValueName {
    ValueName::Named(name.into())
}

fn text(text: &str) -> RegistryValue {
    RegistryValue::Text(text.into())
}

/// Writes each value and reads it back, and then reads all of them.
fn check_round_trips(written: &[(ValueName, RegistryValue)]) {
    let Some(wine) = Wine::find() else { return };
    let keys = Keys(Registry::of_wine(wine.program.clone(), wine.prefix().into()));
    for (name, value) in written {
        keys.write(KEY, name, value);
        let read = keys.read(KEY, KeyView::Native, name).unwrap();
        assert_eq!((&read.name, &read.data), (name, &StoredData::Known(value.clone())));
    }
    let mut names: Vec<_> = written.iter().map(|(name, _)| format!("{name:?}")).collect();
    let contents = keys.contents(KEY).unwrap();
    let mut found: Vec<_> = contents.values.iter().map(|it| format!("{:?}", it.name)).collect();
    names.sort();
    found.sort();
    assert_eq!(found, names);
}

#[test]
fn texts_written_to_wine_are_read_as_they_were() {
    let long = "x日".repeat(10_000);
    check_round_trips(&[
        (ValueName::Default, text("without a name")),
        (named("(Default)"), text("a name like the word for none")),
        (named("letters Ā 日本 é"), text("letters Ā 日本 é 🦀")),
        (named("quo\"te\\"), text("a \"quoted\\\" text\\\\")),
        (named("breaks"), text("a\r\n    fake    REG_SZ    b\n\n[HKEY_CURRENT_USER\\x]\r\n")),
        (named(" spaces "), text("  spaces  ")),
        (named("/value"), text("/f /reg:32")),
        (named("%PATH%"), text("%PATH% $HOME `id` $(id)")),
        (named("long"), text(&long)),
    ]);
}

#[test]
fn values_of_every_type_written_to_wine_are_read_as_they_were() {
    let texts =
        |texts: &[&str]| RegistryValue::Texts(texts.iter().map(|it| (*it).into()).collect());
    check_round_trips(&[
        (named("empty"), text("")),
        (named("expandable"), RegistryValue::ExpandableText(r"%SystemRoot%\x".into())),
        (named("list"), texts(&[r"C:\0", "a|b", "日"])),
        (named("empty list"), texts(&[])),
        (named("number"), RegistryValue::Number32(u32::MAX)),
        (named("large"), RegistryValue::Number64(u64::MAX)),
        (named("bytes"), RegistryValue::Bytes(vec![0, 13, 10, 255])),
        (named("no bytes"), RegistryValue::Bytes(vec![])),
    ]);
}

#[test]
fn keys_of_wine_are_listed_by_their_names_and_found_in_any_case() {
    let Some(wine) = Wine::find() else { return };
    let keys = Keys(Registry::of_wine(wine.program.clone(), wine.prefix().into()));
    keys.write(&format!(r"{KEY}\a key\below 日"), &named("plain"), &text("y"));
    keys.write(&format!(r"{KEY}\b[1]"), &ValueName::Default, &text("y"));
    assert_eq!(keys.contents(KEY).unwrap().keys, ["a key", "b[1]"]);
    let key = format!(r"{KEY}\a key");
    assert_eq!(keys.contents(&key).unwrap().keys, ["below 日"]);
    let key = format!(r"{key}\below 日").to_uppercase();
    let read = keys.read(&key, KeyView::Native, &named("PLAIN")).unwrap();
    assert_eq!(read.data, StoredData::Known(text("y")));
}

#[test]
fn a_write_to_wine_is_on_the_disk_and_a_deletion_deletes_only_what_it_names() {
    let Some(wine) = Wine::find() else { return };
    let keys = Keys(Registry::of_wine(wine.program.clone(), wine.prefix().into()));
    let below = format!(r"{KEY}\below");
    // On a busy machine Wine may take longer than a write waits for it, and then reports that.
    let kept = text("a value that is kept");
    let saved = |_| keys.write(KEY, &named("kept"), &kept) == WriteDurability::Saved;
    assert!((0..20).any(saved));
    assert!(wine.saved().contains("a value that is kept"), "{}", wine.saved());
    keys.write(KEY, &named("gone"), &text("x"));
    keys.write(&below, &named("gone"), &text("x"));

    let delete = KeyOperation::DeleteValue { name: named("gone") };
    keys.ask(KEY, KeyView::Native, delete.clone()).unwrap();
    let missing = |outcome: Result<NamedValue, RegistryError>| {
        assert!(matches!(outcome, Err(RegistryError::Missing)), "{outcome:?}");
    };
    missing(keys.read(KEY, KeyView::Native, &named("gone")));
    keys.read(KEY, KeyView::Native, &named("kept")).unwrap();
    keys.read(&below, KeyView::Native, &named("gone")).unwrap();
    let again = keys.ask(KEY, KeyView::Native, delete);
    assert!(matches!(again, Err(RegistryError::Refused)), "{again:?}");

    keys.ask(&below, KeyView::Native, KeyOperation::DeleteKey).unwrap();
    missing(keys.read(&below, KeyView::Native, &named("gone")));
    keys.read(KEY, KeyView::Native, &named("kept")).unwrap();
    assert!(matches!(keys.contents(&below), Err(RegistryError::Missing)));
}

#[test]
fn the_two_views_of_wine_are_told_apart() {
    let Some(wine) = Wine::find() else { return };
    let keys = Keys(Registry::of_wine(wine.program.clone(), wine.prefix().into()));
    let key = r"HKLM\Software\Hobnob";
    for (view, value) in [(KeyView::Bits32, "of 32 bits"), (KeyView::Bits64, "of 64 bits")] {
        let operation = KeyOperation::Write { name: named("which"), value: text(value) };
        keys.ask(key, view, operation).unwrap();
    }
    for (view, value) in [
        (KeyView::Bits32, "of 32 bits"),
        (KeyView::Bits64, "of 64 bits"),
        (KeyView::Native, "of 64 bits"),
    ] {
        let read = keys.read(key, view, &named("which")).unwrap();
        assert_eq!(read.data, StoredData::Known(text(value)), "{view:?}");
    }
    keys.ask(key, KeyView::Bits32, KeyOperation::DeleteKey).unwrap();
    keys.read(key, KeyView::Bits64, &named("which")).unwrap();
    keys.read(key, KeyView::Bits32, &named("which")).unwrap_err();
}

#[test]
fn words_that_could_be_options_never_reach_a_program() {
    // There is no such program, so any value that reached it would cause another error.
    let keys = Keys(Registry::of_system("/nowhere/reg".into()));
    let refused = [
        KeyOperation::Write { name: named("/v"), value: text("x") },
        KeyOperation::Write { name: named("x"), value: text("/f") },
        KeyOperation::DeleteValue { name: named("/va") },
    ];
    for operation in refused {
        let outcome = keys.ask(KEY, KeyView::Native, operation);
        assert!(matches!(outcome, Err(RegistryError::Unusable(_))), "{outcome:?}");
    }
    let outcome = keys.ask(KEY, KeyView::Native, KeyOperation::DeleteKey);
    assert!(matches!(outcome, Err(RegistryError::NotRun(_))), "{outcome:?}");
}

/// A program that runs a script; `$1` is the command.
fn stand_in(folder: &tempfile::TempDir, script: &str) -> Keys {
    let program = folder.path().join("reg");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    Keys(Registry::of_system(program))
}

#[test]
fn a_key_that_cannot_be_exported_is_read_as_it_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
        test "$1" = query || exit 1
        printf '\r\nHKEY_CURRENT_USER\\Software\\Hobnob test\r\n'
        case "$3" in
            /ve) printf '    (Standard)    REG_SZ    a\r\n\r\n';;
            /v) printf '    %s    REG_SZ    one\r\n    two    REG_SZ    x\r\n\r\n' "$4";;
            *) printf '    (Standard)    REG_SZ    a\r\n    (x)    REG_SZ    b\r\n\r\n'
               printf 'HKEY_CURRENT_USER\\Software\\Hobnob test\\below\r\n';;
        esac"#;
    let keys = stand_in(&folder, script);
    let contents = keys.contents(KEY).unwrap();
    let names: Vec<_> = contents.values.iter().map(|value| value.name.clone()).collect();
    assert_eq!(names, [ValueName::Default, named("(x)")]);
    assert_eq!((contents.keys, contents.fidelity), (vec!["below".into()], ReadFidelity::Printed));
    for (name, value) in [(ValueName::Default, "a"), (named("n"), "one\r\n    two    REG_SZ    x")]
    {
        let operation = KeyOperation::Read { value: Some(name) };
        let outcome = keys.ask(KEY, KeyView::Native, operation).unwrap();
        let KeyOutcome::Value(read, ReadFidelity::Printed) = outcome else { panic!("{outcome:?}") };
        assert_eq!(read.data, StoredData::Known(text(value)));
    }
}

#[test]
fn a_program_that_never_stops_writing_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
        case "$1" in
            export) exec cat /dev/zero >"$3";;
            query) exec cat /dev/zero;;
        esac"#;
    let outcome = stand_in(&folder, script).contents(KEY);
    assert!(matches!(outcome, Err(RegistryError::TooMuch)), "{outcome:?}");
}
