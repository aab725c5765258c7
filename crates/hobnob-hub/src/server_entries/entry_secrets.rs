//! Finds literal secrets in a new entry, and names environment variables that could replace them.
//! `add` warns about the secrets and offers the variables before it writes; the page masks them.
//!
//! What must stay true: no message contains a secret.

use super::literal_secrets::{
    MASK, SecretWord, holds_secret, is_literal, secret_words, sounds_secret,
};
use hobnob_config::ServerName;
use serde_json::Value;

/// A secret in an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralSecret {
    /// Where it is in the entry, as a JSON pointer.
    pointer: String,
    /// What a person calls the place.
    pub place: String,
    /// The variable that could hold it.
    pub variable: String,
    /// What stands before the secret in the same text.
    before: String,
}

impl LiteralSecret {
    /// Puts the variable in the place of the secret.
    pub fn replace_in(&self, entry: &mut Value) {
        if let Some(value) = entry.pointer_mut(&self.pointer) {
            *value = format!("{}${{{}}}", self.before, self.variable).into();
        }
    }

    /// Puts a mark in the place of the secret.
    pub fn mask_in(&self, entry: &mut Value) {
        if let Some(value) = entry.pointer_mut(&self.pointer) {
            *value = format!("{}{MASK}", self.before).into();
        }
    }
}

/// The secrets of an entry: in headers, in variables and among the arguments.
pub fn of_entry(server: &ServerName, entry: &Value) -> Vec<LiteralSecret> {
    let mut found = Vec::new();
    for (table, what) in [("headers", "header"), ("env", "variable")] {
        let pairs = entry.get(table).and_then(Value::as_object);
        for (name, value) in pairs.into_iter().flatten() {
            let Some(value) = value.as_str().filter(|value| is_literal(value)) else { continue };
            if !sounds_secret(name) && !holds_secret(value) {
                continue;
            }
            let variable = match table {
                "env" => variable_name(&[name]),
                _ if name.eq_ignore_ascii_case("authorization") => {
                    variable_name(&[server.as_str(), "TOKEN"])
                }
                _ => variable_name(&[server.as_str(), name]),
            };
            // An authentication scheme such as `Bearer` is not part of the secret.
            let scheme = value.split_once(' ').filter(|(word, _)| {
                table == "headers" && word.chars().all(|it| it.is_ascii_alphabetic())
            });
            let before = scheme.map(|(word, _)| format!("{word} ")).unwrap_or_default();
            found.push(LiteralSecret {
                pointer: format!("/{table}/{}", name.replace('~', "~0").replace('/', "~1")),
                place: format!("the {what} `{name}`"),
                before,
                variable,
            });
        }
    }
    found.extend(of_arguments(server, entry));
    found
}

fn of_arguments(server: &ServerName, entry: &Value) -> Vec<LiteralSecret> {
    let args = entry.get("args").and_then(Value::as_array);
    let args: Vec<&str> =
        args.into_iter().flatten().map(|it| it.as_str().unwrap_or_default()).collect();
    let secret = |it: SecretWord| {
        let name = it.name.as_deref().unwrap_or("secret").trim_start_matches('-').to_owned();
        let variable = variable_name(&match name.contains('_') {
            true => vec![name.as_str()],
            false => vec![server.as_str(), name.as_str()],
        });
        LiteralSecret {
            pointer: format!("/args/{}", it.at),
            place: match &it.name {
                Some(name) => format!("the argument `{name}`"),
                None => format!("argument {}", it.at + 1),
            },
            before: args[it.at][..it.from].to_owned(),
            variable,
        }
    };
    secret_words(&args).into_iter().map(secret).collect()
}

/// Joins words to a variable name that a shell accepts.
fn variable_name(words: &[&str]) -> String {
    let joined = words.join("_").to_uppercase();
    let legal = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
    let name: String = joined.chars().map(legal).collect();
    match name.starts_with(|it: char| it.is_ascii_digit()) {
        true => format!("_{name}"),
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::of_entry;
    use hobnob_config::ServerName;
    use serde_json::json;

    #[test]
    fn secrets_become_variables() {
        let name = ServerName::parse("my-tickets").unwrap();
        let check = |entry: serde_json::Value, variables: &[&str], after: serde_json::Value| {
            let found = of_entry(&name, &entry);
            let names: Vec<&str> = found.iter().map(|it| it.variable.as_str()).collect();
            assert_eq!(names, variables, "{entry}");
            let mut changed = entry.clone();
            found.iter().for_each(|it| it.replace_in(&mut changed));
            assert_eq!(changed, after);
        };
        check(
            json!({"url": "https://t", "headers": {"Authorization": "Bearer abc", "Accept": "x"}}),
            &["MY_TICKETS_TOKEN"],
            json!({"url": "https://t", "headers": {"Authorization": "Bearer ${MY_TICKETS_TOKEN}", "Accept": "x"}}),
        );
        check(
            json!({"command": "x", "env": {"API_KEY": "abc", "LEVEL": "1", "TOKEN": "${TOKEN}"}}),
            &["API_KEY"],
            json!({"command": "x", "env": {"API_KEY": "${API_KEY}", "LEVEL": "1", "TOKEN": "${TOKEN}"}}),
        );
        check(
            json!({"command": "docker", "args": ["run", "-e", "GH_TOKEN=abc", "--api-key", "def"]}),
            &["GH_TOKEN", "MY_TICKETS_API_KEY"],
            json!({"command": "docker", "args": ["run", "-e", "GH_TOKEN=${GH_TOKEN}", "--api-key", "${MY_TICKETS_API_KEY}"]}),
        );
        check(
            json!({"command": "x", "args": ["--path", "."]}),
            &[],
            json!({"command": "x", "args": ["--path", "."]}),
        );
    }
}
