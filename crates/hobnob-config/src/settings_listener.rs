//! The table `[listener]` of `config.toml`: who may use `hobnob serve --http`, and by which name.
//!
//! `serve` reads it when it starts. What must stay true: whatever is asked of callers is complete, so
//! that a listener never asks for less than it seems.

use serde::Deserialize;

/// `[listener]`: read when Hobnob starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WrittenListener")]
pub struct ListenerSettings {
    /// What callers must show.
    pub mode: ListenerMode,
    /// The origin under which clients reach the listener, as written.
    pub public_url: Option<String>,
    /// Whose tokens count in the mode `external`.
    pub issuers: Vec<IssuerSettings>,
    /// Hosts in private networks whose keys may be fetched all the same.
    pub allow_private: Vec<String>,
}

/// What callers of a listener must show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListenerMode {
    /// Nothing: only this machine may call.
    #[default]
    Local,
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
            Self::Token => "token",
            Self::Embedded => "embedded",
            Self::External => "external",
        }
    }
}

/// An issuer whose tokens count.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssuerSettings {
    /// Exactly the text that its tokens have as `iss`.
    pub issuer: String,
    /// Where its keys are.
    pub jwks: String,
    /// What its tokens may have as their audience besides the address of the server itself.
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
    #[serde(default)]
    issuers: Vec<IssuerSettings>,
    #[serde(default)]
    allow_private: Vec<String>,
}

impl TryFrom<WrittenListener> for ListenerSettings {
    type Error = String;

    fn try_from(written: WrittenListener) -> Result<Self, String> {
        let WrittenListener { mode, public_url, issuers, allow_private } = written;
        let wants_tokens = match mode {
            ListenerMode::Local => false,
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
        Ok(Self { mode, public_url, issuers, allow_private })
    }
}
