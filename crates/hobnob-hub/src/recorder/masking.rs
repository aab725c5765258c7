//! Masks secrets in the text of messages: values of variables of all servers' entries, as in their
//! logs, and what looks like a secret.
//!
//! `recordings` masks every message before it keeps it. What must stay true: it takes no lock of the
//! gateway, which may send messages under its own.

use hobnob_config::{Places, ServerSpec, Servers, process_environment};
use hobnob_mcp_types::json::{unescape, write_string};
use hobnob_secrets::{ScanScope, Scanner};
use std::borrow::Cow;

/// The most entries whose values are masked. Old ones stay: open connections may still use them.
const MAX_SPECS: usize = 512;

/// Knows what to mask.
pub(super) struct MessageMask {
    specs: Vec<ServerSpec>,
    scanner: Scanner,
}

impl MessageMask {
    pub(super) fn new() -> Self {
        Self { specs: Vec::new(), scanner: Scanner::new(ScanScope::secrets()) }
    }

    /// The entries of all servers as they are now. Reads files.
    pub(super) fn read_specs(places: &Places) -> Vec<ServerSpec> {
        let servers = Servers::load(places, &process_environment);
        let specs = servers.iter().flat_map(|server| {
            let waiting = server.waiting.as_deref();
            [Some(server), waiting].into_iter().flatten().filter_map(|it| it.state.as_ref().ok())
        });
        specs.cloned().collect()
    }

    /// Whether the configuration has this server. Reads files.
    pub(super) fn has_server(places: &Places, name: &str) -> bool {
        Servers::load(places, &process_environment).get(name).is_some()
    }

    /// Masks the values of these entries, too.
    pub(super) fn learn(&mut self, specs: Vec<ServerSpec>) {
        for spec in specs {
            if !self.specs.contains(&spec) {
                self.specs.push(spec);
            }
        }
        self.specs.drain(..self.specs.len().saturating_sub(MAX_SPECS));
    }

    pub(super) fn forget(&mut self) {
        self.specs = Vec::new();
    }

    /// The text without secrets.
    pub(super) fn masked(&self, text: &str) -> String {
        let plain = self.plain_masked(text);
        // A JSON writer may write any character of a secret as an escape.
        match plain.contains("\\u") {
            true => self.strings_masked(&plain),
            false => plain.into_owned(),
        }
    }

    fn plain_masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        for spec in &self.specs {
            if let Cow::Owned(concealed) = spec.conceal(&masked) {
                masked = Cow::Owned(concealed);
            }
        }
        match self.scanner.scan(&masked).is_empty() {
            true => masked,
            false => Cow::Owned(self.scanner.redact(&masked).0),
        }
    }

    /// Masks the values of those JSON strings that have escapes.
    fn strings_masked(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('"') {
            out.push_str(before);
            let end = string_end(after);
            let (inside, next) = (&after[..end], after.get(end + 1..).unwrap_or_default());
            let masked = unescape(inside).filter(|_| inside.contains("\\u")).and_then(|value| {
                let masked = self.plain_masked(&value);
                (*masked != *value).then(|| masked.into_owned())
            });
            match masked {
                Some(masked) => write_string(&mut out, &masked),
                None => out.push_str(&rest[before.len()..(before.len() + end + 2).min(rest.len())]),
            }
            rest = next;
        }
        out.push_str(rest);
        out
    }
}

/// Where a JSON string ends that begins before this text: at its quotation mark, or at the end.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}
