//! The JSON cursor and the readers of one object find everything that `serde_json` writes.

use super::{any_json, any_object, config};
use hobnob_mcp_types::json::{Cursor, JsonError, elements, entries, field, write_string};
use proptest::prelude::*;
use serde_json::Value;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_written_value_is_read_to_its_end(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let mut cursor = Cursor::new(&text);
        let span = cursor.value();
        prop_assert_eq!(span.map(|span| span.of(&text)), Ok(text.as_str()));
        prop_assert_eq!(cursor.finish(), Ok(()));
    }

    #[test]
    fn members_are_found_with_their_values_in_order(object in any_object()) {
        let text = Value::Object(object.clone()).to_string();
        let found = entries(&text);
        prop_assert_eq!(found.len(), object.len());
        for ((key, raw), (expected, value)) in found.iter().zip(&object) {
            prop_assert_eq!(key.as_ref(), expected);
            prop_assert_eq!(&serde_json::from_str::<Value>(raw).unwrap(), value);
            prop_assert_eq!(field(&text, key), Some(*raw));
        }
    }

    #[test]
    fn elements_are_found_in_order(items in prop::collection::vec(any_json(), 0..12)) {
        let text = Value::from(items.clone()).to_string();
        let found: Vec<Value> =
            elements(&text).into_iter().map(|raw| serde_json::from_str(raw).unwrap()).collect();
        prop_assert_eq!(found, items);
    }

    /// A duplicate key is refused at every position and among any number of members.
    #[test]
    fn a_key_that_is_there_twice_is_refused(
        object in any_object(),
        again in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!object.is_empty());
        let mut members: Vec<(&String, &Value)> = object.iter().collect();
        let twin = members[again.index(members.len())];
        members.insert(place.index(members.len() + 1), twin);
        let mut text = String::from("{");
        for (at, (key, value)) in members.into_iter().enumerate() {
            text.push_str(if at == 0 { "" } else { "," });
            write_string(&mut text, key);
            text.push(':');
            text.push_str(&value.to_string());
        }
        text.push('}');
        let refused = Cursor::new(&text).value();
        prop_assert!(matches!(refused, Err(JsonError::DuplicateKey(_))), "{:?}", refused);
    }
}
