//! Output of `reg query`: of Windows in some languages, of Wine, and text that is neither.

use hobnob_policy::{RegistryKey, RegistryValue, ValueName};

use super::{decode_printed, default_word, parse_one, parse_query};
use crate::registry::stored::{NamedValue, StoredData};

const ALL: &str = "\r\n\
    HKEY_CURRENT_USER\\Software\\T\r\n\
    \x20   (Default)    REG_SZ    a default\r\n\
    \x20   two  spaces    REG_EXPAND_SZ    %PATH%    and more\r\n\
    \x20   list    REG_MULTI_SZ    one\\0two\r\n\
    \x20   number    REG_DWORD    0xffffffff\r\n\
    \x20   large    REG_QWORD    0xffffffffffffffff\r\n\
    \x20   bytes    REG_BINARY    00FF10\r\n\
    \x20   none    REG_NONE    0A\r\n\
    \x20   empty    REG_SZ    \r\n\
    \x20   lines    REG_SZ    first\nsecond\r\nthird\r\n\
    \r\n\
    HKEY_CURRENT_USER\\Software\\T\\sub key\r\n\
    HKEY_CURRENT_USER\\Software\\T\\other\r\n";

fn key() -> RegistryKey {
    RegistryKey::parse(r"HKCU\Software\T").unwrap()
}

fn text(text: &str) -> StoredData {
    StoredData::Known(RegistryValue::Text(text.into()))
}

#[test]
fn values_of_every_type_and_the_keys_below_are_read() {
    let contents = parse_query(ALL, &key(), Some("(Default)")).unwrap();
    assert_eq!(contents.keys, ["sub key", "other"]);
    let named = |name: &str| ValueName::Named(name.into());
    let known = StoredData::Known;
    let expected = [
        (ValueName::Default, text("a default")),
        (named("two  spaces"), known(RegistryValue::ExpandableText("%PATH%    and more".into()))),
        (named("list"), known(RegistryValue::Texts(vec!["one".into(), "two".into()]))),
        (named("number"), known(RegistryValue::Number32(u32::MAX))),
        (named("large"), known(RegistryValue::Number64(u64::MAX))),
        (named("bytes"), known(RegistryValue::Bytes(vec![0, 255, 16]))),
        (named("none"), StoredData::Other { type_name: "REG_NONE".into(), bytes: Some(vec![10]) }),
        (named("empty"), text("")),
        (named("lines"), text("first\nsecond\r\nthird")),
    ];
    let expected = expected.map(|(name, data)| NamedValue { name, data });
    assert_eq!(contents.values, expected);
}

#[test]
fn the_value_without_a_name_has_a_word_in_every_language() {
    for word in ["(Default)", "(Standard)", "(par défaut)", "(既定)", "(По умолчанию)"]
    {
        let printed =
            format!("\r\nHKEY_CURRENT_USER\\Software\\T\r\n    {word}    REG_SZ    x\r\n\r\n");
        assert_eq!(default_word(&printed), Some(word));
        let contents = parse_query(&printed, &key(), Some(word)).unwrap();
        assert_eq!(contents.values[0].name, ValueName::Default);
        let other = parse_query(&printed, &key(), None).unwrap();
        assert_eq!(other.values[0].name, ValueName::Named(word.into()));
    }
}

#[test]
fn one_value_is_all_that_stands_behind_its_type() {
    let check = |printed: &str, expected: StoredData| {
        let name = ValueName::Named("n".into());
        let printed = format!("\r\nHKEY_CURRENT_USER\\Software\\T\r\n    n    {printed}\r\n\r\n");
        assert_eq!(parse_one(&printed, &name).unwrap(), NamedValue { name, data: expected });
    };
    check("REG_SZ    plain", text("plain"));
    check("REG_SZ    ", text(""));
    check("REG_SZ    a\r\n    x    REG_SZ    b\r\nc", text("a\r\n    x    REG_SZ    b\r\nc"));
    // Wine 8 does not print 64-bit numbers.
    let unknown = StoredData::Other { type_name: "REG_QWORD".into(), bytes: None };
    check("REG_QWORD    (null)", unknown);
}

#[test]
fn what_nobody_prints_is_not_understood() {
    let name = ValueName::Named("n".into());
    for printed in ["ERROR: something", "HKEY_LOCAL_MACHINE\\Software\r\n"] {
        parse_query(printed, &key(), None).unwrap_err();
        parse_one(printed, &name).unwrap_err();
    }
    parse_query("\r\nHKEY_CURRENT_USER\\Software\\T\\a\\b\r\n", &key(), None).unwrap_err();
}

#[test]
fn letters_of_a_code_page_are_marked_as_unknown() {
    assert_eq!(decode_printed("é".as_bytes()), "é");
    assert_eq!(decode_printed(b"h\x82"), "h\u{fffd}");
}
