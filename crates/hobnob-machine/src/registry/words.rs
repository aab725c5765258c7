//! The arguments of each run of `reg`. A caller's value is always an argument of its own, and never
//! one that `reg` could take for an option.

use hobnob_policy::{KeyAction, KeyOperation, KeyView, RegistryKey, RegistryValue, ValueName};
use hobnob_text::hex;

use super::problem::RegistryError;

/// UTF-16 units of all arguments together: Windows allows 32,767 with quotation marks and escapes.
const MAX_UNITS: usize = 24_000;

/// The words that are options after a `/` or a `-`, in any command of `reg`.
const OPTIONS: [&str; 19] = [
    "?", "c", "d", "e", "f", "h", "k", "n", "s", "se", "t", "v", "va", "ve", "y", "z", "reg:32",
    "reg:64", "help",
];

/// Candidates for the separator of a list's texts; one that occurs in none of them is used.
const SEPARATORS: [char; 12] =
    ['|', ';', ',', '~', '^', '#', '!', '+', '=', ':', '\u{e000}', '\u{e001}'];

/// Writes a key and all keys below it to a file.
pub(super) fn export(key: &RegistryKey, view: KeyView, file: &str) -> Vec<String> {
    with_view(["export".into(), key.to_string(), file.into(), "/y".into()].into(), view)
}

/// Prints one value of a key, or all values and the keys below it.
pub(super) fn query(
    key: &RegistryKey,
    view: KeyView,
    value: Option<&ValueName>,
) -> Result<Vec<String>, RegistryError> {
    let mut words = vec!["query".to_owned(), key.to_string()];
    if let Some(name) = value {
        words.extend(of_name(name)?);
    }
    Ok(with_view(words, view))
}

/// The arguments for the action's change; `None` for an action that only reads.
pub(super) fn change(action: &KeyAction) -> Result<Option<Vec<String>>, RegistryError> {
    let key = action.key().to_string();
    let mut words = match action.operation() {
        KeyOperation::Read { .. } | KeyOperation::List => return Ok(None),
        KeyOperation::Write { name, value } => {
            let mut words = vec!["add".to_owned(), key];
            words.extend(of_name(name)?);
            words.extend(of_value(value)?);
            words
        }
        KeyOperation::DeleteValue { name } => {
            let mut words = vec!["delete".to_owned(), key];
            words.extend(of_name(name)?);
            words
        }
        KeyOperation::DeleteKey => vec!["delete".to_owned(), key],
    };
    words.push("/f".into());
    let words = with_view(words, action.view());
    let units: usize = words.iter().map(|word| word.encode_utf16().count() + 1).sum();
    match units <= MAX_UNITS {
        true => Ok(Some(words)),
        false => Err(RegistryError::Unusable(
            "the value is longer than `reg` takes: about 24,000 characters, or 12,000 bytes",
        )),
    }
}

fn with_view(mut words: Vec<String>, view: KeyView) -> Vec<String> {
    match view {
        KeyView::Native => {}
        KeyView::Bits32 => words.push("/reg:32".into()),
        KeyView::Bits64 => words.push("/reg:64".into()),
    }
    words
}

fn of_name(name: &ValueName) -> Result<Vec<String>, RegistryError> {
    match name {
        ValueName::Default => Ok(vec!["/ve".into()]),
        ValueName::Named(name) => Ok(vec!["/v".into(), data_word(name)?]),
    }
}

fn of_value(value: &RegistryValue) -> Result<Vec<String>, RegistryError> {
    let mut words = vec!["/t".to_owned(), value.type_name().to_owned()];
    let data = match value {
        RegistryValue::Text(text) | RegistryValue::ExpandableText(text) => data_word(text)?,
        RegistryValue::Texts(texts) => {
            let Some((separator, joined)) = joined(texts)? else { return Ok(words) };
            words.extend(["/s".to_owned(), separator.to_string()]);
            joined
        }
        RegistryValue::Number32(number) => number.to_string(),
        RegistryValue::Number64(number) => number.to_string(),
        RegistryValue::Bytes(bytes) => hex::encode(bytes),
    };
    words.extend(["/d".to_owned(), data]);
    Ok(words)
}

/// Joins a list into one argument. By default `reg` splits at `\0`, which may well be in a path.
fn joined(texts: &[String]) -> Result<Option<(char, String)>, RegistryError> {
    if texts.is_empty() {
        return Ok(None);
    }
    if texts.iter().any(String::is_empty) {
        return Err(RegistryError::Unusable(
            "a list cannot hold an empty text, which would end it",
        ));
    }
    let free = |separator: &char| !texts.iter().any(|text| text.contains(*separator));
    let separator = SEPARATORS.into_iter().find(free).ok_or(RegistryError::Unusable(
        "the list has every character in it that could separate its texts",
    ))?;
    let joined = texts.join(&separator.to_string());
    Ok(Some((separator, data_word(&joined)?)))
}

/// An argument that `reg` takes for data at any position.
fn data_word(text: &str) -> Result<String, RegistryError> {
    let option = text
        .strip_prefix(['/', '-'])
        .is_some_and(|rest| OPTIONS.iter().any(|option| rest.eq_ignore_ascii_case(option)));
    match option {
        true => Err(RegistryError::Unusable(
            "the name or the text is a word that `reg` could take for one of its options",
        )),
        false => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests;
