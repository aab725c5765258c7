//! The arguments of each action, and values that are refused because they could be an option.

use std::borrow::Cow;

use hobnob_policy::{
    CallerPlace, GrantSet, GrantSources, GrantSubject, KeyAction, KeyGrantSource, KeyOperation,
    KeyView, KeyWish, Permit, RegistryValue, ValueName,
};

use super::{change, export, query};

fn permit(view: KeyView, operation: KeyOperation) -> Permit<KeyAction> {
    let key = r"HKCU\Software".to_owned();
    let access = "write".to_owned();
    let sources = GrantSources {
        services: vec![("registry".into(), "read-write".into())],
        keys: vec![KeyGrantSource { key, access, view: None, principal: None }],
        ..GrantSources::default()
    };
    let who = GrantSubject { principal: None, place: CallerPlace::Local };
    let wish = KeyWish { key: r"HKCU\Software\A b".into(), view, operation };
    GrantSet::parse(&sources).unwrap().permit_key(who, wish).unwrap()
}

fn named(name: &str) -> ValueName {
    ValueName::Named(name.into())
}

fn write(name: &str, value: RegistryValue) -> KeyOperation {
    KeyOperation::Write { name: named(name), value }
}

#[test]
fn every_change_is_one_run_with_the_callers_values_as_words() {
    let text = |text: &str| RegistryValue::Text(text.into());
    let texts =
        |texts: &[&str]| RegistryValue::Texts(texts.iter().map(|it| (*it).into()).collect());
    let check = |view, operation, expected: &[&str]| {
        let permit = permit(view, operation);
        assert_eq!(change(permit.request()).unwrap().unwrap(), expected);
    };
    let key = r"HKCU\Software\A b";
    let native = KeyView::Native;
    check(native, KeyOperation::DeleteKey, &["delete", key, "/f"]);
    let value = KeyOperation::DeleteValue { name: ValueName::Default };
    check(KeyView::Bits32, value, &["delete", key, "/ve", "/f", "/reg:32"]);
    let value = KeyOperation::DeleteValue { name: named("x /f") };
    check(KeyView::Bits64, value, &["delete", key, "/v", "x /f", "/f", "/reg:64"]);
    for (data, type_name, word) in [
        (text("a \"b\"\n/d"), "REG_SZ", "a \"b\"\n/d"),
        (text(""), "REG_SZ", ""),
        (RegistryValue::ExpandableText("%A%".into()), "REG_EXPAND_SZ", "%A%"),
        (RegistryValue::Number32(u32::MAX), "REG_DWORD", "4294967295"),
        (RegistryValue::Number64(u64::MAX), "REG_QWORD", "18446744073709551615"),
        (RegistryValue::Bytes(vec![0, 255]), "REG_BINARY", "00ff"),
        (RegistryValue::Bytes(vec![]), "REG_BINARY", ""),
    ] {
        let words = ["add", key, "/v", "n", "/t", type_name, "/d", word, "/f"];
        check(native, write("n", data), &words);
    }
    let list = ["add", key, "/v", "n", "/t", "REG_MULTI_SZ", "/s", ";", "/d", r"a|b;C:\0", "/f"];
    check(native, write("n", texts(&["a|b", r"C:\0"])), &list);
    check(native, write("n", texts(&[])), &["add", key, "/v", "n", "/t", "REG_MULTI_SZ", "/f"]);
}

#[test]
fn reading_takes_the_callers_name_as_a_word() {
    let permit = permit(KeyView::Bits64, KeyOperation::List);
    let (key, view) = (permit.request().key(), permit.request().view());
    let words = query(key, view, Some(&named("-value"))).unwrap();
    assert_eq!(words, ["query", r"HKCU\Software\A b", "/v", "-value", "/reg:64"]);
    let words = query(key, view, Some(&ValueName::Default)).unwrap();
    assert_eq!(words, ["query", r"HKCU\Software\A b", "/ve", "/reg:64"]);
    let words = export(key, view, "out.reg");
    assert_eq!(words, ["export", r"HKCU\Software\A b", "out.reg", "/y", "/reg:64"]);
    assert_eq!(change(permit.request()).unwrap(), None);
}

#[test]
fn what_could_be_an_option_or_has_no_form_is_refused() {
    let texts =
        |texts: &[&str]| RegistryValue::Texts(texts.iter().map(|it| (*it).into()).collect());
    let text = |text: &str| RegistryValue::Text(text.into());
    let long = "x".repeat(24_001);
    let separators: String = super::SEPARATORS.iter().collect();
    let refused: [(KeyOperation, Cow<'_, str>); 10] = [
        (write("/v", text("a")), "option".into()),
        (write("-REG:64", text("a")), "option".into()),
        (write("n", text("/F")), "option".into()),
        (write("n", text("-ve")), "option".into()),
        (write("n", text("/?")), "option".into()),
        (write("n", texts(&["/d"])), "option".into()),
        (KeyOperation::DeleteValue { name: named("/va") }, "option".into()),
        (write("n", texts(&["a", "", "b"])), "empty text".into()),
        (write("n", texts(&[&separators, "b"])), "separate".into()),
        (write("n", text(&long)), "longer".into()),
    ];
    for (operation, part) in refused {
        let permit = permit(KeyView::Native, operation);
        let message = change(permit.request()).unwrap_err().to_string();
        assert!(message.contains(&*part), "{message}");
    }
}
