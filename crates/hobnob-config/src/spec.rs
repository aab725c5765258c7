//! One server ready to use: variables expanded, paths absolute, everything checked.
//!
//! Values are `Secret`, so a spec may be logged; people are shown what was written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::entry::{Entry, EntryTarget, SpecProblem};
use crate::expand::{Lookup, Secret, expand};
use crate::glob::glob_matches;
use crate::json::canonical;
use crate::name::ServerName;

/// The fields that decide what is started or reached.
const LAUNCH_FIELDS: [&str; 7] = ["command", "args", "env", "cwd", "url", "type", "headers"];

/// When a server is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// When it is first needed; until then its catalogue comes from the cache.
    Lazy,
    /// With Hobnob.
    Eager,
}

/// Which HTTP transport a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpKind {
    /// To be found out.
    Auto,
    /// Streamable HTTP.
    Streamable,
    /// The older HTTP+SSE.
    Sse,
}

/// What to start or reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A program that speaks over its pipes.
    Command {
        /// The program; absolute if it was written as a path.
        program: Secret,
        /// Its arguments.
        args: Vec<Secret>,
        /// Variables for it alone, sorted by name.
        env: Vec<(String, Secret)>,
        /// Its working folder, absolute.
        cwd: Option<Secret>,
    },
    /// A server elsewhere.
    Url {
        /// `http:` or `https:`.
        url: Secret,
        /// Its transport.
        kind: HttpKind,
        /// Headers for every request, sorted by name.
        headers: Vec<(String, Secret)>,
    },
}

/// Which of a server's tools exist for us, as globs over the server's own names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Only these, if given.
    pub allowed: Option<Vec<String>>,
    /// Never these.
    pub denied: Vec<String>,
}

impl ToolFilter {
    /// Whether a tool passes. What is denied is denied, even if it is allowed too.
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
    /// Which tools exist.
    pub tools: ToolFilter,
    /// Folders the server is told about, absolute.
    pub roots: Vec<PathBuf>,
    /// When it is started.
    pub start: Option<Start>,
}

/// What a relative path in a file is relative to, and what `~` means.
pub(crate) struct Base<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) home: &'a Path,
}

impl Base<'_> {
    fn absolute(&self, written: &str) -> PathBuf {
        match written.strip_prefix('~') {
            Some("") => self.home.into(),
            Some(rest) if rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => {
                self.home.join(&rest[1..])
            }
            _ => self.folder.join(written),
        }
    }
}

/// The digest of an entry as written: what a person approves. Values of variables are not in it.
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
    /// Expands an entry.
    pub(crate) fn prepare(
        server: &ServerName,
        entry: Entry,
        base: &Base<'_>,
        lookup: &Lookup<'_>,
    ) -> Result<Self, SpecProblem> {
        let expander = Expander { server, base, lookup };
        let target = match entry.target {
            EntryTarget::Command { command, args, env, cwd } => {
                expander.command(&command, &args, &env, cwd.as_deref())?
            }
            EntryTarget::Url { url, kind, headers } => {
                Target::Url { url: expander.url(&url)?, kind, headers: expander.headers(&headers)? }
            }
        };
        let root = |(at, root): (usize, &String)| expander.root(at, root);
        let roots = entry.roots.iter().enumerate().map(root).collect::<Result<_, _>>()?;
        let Entry { timeout, tools, start, .. } = entry;
        Ok(Self { target, timeout, tools, roots, start })
    }

    /// The digest of the expanded target: equal as long as the running server is the right one.
    /// Secrets went into it, so compare it and do not publish it.
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
        Digest::of_parts(parts)
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

    /// All that a person approves, one thing a line: the command, its folder, its variables.
    pub fn approval_lines(&self) -> Vec<String> {
        let mut lines = vec![self.display_command()];
        let (cwd, pairs, sign) = match &self.target {
            Target::Command { env, cwd, .. } => (cwd.as_ref(), env, "="),
            Target::Url { headers, .. } => (None, headers, ": "),
        };
        lines.extend(cwd.map(|it| format!("in {}", printable(it.written()))));
        let pair = |(name, value): &(String, Secret)| {
            format!("with {}{sign}{}", printable(name), printable(value.written()))
        };
        lines.extend(pairs.iter().map(pair));
        lines
    }
}

/// What a person approves must not be able to move the cursor or hide itself.
fn printable(text: &str) -> String {
    let escape = |it: char| {
        let harmless = matches!(it, '"' | '\'' | '\\') || it.escape_debug().count() == 1;
        if harmless { it.to_string() } else { it.escape_debug().to_string() }
    };
    text.chars().map(escape).collect()
}

/// As one would type it in a shell, except that `${VAR}` stays bare.
fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_alphanumeric() || "_-./:=@%+,~${}\\".contains(it);
    let shown = printable(word);
    if !word.is_empty() && word.chars().all(plain) {
        return shown;
    }
    format!("'{}'", shown.replace('\'', r"'\''"))
}

struct Expander<'a> {
    server: &'a ServerName,
    base: &'a Base<'a>,
    lookup: &'a Lookup<'a>,
}

impl Expander<'_> {
    fn wrong(&self, field: &str, message: impl Into<String>) -> SpecProblem {
        let field = Some(field.to_owned());
        SpecProblem { server: self.server.clone(), field, message: message.into() }
    }

    fn text(&self, field: &str, written: &str) -> Result<Secret, SpecProblem> {
        let secret =
            expand(written, self.lookup).map_err(|unset| self.wrong(field, unset.to_string()))?;
        if secret.expose().contains('\0') {
            return Err(self.wrong(field, "holds a NUL character"));
        }
        Ok(secret)
    }

    fn path(&self, field: &str, written: &str) -> Result<Secret, SpecProblem> {
        let secret = self.text(field, written)?;
        match self.base.absolute(secret.expose()).to_str() {
            Some(path) => Ok(secret.with_value(path.into())),
            None => Err(self.wrong(field, "is relative to a folder whose name is not Unicode")),
        }
    }

    fn command(
        &self,
        command: &str,
        args: &[String],
        env: &[(String, String)],
        cwd: Option<&str>,
    ) -> Result<Target, SpecProblem> {
        let cwd = cwd.map(|it| self.path("cwd", it)).transpose()?;
        let mut program = self.text("command", command)?;
        if program.expose().trim().is_empty() {
            return Err(self.wrong("command", "is empty"));
        }
        // A bare name is looked up in PATH; a path would depend on where we happen to run.
        if program.expose().contains(['/', std::path::MAIN_SEPARATOR]) {
            let folder = cwd.as_ref().map_or(self.base.folder, |it| Path::new(it.expose()));
            let base = Base { folder, home: self.base.home };
            let path = base.absolute(program.expose()).to_str().map(String::from);
            let wrong = || self.wrong("command", "is in a folder whose name is not Unicode");
            program = program.with_value(path.ok_or_else(wrong)?);
        }
        let arg = |(at, arg): (usize, &String)| self.text(&format!("args[{at}]"), arg);
        let args = args.iter().enumerate().map(arg).collect::<Result<_, _>>()?;
        let env = self.pairs("env", env, |name| !name.is_empty() && !name.contains(['=', '\0']))?;
        Ok(Target::Command { program, args, env, cwd })
    }

    fn pairs(
        &self,
        field: &str,
        written: &[(String, String)],
        legal: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, Secret)>, SpecProblem> {
        let pair = |(name, value): &(String, String)| {
            let shown = format!("{field}.{}", printable(name));
            if !legal(name) {
                return Err(self.wrong(&shown, "is not a legal name"));
            }
            Ok((name.clone(), self.text(&shown, value)?))
        };
        written.iter().map(pair).collect()
    }

    fn url(&self, written: &str) -> Result<Secret, SpecProblem> {
        let url = self.text("url", written)?;
        let lower = url.expose().to_ascii_lowercase();
        let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
        let has_host =
            rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#']));
        if !has_host || lower.contains(|it: char| it.is_control() || it.is_whitespace()) {
            return Err(self.wrong("url", "is not an address that begins with http:// or https://"));
        }
        Ok(url)
    }

    fn headers(&self, written: &[(String, String)]) -> Result<Vec<(String, Secret)>, SpecProblem> {
        let token = |it: u8| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it);
        let headers =
            self.pairs("headers", written, |name| !name.is_empty() && name.bytes().all(token))?;
        let control = |it: char| it.is_control() && it != '\t';
        match headers.iter().find(|(_, value)| value.expose().contains(control)) {
            Some((name, _)) => {
                Err(self
                    .wrong(&format!("headers.{name}"), "holds a line break or control character"))
            }
            None => Ok(headers),
        }
    }

    fn root(&self, at: usize, written: &str) -> Result<PathBuf, SpecProblem> {
        let wrong = || self.wrong(&format!("roots[{at}]"), "is neither a path nor a file:// URI");
        if written.is_empty() {
            return Err(wrong());
        }
        match written.strip_prefix("file://") {
            Some(uri) => file_uri_path(uri).ok_or_else(wrong),
            None if written.contains("://") => Err(wrong()),
            None => Ok(self.base.absolute(written)),
        }
    }
}

/// The path of a file URI behind `file://`; only this machine's files can be meant.
fn file_uri_path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("localhost").unwrap_or(uri);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.strip_prefix('/').map(|_| path.bytes())?;
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    let path = String::from_utf8(bytes).ok().filter(|it| !it.contains('\0'))?;
    // `file:///C:/x` on Windows is `C:/x`.
    let path = if cfg!(windows) { path.trim_start_matches('/') } else { &path };
    Some(path.into())
}
