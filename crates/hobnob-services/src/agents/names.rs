//! Valid names of sessions and models, and valid ids of a program's conversations.
//!
//! Some of them become arguments of a command line, so none may begin with `-`.

/// Longest name of a session, in characters.
pub(super) const MAX_NAME: usize = 64;
/// Longest name of a model, or id of a program's conversation, in bytes.
const MAX_ID_LENGTH: usize = 128;

/// Whether this is a valid name for a session.
pub(super) fn is_session_name(name: &str) -> bool {
    name.len() <= MAX_NAME && is_word(name, b"_.-")
}

/// Whether this is a valid name of a model.
pub(super) fn is_model_name(name: &str) -> bool {
    name.len() <= MAX_ID_LENGTH && is_word(name, b"_.-:/@[]")
}

/// Whether this is a valid id of a program's conversation.
pub(super) fn is_program_session(id: &str) -> bool {
    id.len() <= MAX_ID_LENGTH && is_word(id, b"_.-")
}

/// The name as messages repeat it: shortened, with invisible characters escaped.
pub(super) fn shown_name(name: &str) -> String {
    hobnob_text::visible(name).chars().take(MAX_NAME).collect()
}

fn is_word(text: &str, also: &[u8]) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || also.contains(&byte);
    text.bytes().all(fits) && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
}
