//! Prompts as people write them.

use super::PromptIntent::{self, Neither, Recall, Remember};

#[test]
fn words_tell_what_a_prompt_asks_of_memory() {
    for (prompt, expected) in [
        ("Remember that we deploy on Fridays", Remember),
        ("Please don’t forget: the port is 8080", Remember),
        ("From now on, use tabs.", Remember),
        ("Remind me to rotate the keys", Remember),
        ("we decided to use PostgreSQL", Remember),
        ("Do you remember which database we chose?", Recall),
        ("What did we decide about the database?", Recall),
        ("I don't remember the port", Recall),
        ("remind me what the port is", Recall),
        ("Why did we drop Redis last time?", Recall),
        ("Don't remember this: it is a draft", Neither),
        ("Fix the build", Neither),
        ("Write a member function", Neither),
        ("Rename `remembered` to `stored`", Neither),
        ("", Neither),
    ] {
        assert_eq!(PromptIntent::of_words(prompt), expected, "{prompt}");
    }
    let late = format!("{} remember this", "ü".repeat(8 << 10));
    assert_eq!(PromptIntent::of_words(&late), Neither, "only the beginning counts");
    assert_eq!(PromptIntent::parse(" Recall\n"), Some(Recall));
    assert_eq!(PromptIntent::parse("both"), None);
}
