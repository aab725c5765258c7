//! Errors of the HTTP client as text for people.
//!
//! What must stay true: a description holds no line break and no URL, whose query may be a secret.

use std::error::Error as _;

/// The longest text shown of an error or of a server's answer, in characters.
const MAX_DESCRIPTION: usize = 300;

/// An error and its causes in one line, without the URL.
pub fn describe_error(error: reqwest::Error) -> Box<str> {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let reason = next.to_string();
        if !text.contains(&reason) {
            text.push_str(": ");
            text.push_str(&reason);
        }
        cause = next.source();
    }
    one_line(&text)
}

/// The beginning of a text, as one line that is safe to show.
pub fn one_line(text: &str) -> Box<str> {
    hobnob_text::plain_line(text, MAX_DESCRIPTION)
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn shown_texts_are_one_short_line() {
        assert_eq!(&*one_line(" a\r\n\u{1b}[31mb "), "a   [31mb");
        assert_eq!(one_line(&"ü".repeat(1000)).chars().count(), 300);
    }
}
