//! Writes and removes one server's entry in a JSON text.
//!
//! `plan` calls it with a text that it has parsed, and compares the meaning of the result.

use jsonc_parser::cst::CstObjectProp;
use serde_json::{Map, Value};

use crate::edit_json::{json_tree, set_members};

/// The text with these members in the entry, and without those of the dropped keys. `None` if
/// something on the path is not an object.
pub(super) fn set_entry(
    text: &str,
    [servers, name]: [&str; 2],
    members: &Map<String, Value>,
    dropped: &[&str],
) -> Option<String> {
    let tree = json_tree(text).ok()?;
    let root = tree.object_value_or_create()?;
    let entry = Map::from_iter([(name.to_owned(), Value::Object(members.clone()))]);
    match root.get(servers) {
        None => {
            set_members(&root, &Map::from_iter([(servers.to_owned(), Value::Object(entry))]));
        }
        Some(table) => {
            let table = table.object_value()?;
            match table.get(name) {
                None => set_members(&table, &entry),
                Some(old) => {
                    let old = old.object_value()?;
                    dropped.iter().filter_map(|key| old.get(key)).for_each(CstObjectProp::remove);
                    set_members(&old, members);
                }
            }
        }
    }
    Some(tree.to_string())
}

/// The text without the entry; unchanged if there is none.
pub(super) fn remove_entry(text: &str, [servers, name]: [&str; 2]) -> Option<String> {
    let tree = json_tree(text).ok()?;
    if let Some(table) = tree.object_value().and_then(|root| root.get(servers)) {
        table.object_value()?.get(name).into_iter().for_each(CstObjectProp::remove);
    }
    Some(tree.to_string())
}
