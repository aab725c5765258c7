//! What callers and programs may call things: sessions, models, and a program's own conversations.
//!
//! Some of these become words of a command line, so none of them may begin with `-`.

/// Bytes that the name of a session may have.
pub(super) const LONGEST_NAME: usize = 64;
/// Bytes that the name of a model, or a program's id of a conversation, may have.
const LONGEST_WORD: usize = 128;

/// Whether a session can have this name.
pub(super) fn is_session_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME && is_word(name, b"_.-")
}

/// Whether a model can have this name.
pub(super) fn is_model_name(name: &str) -> bool {
    name.len() <= LONGEST_WORD && is_word(name, b"_.-:/@[]")
}

/// Whether this can be a program's id of a conversation.
pub(super) fn is_program_session(id: &str) -> bool {
    id.len() <= LONGEST_WORD && is_word(id, b"_.-")
}

/// A name as a message repeats it: nothing invisible in it, and not too long.
pub(super) fn shown_name(name: &str) -> String {
    hobnob_text::visible(name).chars().take(LONGEST_NAME).collect()
}

fn is_word(text: &str, also: &[u8]) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || also.contains(&byte);
    text.bytes().all(fits) && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
}
