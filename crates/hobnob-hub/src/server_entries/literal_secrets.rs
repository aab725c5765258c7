//! Finds literal secrets in the command or the URL of a server, where a variable should stand.
//! `add` and the page warn about them; `list`, `show`, `doctor` and the page mask them.
//!
//! What must stay true: a word that only names a variable is not a secret, and a masked text shows
//! nothing of what it hides.

use hobnob_config::{ServerSpec, Target};
use hobnob_policy::audit::without_secrets;
use hobnob_secrets::{ScanScope, Scanner};

/// Parts of a name whose value is secret.
const SECRET_NAMES: [&str; 12] = [
    "token",
    "secret",
    "password",
    "passwd",
    "api-key",
    "apikey",
    "access-key",
    "private-key",
    "credential",
    "authorization",
    "x-auth",
    "cookie",
];

/// The text that is shown in place of a secret.
pub const MASK: &str = "…";

/// A secret in a word of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretWord {
    /// The index of the word.
    pub at: usize,
    /// Where the secret begins in it; it ends with the word.
    pub from: usize,
    /// The option or variable whose value it is; `None` if it was recognised by its form.
    pub name: Option<String>,
}

/// Whether the value of something with this name is secret.
pub fn sounds_secret(name: &str) -> bool {
    let name = name.to_lowercase().replace('_', "-");
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// Whether the text contains a literal secret: a key or token in one of the known forms.
pub fn holds_secret(text: &str) -> bool {
    !Scanner::new(ScanScope::secrets()).scan(text).is_empty()
}

/// Whether the value is literal, and not the name of a variable.
pub fn is_literal(value: &str) -> bool {
    !value.trim().is_empty() && !value.contains("${")
}

/// The secrets among the words of a command line.
pub fn secret_words(words: &[&str]) -> Vec<SecretWord> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let named = word.split_once('=').filter(|(name, value)| {
            sounds_secret(name) && is_literal(value) && !name.contains("://")
        });
        // The word after an option without `=` is the value of the option.
        let before = at.checked_sub(1).and_then(|at| words.get(at)).filter(|before| {
            before.starts_with('-') && !before.contains('=') && sounds_secret(before)
        });
        let (from, name) = match (named, before) {
            (Some((name, _)), _) => (name.len() + 1, Some(name.to_owned())),
            (None, Some(before)) if is_literal(word) && !word.starts_with('-') => {
                (0, Some((*before).to_owned()))
            }
            _ if is_literal(word) && holds_secret(word) => (0, None),
            _ => continue,
        };
        found.push(SecretWord { at, from, name });
    }
    found
}

/// What a server starts or reaches, on one line, with its secrets masked.
pub fn masked_command(spec: &ServerSpec) -> String {
    match &spec.target {
        Target::Command { .. } => spec.display_command_with(|words| {
            let mut shown: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            for SecretWord { at, from, .. } in secret_words(words) {
                if let Some(word) = shown.get_mut(at) {
                    word.truncate(from);
                    word.push_str(MASK);
                }
            }
            shown
        }),
        Target::Url { url, .. } if is_literal(url.written()) => masked_url(url.written()),
        Target::Url { .. } => spec.display_command(),
    }
}

/// A text of an entry as a person may see it: without passwords and keys in a URL.
pub fn masked_url(url: &str) -> String {
    match is_literal(url) {
        true => without_secrets(url),
        false => url.to_owned(),
    }
}

/// The masked command, then folder, variables and headers without literal values, each on a line.
pub fn masked_lines(spec: &ServerSpec) -> Vec<String> {
    with_masked_command(spec, spec.masked_lines())
}

/// The same lines with all values but secrets, for the person who typed them to check.
pub fn typed_lines(spec: &ServerSpec) -> Vec<String> {
    let is_secret =
        |name: &str, value: &str| is_literal(value) && (sounds_secret(name) || holds_secret(value));
    with_masked_command(spec, spec.lines_hiding(is_secret))
}

fn with_masked_command(spec: &ServerSpec, mut lines: Vec<String>) -> Vec<String> {
    if let Some(command) = lines.first_mut() {
        *command = masked_command(spec);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{secret_words, sounds_secret};

    #[test]
    fn secrets_are_told_from_names_of_variables() {
        let github = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let check = |words: &[&str], expected: &[(usize, usize)]| {
            let found: Vec<_> = secret_words(words).iter().map(|it| (it.at, it.from)).collect();
            assert_eq!(found, expected, "{words:?}");
        };
        check(&["npx", "server", "--api-key", "abc"], &[(3, 0)]);
        check(&["npx", "server", "--api-key=abc"], &[(2, 10)]);
        check(&["docker", "run", "-e", "GITHUB_TOKEN=abc", "image"], &[(3, 13)]);
        check(&["docker", "run", "-e", "GITHUB_TOKEN", "image"], &[]);
        check(&["npx", "server", "--api-key", "${KEY}"], &[]);
        check(&["npx", "server", "--token", "--verbose"], &[]);
        check(&["npx", "server", github], &[(2, 0)]);
        check(&["npx", "-y", "@scope/token-server", "."], &[]);
        check(&["server", "--tokenizer-path", "/x"], &[(2, 0)]);
        check(&["server", "https://example.com/?a=b"], &[]);
        check(&[], &[]);
    }

    #[test]
    fn names_say_what_is_secret() {
        for name in ["Authorization", "X-Api-Key", "GITHUB_TOKEN", "--password", "AWS_SECRET_KEY"] {
            assert!(sounds_secret(name), "{name}");
        }
        for name in ["Accept", "LOG_LEVEL", "--path", "author"] {
            assert!(!sounds_secret(name), "{name}");
        }
    }
}
