//! Answers of models that were asked for one of three words.

use super::read;
use crate::memory::intent::PromptIntent::{Neither, Recall, Remember};

#[test]
fn one_of_three_words_is_read() {
    for (answer, expected) in [
        (r#"{"intent": "remember"}"#, Some(Remember)),
        ("Sure:\n```json\n{\"intent\":\"RECALL\"}\n```", Some(Recall)),
        ("\"Neither.\"", Some(Neither)),
        (r#"{"intent": "both"}"#, None),
        ("I would say remember or recall", None),
        ("", None),
    ] {
        assert_eq!(read(answer), expected, "{answer}");
    }
}
