//! Values to JSON and back, and data that is no valid value.

use super::{TypeWord, shown};
use hobnob_machine::registry::StoredData;
use hobnob_policy::RegistryValue;
use serde_json::{Value, json};

#[test]
fn data_of_every_type_is_read_and_shown() {
    let texts =
        |texts: &[&str]| RegistryValue::Texts(texts.iter().map(|it| (*it).into()).collect());
    let check = |word: &str, data: Value, value: RegistryValue, back: Value| {
        let parsed = TypeWord::parse(word).unwrap().value(&data).unwrap();
        assert_eq!((&parsed, parsed.type_name()), (&value, value.type_name()), "{word} {data}");
        let stored = StoredData::Known(parsed);
        assert_eq!(shown(&stored), (value.type_name(), Some(back)));
    };
    check("REG_SZ", json!("a"), RegistryValue::Text("a".into()), json!("a"));
    check("expand_sz", json!("%a%"), RegistryValue::ExpandableText("%a%".into()), json!("%a%"));
    check("REG_MULTI_SZ", json!(["a", "b"]), texts(&["a", "b"]), json!(["a", "b"]));
    check("REG_MULTI_SZ", json!("a"), texts(&["a"]), json!(["a"]));
    check("REG_MULTI_SZ", json!([]), texts(&[]), json!([]));
    check(
        "reg_dword",
        json!(4_294_967_295_u32),
        RegistryValue::Number32(u32::MAX),
        json!(u32::MAX),
    );
    check("DWORD", json!("0x10"), RegistryValue::Number32(16), json!(16));
    let large = "18446744073709551615";
    check("REG_QWORD", json!(large), RegistryValue::Number64(u64::MAX), json!(large));
    check("REG_QWORD", json!(7), RegistryValue::Number64(7), json!("7"));
    check("REG_BINARY", json!("00fF"), RegistryValue::Bytes(vec![0, 255]), json!("00ff"));
    check("REG_BINARY", json!(""), RegistryValue::Bytes(vec![]), json!(""));
}

#[test]
fn data_that_does_not_fit_its_type_is_refused() {
    for (word, data) in [
        ("REG_SZ", json!(1)),
        ("REG_SZ", json!(null)),
        ("REG_EXPAND_SZ", json!(["a"])),
        ("REG_MULTI_SZ", json!(["a", 1])),
        ("REG_MULTI_SZ", json!({"a": "b"})),
        ("REG_DWORD", json!(-1)),
        ("REG_DWORD", json!(4_294_967_296_u64)),
        ("REG_DWORD", json!(1.5)),
        ("REG_DWORD", json!("ten")),
        ("REG_QWORD", json!("18446744073709551616")),
        ("REG_BINARY", json!("0")),
        ("REG_BINARY", json!("zz")),
        ("REG_BINARY", json!("é")),
    ] {
        let problem = TypeWord::parse(word).unwrap().value(&data).unwrap_err();
        assert!(problem.starts_with(word), "{problem}");
    }
    for word in ["", "REG_", "REG_NONE", "REG_REG_SZ", "string"] {
        assert_eq!(TypeWord::parse(word), None, "{word}");
    }
}

#[test]
fn other_types_are_shown_as_bytes() {
    let other = |bytes: Option<Vec<u8>>| StoredData::Other { type_name: "REG_LINK".into(), bytes };
    assert_eq!(shown(&other(Some(vec![1, 171]))), ("REG_LINK", Some(json!("01ab"))));
    assert_eq!(shown(&other(None)), ("REG_LINK", None));
}
