//! One server ready to use, as `prepare` makes it: what to start or reach, and its identity.
//!
//! The gateway starts servers from it, and `approve` shows it. Values are [`Secret`], so a spec may
//! be logged; people see the text in the file.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::expand::Secret;
use crate::glob::glob_matches;
use crate::json::canonical;
use crate::oauth::OAuthSpec;
use crate::printable::printable;
use crate::server_sandbox::ServerSandbox;

/// The fields that decide what is started or reached.
const LAUNCH_FIELDS: [&str; 10] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "type",
    "headers",
    "oauth",
    "headersHelper",
    "sandbox",
];

/// When a server is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// When it is first needed; until then its catalogue comes from the cache.
    Lazy,
    /// When Hobnob itself starts.
    Eager,
}

/// Which clients share a server's process or connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// All clients of the same identity share one process.
    #[default]
    Shared,
    /// Each client has its own process: right for a browser, a shell or anything else with a state.
    Client,
}

/// Which HTTP transport a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpKind {
    /// Streamable HTTP is tried first, then HTTP+SSE.
    Auto,
    /// Streamable HTTP, of revision 2025-03-26 and later.
    Streamable,
    /// HTTP+SSE, of revision 2024-11-05.
    Sse,
}

/// What to start or reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A program that speaks MCP over its pipes.
    Command {
        /// The program; absolute if it was written as a path.
        program: Secret,
        /// The arguments, which no shell interprets.
        args: Vec<Secret>,
        /// Variables of the program, sorted by name.
        env: Vec<(String, Secret)>,
        /// Its working folder, absolute.
        cwd: Option<Secret>,
    },
    /// A server that listens at a URL.
    Url {
        /// The URL; its scheme is `http` or `https`.
        url: Secret,
        /// The transport that the entry names.
        kind: HttpKind,
        /// Headers for every request, sorted by name.
        headers: Vec<(String, Secret)>,
    },
}

/// Which of a server's tools exist, as globs over the server's own names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// The only tools that exist, if given.
    pub allowed: Option<Vec<String>>,
    /// Tools that never exist, even if `allowed` names them.
    pub denied: Vec<String>,
}

impl ToolFilter {
    /// Whether a tool passes the filter. `denied` wins over `allowed`.
    pub fn permits(&self, tool: &str) -> bool {
        let in_list = |list: &[String]| list.iter().any(|it| glob_matches(it, tool));
        self.allowed.as_deref().is_none_or(in_list) && !in_list(&self.denied)
    }
}

/// One server, ready to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSpec {
    /// What to start or reach.
    pub target: Target,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// Which of its tools exist for clients.
    pub tools: ToolFilter,
    /// Absolute folders to report when the server asks for roots.
    pub roots: Vec<PathBuf>,
    /// When it is started.
    pub start: Option<Start>,
    /// Who shares its process.
    pub isolation: Option<Isolation>,
    /// How to log in to it, for a server at a URL.
    pub oauth: Option<OAuthSpec>,
    /// A command that prints headers for it as JSON, for a server at a URL.
    pub headers_helper: Option<Secret>,
    /// Its sandbox, for a program.
    pub sandbox: Option<ServerSandbox>,
}

/// The digest of an entry as written: a person approves this digest. It has no values of variables.
pub(crate) fn written_digest(value: &Value) -> Digest {
    let launch = match value {
        Value::Object(members) => {
            let kept = LAUNCH_FIELDS.iter().filter_map(|key| members.get_key_value(*key));
            let kept = kept.filter(|(_, value)| !value.is_null());
            Value::Object(
                kept.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>(),
            )
        }
        other => other.clone(),
    };
    Digest::of_parts(["hobnob server entry 1", &canonical(&launch)])
}

impl ServerSpec {
    /// The digest of the expanded target: equal as long as the running server is the right one.
    /// Secrets are part of its input, so compare it and do not publish it.
    pub fn launch_key(&self) -> Digest {
        let mut parts: Vec<&str> = Vec::new();
        let mut counts = Vec::new();
        let pairs = match &self.target {
            Target::Command { program, args, env, cwd } => {
                parts.extend(["command", program.expose()]);
                parts.extend(cwd.as_ref().map_or(["no cwd", ""], |it| ["cwd", it.expose()]));
                parts.extend(args.iter().map(Secret::expose));
                counts.push(args.len().to_string());
                env
            }
            Target::Url { url, kind, headers } => {
                let kind = match kind {
                    HttpKind::Auto => "auto",
                    HttpKind::Streamable => "streamable",
                    HttpKind::Sse => "sse",
                };
                parts.extend(["url", url.expose(), kind]);
                headers
            }
        };
        parts.extend(pairs.iter().flat_map(|(name, value)| [name.as_str(), value.expose()]));
        // Without the count an argument could pass for the name of a variable.
        parts.extend(counts.iter().map(String::as_str));
        let login = self.oauth.as_ref().map(OAuthSpec::key_parts).unwrap_or_default();
        parts.extend(login.iter().map(String::as_str));
        parts.extend(self.headers_helper.iter().flat_map(|it| ["headers helper", it.expose()]));
        let sandbox = self.sandbox.as_ref().map(ServerSandbox::key_parts).unwrap_or_default();
        parts.extend(sandbox.iter().map(String::as_str));
        Digest::of_parts(parts)
    }

    /// Whether Hobnob runs it as a program, rather than reaching it at a URL.
    pub fn is_program(&self) -> bool {
        matches!(self.target, Target::Command { .. })
    }

    /// The exact command or address for people: one line, variables as written.
    pub fn display_command(&self) -> String {
        match &self.target {
            Target::Command { program, args, .. } => {
                let words = std::iter::once(program).chain(args);
                words.map(|it| quoted(it.written())).collect::<Vec<_>>().join(" ")
            }
            Target::Url { url, .. } => printable(url.written()),
        }
    }

    /// The command as displayed, but with its words replaced by what `shown` returns for them.
    pub fn display_command_with(&self, shown: impl Fn(&[&str]) -> Vec<String>) -> String {
        match &self.target {
            Target::Command { program, args, .. } => {
                let words: Vec<&str> =
                    std::iter::once(program).chain(args).map(Secret::written).collect();
                shown(&words).iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
            }
            Target::Url { .. } => self.display_command(),
        }
    }

    /// Everything that a person approves, one item a line: the command, its folder, its variables.
    pub fn approval_lines(&self) -> Vec<String> {
        self.lines(|_, value| printable(value.written()))
    }

    /// The lines of an approval, with `…` for the values of variables and headers for which `hides`
    /// returns true, given the name and the text as written.
    pub fn lines_hiding(&self, hides: impl Fn(&str, &str) -> bool) -> Vec<String> {
        self.lines(|name, value| match hides(name, value.written()) {
            true => "…".into(),
            false => printable(value.written()),
        })
    }

    /// The lines of an approval without literal values of variables and headers: most are secrets.
    pub fn masked_lines(&self) -> Vec<String> {
        self.lines_hiding(|_, value| !names_a_variable(value))
    }

    fn lines(&self, shown: impl Fn(&str, &Secret) -> String) -> Vec<String> {
        let mut lines = vec![self.display_command()];
        let (cwd, pairs, sign) = match &self.target {
            Target::Command { env, cwd, .. } => (cwd.as_ref(), env, "="),
            Target::Url { headers, .. } => (None, headers, ": "),
        };
        lines.extend(cwd.map(|it| format!("in {}", printable(it.written()))));
        let pair = |(name, value): &(String, Secret)| {
            format!("with {}{sign}{}", printable(name), shown(name, value))
        };
        lines.extend(pairs.iter().map(pair));
        let login = self.oauth.as_ref().map(OAuthSpec::shown).unwrap_or_default();
        lines.extend(login.iter().map(|(name, it)| format!("with {name}: {}", shown(name, it))));
        let helper = self.headers_helper.as_ref();
        lines.extend(helper.map(|it| format!("headers from: {}", printable(it.written()))));
        lines.extend(self.sandbox.iter().flat_map(ServerSandbox::lines));
        lines
    }
}

/// Whether the text is just `${VARIABLE}`, or a word such as `Bearer` before it, without a default,
/// since that may be a secret.
fn names_a_variable(value: &str) -> bool {
    let (word, rest) = value.split_once("${").unwrap_or_default();
    let word = word.strip_suffix(' ').unwrap_or(word);
    let name = rest.strip_suffix('}').unwrap_or_default();
    word.chars().all(|it| it.is_ascii_alphabetic())
        && !name.is_empty()
        && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}

/// A word as one would type it in a shell, except that `${VAR}` stays bare.
fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_alphanumeric() || "_-./:=@%+,~${}\\…".contains(it);
    let shown = printable(word);
    if !word.is_empty() && word.chars().all(plain) {
        return shown;
    }
    format!("'{}'", shown.replace('\'', r"'\''"))
}
