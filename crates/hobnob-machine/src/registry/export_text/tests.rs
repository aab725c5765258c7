//! Files of `reg export`, of Windows and of Wine, and damaged files.

use hobnob_policy::{RegistryValue, ValueName};
use proptest::prelude::{any, proptest};

use super::parse_export;
use crate::registry::stored::{KeyContents, NamedValue, ReadFidelity, StoredData};

fn file(text: &str) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xfe];
    let whole = format!("Windows Registry Editor Version 5.00\r\n\r\n{text}");
    bytes.extend(whole.encode_utf16().flat_map(u16::to_le_bytes));
    bytes
}

fn parse(text: &str) -> KeyContents {
    parse_export(&file(text)).unwrap()
}

#[test]
fn values_of_every_type_are_read() {
    let text = |text: &str| RegistryValue::Text(text.into());
    let texts =
        |texts: &[&str]| RegistryValue::Texts(texts.iter().map(|it| (*it).into()).collect());
    let rows = [
        (r#""n"="a \"b\" \\""#, text(r#"a "b" \"#)),
        (r#""n"="a\r\nb""#, text("a\r\nb")),
        (
            "\"n\"=\"a\r\n\r\n[HKEY_CURRENT_USER\\\\Other]\r\n\"",
            text("a\r\n\r\n[HKEY_CURRENT_USER\\Other]\r\n"),
        ),
        (r#""n"="日本 Ā""#, text("日本 Ā")),
        (r#""n"="""#, text("")),
        (r#""n"=dword:ffffffff"#, RegistryValue::Number32(u32::MAX)),
        (r#""n"=hex(b):ff,ff,ff,ff,ff,ff,ff,ff"#, RegistryValue::Number64(u64::MAX)),
        (r#""n"=hex:00,ff"#, RegistryValue::Bytes(vec![0, 255])),
        (r#""n"=hex:"#, RegistryValue::Bytes(vec![])),
        ("\"n\"=hex:00,\\\r\n  01,\\\r\n  02", RegistryValue::Bytes(vec![0, 1, 2])),
        (r#""n"=hex(1):61,00,00,00"#, text("a")),
        (r#""n"=hex(1):61,00,00,00,62,00,00,00"#, text("a\0b")),
        (r#""n"=hex(2):25,00,00,00"#, RegistryValue::ExpandableText("%".into())),
        (r#""n"=hex(4):01,00,00,00"#, RegistryValue::Number32(1)),
        (r#""n"=hex(7):61,00,00,00,e9,00,00,00,00,00"#, texts(&["a", "é"])),
        (r#""n"=hex(7):00,00"#, texts(&[])),
    ];
    for (row, value) in rows {
        let contents = parse(&format!("[HKEY_CURRENT_USER\\T]\r\n{row}\r\n\r\n"));
        let name = ValueName::Named("n".into());
        assert_eq!(contents.values, [NamedValue { name, data: StoredData::Known(value) }], "{row}");
        assert_eq!((contents.keys.len(), contents.fidelity), (0, ReadFidelity::Exact));
    }
}

#[test]
fn other_types_keep_their_bytes() {
    let rows = [
        ("hex(0):", "REG_NONE", vec![]),
        ("hex(6):01", "REG_LINK", vec![1]),
        ("hex(b):01,02", "REG_QWORD", vec![1, 2]),
        ("hex(2):01", "REG_EXPAND_SZ", vec![1]),
        ("hex(12ab):01", "0x12ab", vec![1]),
    ];
    for (row, type_name, bytes) in rows {
        let contents = parse(&format!("[HKEY_CURRENT_USER\\T]\r\n@={row}\r\n"));
        let data = StoredData::Other { type_name: type_name.into(), bytes: Some(bytes) };
        assert_eq!(contents.values, [NamedValue { name: ValueName::Default, data }], "{row}");
    }
}

#[test]
fn only_the_exported_key_has_values_and_only_the_nearest_keys_have_names() {
    let contents = parse(
        "[HKEY_CURRENT_USER\\T]\r\n\"quo\\\"te\\\\\"=\"1\"\r\n\r\n\
         [HKEY_CURRENT_USER\\T\\sub key]\r\n\"x\"=\"2\"\r\n\r\n\
         [HKEY_CURRENT_USER\\T\\sub key\\deep]\r\n\r\n\
         [HKEY_CURRENT_USER\\T\\sub[1]]\r\n\"y\"=hex:00,\\\r\n  01\r\n",
    );
    assert_eq!(contents.keys, ["sub key", "sub[1]"]);
    let names: Vec<_> = contents.values.into_iter().map(|value| value.name).collect();
    assert_eq!(names, [ValueName::Named(r#"quo"te\"#.into())]);
}

#[test]
fn damaged_files_are_refused() {
    for text in [
        "",
        "\"n\"=\"no end",
        "[HKEY_CURRENT_USER\\T",
        "[HKEY_CURRENT_USER\\T]\r\nword\r\n",
        "[HKEY_CURRENT_USER\\T]\r\n\"n\"=dword:x\r\n",
        "[HKEY_CURRENT_USER\\T]\r\n\"n\"=hex:xyz\r\n",
        "[HKEY_CURRENT_USER\\T]\r\n\"n\"=hex(7:00\r\n",
        "[HKEY_CURRENT_USER\\T]\r\n\r\n[HKEY_CURRENT_USER\\Other]\r\n",
    ] {
        parse_export(&file(text)).expect_err(text);
    }
    parse_export(b"REGEDIT4\r\n").unwrap_err();
    parse_export(&[]).unwrap_err();
}

proptest! {
    #[test]
    fn no_file_and_no_text_panics(bytes in any::<Vec<u8>>(), text in ".{0,80}") {
        parse_export(&bytes).ok();
        parse_export(&file(&format!("[HKEY_CURRENT_USER\\T]\r\n{text}"))).ok();
    }

    #[test]
    fn every_text_is_read_as_it_was(text in any::<String>()) {
        let escaped = text.replace('\\', r"\\").replace('"', "\\\"");
        let contents = parse(&format!("[HKEY_CURRENT_USER\\T]\r\n\"n\"=\"{escaped}\"\r\n"));
        let data = StoredData::Known(RegistryValue::Text(text));
        assert_eq!(contents.values[0].data, data);
    }
}
