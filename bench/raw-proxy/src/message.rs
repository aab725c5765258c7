//! Finds the id of a message and nothing else, with one pass of the parser that the other programs
//! here use. `http` calls it for requests, `upstream` for answers.

use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// The range of the id in the text; a notification has none.
pub(crate) fn id_in(message: &[u8]) -> serde_json::Result<Option<Range<usize>>> {
    let Message { id } = serde_json::from_slice(message)?;
    Ok(id.map(|id| {
        let start = id.get().as_ptr().addr() - message.as_ptr().addr();
        start..start + id.get().len()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_wherever_it_is() {
        let check = |message: &str, id: Option<&str>| {
            let found = id_in(message.as_bytes()).unwrap();
            assert_eq!(found.map(|range| &message[range]), id);
        };
        check(r#"{"jsonrpc":"2.0","id":17,"method":"ping"}"#, Some("17"));
        check(r#"{"params":{"id":1},"id":"a","method":"ping"}"#, Some(r#""a""#));
        check(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, None);
    }
}
