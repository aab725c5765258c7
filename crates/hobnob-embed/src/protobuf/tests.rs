//! Messages byte by byte: all wire types, and every way to end early.

use super::{BadMessage, FieldValue, MessageFields};

#[test]
fn all_wire_types_are_read() {
    let message = [
        0x08, 0x96, 0x01, // 1: 150
        0x12, 0x02, b'o', b'k', // 2: "ok"
        0x1D, 1, 2, 3, 4, // 3: four bytes
        0x21, 1, 2, 3, 4, 5, 6, 7, 8, // 4: eight bytes
        0x80, 0x01, 0x00, // 16: 0
    ];
    let fields: Result<Vec<_>, _> = MessageFields::new(&message).collect();
    let expected = vec![
        (1, FieldValue::Varint(150)),
        (2, FieldValue::Bytes(b"ok")),
        (3, FieldValue::Fixed32([1, 2, 3, 4])),
        (4, FieldValue::Fixed64([1, 2, 3, 4, 5, 6, 7, 8])),
        (16, FieldValue::Varint(0)),
    ];
    assert_eq!(fields, Ok(expected));
}

#[test]
fn a_damaged_message_ends_with_an_error() {
    let cases: [(&[u8], BadMessage); 7] = [
        (&[0x08], BadMessage::Truncated),
        (&[0x12, 0x05, b'o'], BadMessage::Truncated),
        (&[0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], BadMessage::Truncated),
        (&[0x1D, 1, 2, 3], BadMessage::Truncated),
        (&[0x21, 1, 2, 3, 4, 5, 6, 7], BadMessage::Truncated),
        (&[0x0B], BadMessage::WireType(3)),
        (&[0xFF; 11], BadMessage::TooLong),
    ];
    for (message, expected) in cases {
        let fields: Vec<_> = MessageFields::new(message).collect();
        assert_eq!(fields, [Err(expected)], "{message:?}");
    }
}
