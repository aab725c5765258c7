//! The table `[listener]` of `config.toml`: who may use `hobnob serve --http`, and by which name.
//!
//! `serve` reads it when it starts. What must stay true: a table that asks callers for proof is
//! complete, so that a listener never asks for less than it seems to.

use serde::Deserialize;
use std::path::PathBuf;

/// `[listener]`: read when Hobnob starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WrittenListener")]
pub struct ListenerSettings {
    /// The proof that callers must show.
    pub mode: ListenerMode,
    /// The origin under which clients reach the listener, as written.
    pub public_url: Option<String>,
    /// The certificate for clients; without one, nothing is encrypted.
    pub tls: Option<TlsSettings>,
    /// The issuers whose tokens count in the mode `external`.
    pub issuers: Vec<IssuerSettings>,
    /// Hosts in private networks from which keys may be fetched.
    pub allow_private: Vec<String>,
    /// Addresses and networks of proxies that are trusted to name their clients, as written.
    pub trusted_proxies: Vec<String>,
}

/// The proof that callers of a listener must show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListenerMode {
    /// None: only programs of this user, and of root, may call.
    #[default]
    Local,
    /// None: every program on this machine may call, of any user.
    Open,
    /// A token of `hobnob token create`.
    Token,
    /// A token of Hobnob's own authorization server, or of `hobnob token create`.
    Embedded,
    /// A token of one of the issuers, or of `hobnob token create`.
    External,
}

impl ListenerMode {
    /// The word in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Open => "open",
            Self::Token => "token",
            Self::Embedded => "embedded",
            Self::External => "external",
        }
    }
}

/// The paths of the listener's certificate and its key, as written: relative to the folder of
/// `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    /// `tls_certificate`: the certificate and its chain, as PEM.
    pub certificate: PathBuf,
    /// `tls_key`: its private key as PEM.
    pub key: PathBuf,
}

/// An issuer whose tokens count.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssuerSettings {
    /// The exact `iss` of its tokens.
    pub issuer: String,
    /// The URL of its keys.
    pub jwks: String,
    /// Accepted audiences of its tokens, besides the address of the server itself.
    #[serde(default)]
    pub audiences: Vec<String>,
}

/// The table as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenListener {
    #[serde(default)]
    mode: ListenerMode,
    public_url: Option<String>,
    tls_certificate: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    #[serde(default)]
    issuers: Vec<IssuerSettings>,
    #[serde(default)]
    allow_private: Vec<String>,
    #[serde(default)]
    trusted_proxies: Vec<String>,
}

impl TryFrom<WrittenListener> for ListenerSettings {
    type Error = String;

    fn try_from(written: WrittenListener) -> Result<Self, String> {
        let WrittenListener {
            mode,
            public_url,
            tls_certificate,
            tls_key,
            issuers,
            allow_private,
            trusted_proxies,
        } = written;
        let tls = tls(tls_certificate, tls_key, public_url.as_deref())?;
        let wants_tokens = match mode {
            ListenerMode::Local | ListenerMode::Open => false,
            ListenerMode::Token | ListenerMode::Embedded | ListenerMode::External => true,
        };
        if wants_tokens && public_url.is_none() {
            return Err(format!(
                "mode = \"{}\" needs `public_url`, the origin under which clients reach this \
                 machine, such as \"https://hub.example.com\"",
                mode.as_str()
            ));
        }
        if mode == ListenerMode::External && issuers.is_empty() {
            return Err(
                "mode = \"external\" needs `issuers`, with the `issuer` and the `jwks` of \
                        each"
                    .into(),
            );
        }
        if mode != ListenerMode::External && !issuers.is_empty() {
            return Err(format!(
                "`issuers` count only with mode = \"external\", and the mode is \"{}\"",
                mode.as_str()
            ));
        }
        if issuers.iter().any(|it| it.audiences.iter().any(String::is_empty)) {
            return Err("an audience of an issuer is empty".into());
        }
        Ok(Self { mode, public_url, tls, issuers, allow_private, trusted_proxies })
    }
}

fn tls(
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    public_url: Option<&str>,
) -> Result<Option<TlsSettings>, String> {
    let (certificate, key) = match (certificate, key) {
        (None, None) => return Ok(None),
        (Some(certificate), Some(key)) => (certificate, key),
        (Some(_), None) => return Err("`tls_certificate` needs `tls_key`, its private key".into()),
        (None, Some(_)) => return Err("`tls_key` needs `tls_certificate`, its certificate".into()),
    };
    let is_http =
        |url: &str| url.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http://"));
    if public_url.is_some_and(is_http) {
        return Err("`public_url` must begin with https, because `tls_certificate` makes the \
                    listener speak TLS only"
            .into());
    }
    Ok(Some(TlsSettings { certificate, key }))
}
