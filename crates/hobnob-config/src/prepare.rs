//! From an entry to a spec: expands variables, makes paths absolute, checks names and values.
//!
//! `servers` calls it for each entry. Errors name the field and never quote a variable's value.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use crate::entry::{EntryTarget, ServerEntry, SpecProblem, sandbox_field};
use crate::expand::{Lookup, Secret, expand};
use crate::name::ServerName;
use crate::oauth::{
    EntryGrant, IdentityProvider, OAuthEntry, OAuthGrant, OAuthResource, OAuthSpec,
};
use crate::printable::printable;
use crate::server_sandbox::{SandboxEntry, ServerSandbox};
use crate::spec::{ServerSpec, Target};

/// Expands variables and paths of an entry; stops at the first problem.
pub(crate) fn prepare(
    server: &ServerName,
    entry: ServerEntry,
    base: &Base<'_>,
    lookup: &Lookup<'_>,
) -> Result<ServerSpec, SpecProblem> {
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
    let is_url = matches!(target, Target::Url { .. });
    // A program gets its credentials from its environment, so only a URL has a login.
    let oauth = entry.oauth.as_ref().filter(|_| is_url);
    let oauth = oauth.map(|oauth| expander.oauth(oauth)).transpose()?;
    let helper = entry.headers_helper.as_deref().filter(|_| is_url);
    let headers_helper = helper.map(|it| expander.text("headersHelper", it)).transpose()?;
    // A server at a URL runs no program of ours, so it needs no sandbox.
    let sandbox = entry.sandbox.as_ref().filter(|_| !is_url);
    let sandbox = sandbox.map(|sandbox| expander.sandbox(sandbox)).transpose()?;
    let ServerEntry { timeout, tools, start, isolation, .. } = entry;
    Ok(ServerSpec {
        target,
        timeout,
        tools,
        roots,
        start,
        isolation,
        oauth,
        headers_helper,
        sandbox,
    })
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
            return Err(self.wrong(field, "contains a NUL character"));
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
        // A bare name is looked up in PATH; a relative path would depend on our working folder.
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
                return Err(self.wrong(&shown, "is not a valid name"));
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
            return Err(self.wrong("url", "is not a URL that begins with http:// or https://"));
        }
        Ok(url)
    }

    fn headers(&self, written: &[(String, String)]) -> Result<Vec<(String, Secret)>, SpecProblem> {
        let token = |it: u8| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it);
        let headers =
            self.pairs("headers", written, |name| !name.is_empty() && name.bytes().all(token))?;
        let control = |it: char| it.is_control() && it != '\t';
        match headers.iter().find(|(_, value)| value.expose().contains(control)) {
            Some((name, _)) => Err(self.wrong(
                &format!("headers.{name}"),
                "contains a line break or another control character",
            )),
            None => Ok(headers),
        }
    }

    fn sandbox(&self, entry: &SandboxEntry) -> Result<ServerSandbox, SpecProblem> {
        entry.expand(self.lookup).map_err(|(member, why)| self.wrong(&sandbox_field(&member), why))
    }

    fn oauth(&self, entry: &OAuthEntry) -> Result<OAuthSpec, SpecProblem> {
        let text = |name: &str| {
            let written = entry.text(name);
            written.map(|it| self.text(&format!("oauth.{name}"), it)).transpose()
        };
        let grant = match entry.grant {
            EntryGrant::Person => OAuthGrant::Person,
            EntryGrant::ClientCredentials => OAuthGrant::ClientCredentials,
            EntryGrant::Enterprise => {
                let field = |name: &str| format!("oauth.identityProvider.{name}");
                let written = |name: &str| entry.provider_text(name).unwrap_or_default();
                let secret = entry.provider_text("clientSecret");
                OAuthGrant::Enterprise(Box::new(IdentityProvider {
                    token_url: self.text(&field("tokenUrl"), written("tokenUrl"))?,
                    client_id: self.text(&field("clientId"), written("clientId"))?,
                    client_secret: secret
                        .map(|it| self.text(&field("clientSecret"), it))
                        .transpose()?,
                    id_token_file: self.path(&field("idTokenFile"), written("idTokenFile"))?,
                }))
            }
        };
        let resource = match (text("resource")?, entry.resource_omitted) {
            (Some(resource), _) => OAuthResource::Fixed(resource),
            (None, true) => OAuthResource::Omitted,
            (None, false) => OAuthResource::FromServer,
        };
        let key_file = entry.text("privateKeyFile");
        Ok(OAuthSpec {
            client_id: text("clientId")?,
            client_secret: text("clientSecret")?,
            private_key_file: key_file
                .map(|it| self.path("oauth.privateKeyFile", it))
                .transpose()?,
            key_id: text("keyId")?,
            callback_port: entry.callback_port,
            metadata_url: text("authServerMetadataUrl")?,
            issuer: text("issuer")?,
            scopes: entry.text("scopes").map(str::to_owned),
            resource,
            parameters: self.pairs("oauth.parameters", &entry.parameters, |_| true)?,
            allow_private: entry.allow_private.clone(),
            grant,
        })
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

/// The path of a file URI after `file://`; it must be a file of this machine.
fn file_uri_path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("localhost").unwrap_or(uri);
    // The decoder would keep a `%` without two digits as it is, and so name another file.
    let is_escape = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    if !path.starts_with('/') || !path.split('%').skip(1).all(is_escape) {
        return None;
    }
    let path = percent_decode_str(path).decode_utf8().ok().filter(|it| !it.contains('\0'))?;
    // `file:///C:/x` on Windows is `C:/x`.
    let path = if cfg!(windows) { path.trim_start_matches('/') } else { &path };
    Some(path.into())
}
