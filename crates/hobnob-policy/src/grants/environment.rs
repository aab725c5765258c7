//! Variables that callers may set for a command: only those that a grant names in full.

use std::ffi::OsString;

/// Variables that can make a program run other code than it would by itself.
const DANGEROUS: [&str; 15] = [
    "PATH",
    "IFS",
    "ENV",
    "CDPATH",
    "SHELLOPTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "RUBYOPT",
    "RUBYLIB",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "RUSTC",
    "RUSTC_WRAPPER",
    "JAVA_TOOL_OPTIONS",
];
/// Prefixes of such names.
const DANGEROUS_PREFIXES: [&str; 7] = ["LD_", "DYLD_", "BASH_", "PYTHON", "PERL", "GIT_", "GCONV_"];
/// Longest name of a variable, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// Whether a variable can make programs run other code. `hobnob grant` warns about such a variable.
#[must_use]
pub fn is_dangerous_variable(name: &str) -> bool {
    DANGEROUS.contains(&name) || DANGEROUS_PREFIXES.iter().any(|it| name.starts_with(it))
}

/// The names that one grant allows. Without wildcards, no dangerous name is allowed by chance.
#[derive(Debug, Clone, Default)]
pub(super) struct AllowedVariables(Vec<Box<str>>);

impl AllowedVariables {
    pub(super) fn parse(names: &[String]) -> Result<Self, String> {
        match names.iter().find(|name| !is_name(name)) {
            Some(bad) => Err(format!("`{bad}` is not the name of a variable")),
            None => Ok(Self(names.iter().map(|name| name.as_str().into()).collect())),
        }
    }

    /// Whether every variable that a caller sets is allowed.
    pub(super) fn include(&self, variables: &[(String, String)]) -> bool {
        variables.iter().all(|(name, _)| self.0.iter().any(|allowed| **allowed == **name))
    }
}

/// Why no program can receive these variables.
pub(super) fn problem_of(variables: &[(String, String)]) -> Option<&'static str> {
    for (at, (name, value)) in variables.iter().enumerate() {
        if !is_name(name) {
            return Some("a variable's name is not letters, digits and `_`");
        }
        if value.contains('\0') {
            return Some("a variable's value has a NUL in it");
        }
        if variables[..at].iter().any(|(before, _)| before == name) {
            return Some("a variable is set twice");
        }
    }
    None
}

pub(super) fn as_system_text(variables: Vec<(String, String)>) -> Vec<(OsString, OsString)> {
    variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn is_name(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.len() <= MAX_NAME_BYTES
        && name.bytes().all(letter)
        && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}
