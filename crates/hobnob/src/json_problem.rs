//! What is wrong with JSON that a person typed, without the positions that only a parser needs: the
//! text is on the line above, and mostly a quote is missing.

use serde_json::Error;
use serde_json::error::Category;

/// The problem in words.
pub(crate) fn json_problem(error: &Error) -> String {
    match error.classify() {
        Category::Eof => "it ends too early".into(),
        Category::Syntax | Category::Data | Category::Io => {
            let full = error.to_string();
            full.split(" at line ").next().unwrap_or(&full).to_owned()
        }
    }
}
