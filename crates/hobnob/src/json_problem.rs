//! Describes what is wrong with JSON that a person typed. It leaves out the position: the text is
//! on the line above, and usually a quote is missing.

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
