//! One server's entry as written in `.mcp.json`: its fields parsed and typed, its variables not yet
//! expanded.
//!
//! `servers` reads entries through here, and `add` and `import` check theirs. Unknown fields belong
//! to other hosts and are ignored. Errors never quote a value, because it may be a secret.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::duration::{from_milliseconds, parse_duration};
use crate::name::ServerName;
use crate::oauth::OAuthEntry;
use crate::server_sandbox::SandboxEntry;
use crate::spec::{HttpKind, Isolation, Start, ToolFilter};

/// Why a server cannot be used as its entry is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SpecProblem {
    /// The server whose entry is wrong.
    pub server: ServerName,
    /// The wrong field, as `env.TOKEN` or `args[2]`, if it is one field.
    pub field: Option<String>,
    /// What is wrong, without the names of server and field.
    pub message: String,
}

impl fmt::Display for SpecProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "server `{}`: ", self.server)?;
        if let Some(field) = &self.field {
            write!(formatter, "`{field}`: ")?;
        }
        formatter.write_str(&self.message)
    }
}

/// Whether a server may be started at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// The default, also written as `"disabled": false`.
    On,
    /// The file says `"disabled": true` or `"enabled": false`.
    Off,
}

/// Checks the form of an entry without expanding anything, for `add` and `import`.
pub fn check_entry(server: &ServerName, value: &Value) -> Result<(), SpecProblem> {
    ServerEntry::read(server, value).map(|_| ())
}

/// One entry whose fields have the right types.
pub(crate) struct ServerEntry {
    pub(crate) target: EntryTarget,
    pub(crate) timeout: Option<Duration>,
    pub(crate) tools: ToolFilter,
    pub(crate) roots: Vec<String>,
    pub(crate) start: Option<Start>,
    pub(crate) isolation: Option<Isolation>,
    pub(crate) oauth: Option<OAuthEntry>,
    pub(crate) headers_helper: Option<String>,
    pub(crate) sandbox: Option<SandboxEntry>,
}

/// What to start or reach, unexpanded.
pub(crate) enum EntryTarget {
    Command { command: String, args: Vec<String>, env: Vec<(String, String)>, cwd: Option<String> },
    Url { url: String, kind: HttpKind, headers: Vec<(String, String)> },
}

impl ServerEntry {
    pub(crate) fn read(server: &ServerName, value: &Value) -> Result<Self, SpecProblem> {
        let Value::Object(members) = value else {
            let message = "is not an object: write {\"command\": …} or {\"url\": …}".into();
            return Err(SpecProblem { server: server.clone(), field: None, message });
        };
        let fields = Fields { server, members };
        fields.switch()?;
        Ok(Self {
            target: fields.target()?,
            timeout: fields.timeout()?,
            tools: ToolFilter {
                allowed: fields.one_of(&["allowedTools", "enabledTools", "enabled_tools"])?,
                denied: fields
                    .one_of(&["deniedTools", "disabledTools", "disabled_tools"])?
                    .unwrap_or_default(),
            },
            roots: fields.texts("roots")?.unwrap_or_default(),
            start: fields.start()?,
            isolation: fields.isolation()?,
            oauth: fields.oauth()?,
            headers_helper: fields.text("headersHelper")?,
            sandbox: fields.sandbox()?,
        })
    }
}

/// Whether an entry is switched on. One that cannot be read counts as on: reading it reports why.
pub(crate) fn switch_of(server: &ServerName, value: &Value) -> Switch {
    let Value::Object(members) = value else { return Switch::On };
    Fields { server, members }.switch().unwrap_or(Switch::On)
}

/// The name of a member of `sandbox`, or of all of it.
pub(crate) fn sandbox_field(member: &str) -> String {
    if member.is_empty() { "sandbox".into() } else { format!("sandbox.{member}") }
}

struct Fields<'a> {
    server: &'a ServerName,
    members: &'a Map<String, Value>,
}

impl Fields<'_> {
    /// A field of the entry; `null` counts as absent.
    fn get(&self, key: &str) -> Option<&Value> {
        self.members.get(key).filter(|it| !it.is_null())
    }

    fn wrong(&self, field: impl Into<String>, message: impl Into<String>) -> SpecProblem {
        let field = Some(field.into());
        SpecProblem { server: self.server.clone(), field, message: message.into() }
    }

    fn text(&self, key: &str) -> Result<Option<String>, SpecProblem> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(self.wrong(key, "is not a string")),
        }
    }

    fn texts(&self, key: &str) -> Result<Option<Vec<String>>, SpecProblem> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let Value::Array(items) = value else {
            return Err(self.wrong(key, "is not a list of strings"));
        };
        let item = |(at, item): (usize, &Value)| match item {
            Value::String(text) => Ok(text.clone()),
            _ => Err(self.wrong(format!("{key}[{at}]"), "is not a string")),
        };
        items.iter().enumerate().map(item).collect::<Result<_, _>>().map(Some)
    }

    /// Sorted by key, because the order in an object means nothing.
    fn text_map(&self, key: &str) -> Result<Vec<(String, String)>, SpecProblem> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let Value::Object(members) = value else {
            return Err(self.wrong(key, "is not an object of strings"));
        };
        let member = |(name, value): (&String, &Value)| match value {
            Value::String(text) => Ok((name.clone(), text.clone())),
            _ => Err(self.wrong(format!("{key}.{name}"), "is not a string: put it in quotes")),
        };
        let mut pairs: Vec<_> = members.iter().map(member).collect::<Result<_, _>>()?;
        pairs.sort();
        Ok(pairs)
    }

    /// The list under one of several spellings. With two of them it would be unclear which counts.
    fn one_of(&self, keys: &[&str]) -> Result<Option<Vec<String>>, SpecProblem> {
        let mut given = keys.iter().filter(|key| self.get(key).is_some());
        match (given.next(), given.next()) {
            (None, _) => Ok(None),
            (Some(key), None) => self.texts(key),
            (Some(key), Some(other)) => {
                Err(self.wrong(*other, format!("means the same as `{key}`: keep one of them")))
            }
        }
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, SpecProblem> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(self.wrong(key, "is neither true nor false")),
        }
    }

    fn switch(&self) -> Result<Switch, SpecProblem> {
        let disabled = self.flag("disabled")? == Some(true);
        let not_enabled = self.flag("enabled")? == Some(false);
        Ok(if disabled || not_enabled { Switch::Off } else { Switch::On })
    }

    fn start(&self) -> Result<Option<Start>, SpecProblem> {
        match self.text("start")?.as_deref() {
            None => Ok(None),
            Some("lazy") => Ok(Some(Start::Lazy)),
            Some("eager") => Ok(Some(Start::Eager)),
            Some(_) => Err(self.wrong("start", "is neither \"lazy\" nor \"eager\"")),
        }
    }

    fn isolation(&self) -> Result<Option<Isolation>, SpecProblem> {
        match self.text("isolation")?.as_deref() {
            None => Ok(None),
            Some("shared") => Ok(Some(Isolation::Shared)),
            Some("client") => Ok(Some(Isolation::Client)),
            Some(_) => Err(self.wrong("isolation", "is neither \"shared\" nor \"client\"")),
        }
    }

    fn oauth(&self) -> Result<Option<OAuthEntry>, SpecProblem> {
        let read = |value| OAuthEntry::read(value).map_err(|(field, why)| self.wrong(field, why));
        self.get("oauth").map(read).transpose()
    }

    fn sandbox(&self) -> Result<Option<SandboxEntry>, SpecProblem> {
        let read = |value| {
            SandboxEntry::read(value)
                .map_err(|(member, why)| self.wrong(sandbox_field(&member), why))
        };
        self.get("sandbox").map(read).transpose()
    }

    fn timeout(&self) -> Result<Option<Duration>, SpecProblem> {
        let wrong = || {
            let message = "is neither a number of milliseconds nor a string such as \"30s\"";
            self.wrong("timeout", message)
        };
        let timeout = match self.get("timeout") {
            None => return Ok(None),
            Some(Value::String(text)) => parse_duration(text).map_err(|_| wrong())?,
            Some(value) => {
                let milliseconds = value.as_u64().ok_or_else(wrong)?;
                from_milliseconds(milliseconds).map_err(|_| wrong())?
            }
        };
        if timeout.is_zero() {
            return Err(self.wrong("timeout", "is zero: omit it to use the default"));
        }
        Ok(Some(timeout))
    }

    fn target(&self) -> Result<EntryTarget, SpecProblem> {
        let kind = self.text("type")?;
        match (self.text("command")?, self.text("url")?) {
            (Some(_), Some(_)) => {
                Err(self.wrong("url", "and `command` are both set: keep one of them"))
            }
            (None, None) => {
                let message = "has neither `command` nor `url`: set one of them".into();
                Err(SpecProblem { server: self.server.clone(), field: None, message })
            }
            (Some(command), None) => match kind.as_deref() {
                None | Some("stdio") => self.command(command),
                Some(_) => {
                    Err(self.wrong("type", "does not fit `command`: write \"stdio\", or omit it"))
                }
            },
            (None, Some(url)) => {
                let kind = self.http_kind(kind.as_deref())?;
                Ok(EntryTarget::Url { url, kind, headers: self.text_map("headers")? })
            }
        }
    }

    fn command(&self, command: String) -> Result<EntryTarget, SpecProblem> {
        let args = self.texts("args")?.unwrap_or_default();
        Ok(EntryTarget::Command {
            command,
            args,
            env: self.text_map("env")?,
            cwd: self.text("cwd")?,
        })
    }

    fn http_kind(&self, kind: Option<&str>) -> Result<HttpKind, SpecProblem> {
        match kind {
            None => Ok(HttpKind::Auto),
            Some("http" | "streamable-http" | "streamableHttp") => Ok(HttpKind::Streamable),
            Some("sse") => Ok(HttpKind::Sse),
            Some("stdio") => Err(self.wrong("type", "is \"stdio\", which requires `command`")),
            Some(_) => {
                let message = "is unknown: write \"http\" or \"sse\", or omit it";
                Err(self.wrong("type", message))
            }
        }
    }
}
