//! `hobnob token create`, `list` and `revoke`: static tokens for scripts that use `serve --http`.
//!
//! `main` runs it. What must stay true: a token is shown once, when it is made; only a command that
//! a person typed makes or revokes one, and the audit log has it.

use super::person::require_owner;
use super::scope_names::{UselessScope, token_problems};
use crate::context::CommandContext;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use hobnob_config::{Places, ProfileName, Settings, TokenEntry, TokensFile, parse_duration};
use hobnob_hub::authentication::{TokenEvent, TokenReader, change_tokens, token_principal};
use hobnob_hub::change_log::ChangeLog;
use hobnob_hub::known_tools::KnownTools;
use hobnob_hub::rule_target::MissingName;
use hobnob_mcp_auth::resource_server::NewStaticToken;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::relative;
use hobnob_terminal::render::{self, Cell, Table};
use jiff::Timestamp;
use serde::Serialize;

/// The scopes of a token that is made without `--scope`.
const DEFAULT_SCOPES: [&str; 2] = ["read", "call"];
const MAX_NAME_BYTES: usize = 64;

#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    what: TokenWhat,
}

#[derive(Debug, Subcommand)]
enum TokenWhat {
    /// Make a token, and show it this once.
    Create {
        /// What you call it; callers with it are the principal token:NAME.
        name: String,

        /// What it may be used for: read, call, admin, SERVICE:call, p/PROFILE:read (may be
        /// repeated).
        ///
        /// Without it, read and call.
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<String>,

        /// Only for this profile, at /p/PROFILE/mcp.
        #[arg(long, value_name = "NAME")]
        profile: Option<String>,

        /// How long it is valid, for example 90d; without it, until you revoke it.
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,

        /// Make the token also if its scopes or its profile name something that is not there yet.
        #[arg(long)]
        future: bool,
    },
    /// List the tokens there are, without showing them.
    List,
    /// Take a token back; this takes effect with the next request.
    Revoke {
        /// Its name, or its id as `hobnob token list` shows it.
        token: String,
    },
}

/// A token that was made or is listed, as `--json` prints it.
#[derive(Debug, Serialize)]
struct ShownToken {
    id: String,
    name: String,
    principal: String,
    scopes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    /// Only in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used: Option<String>,
    /// Only once, when it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl ShownToken {
    fn new(entry: TokenEntry) -> Self {
        Self {
            id: entry.id,
            principal: token_principal(&entry.name),
            name: entry.name,
            scopes: entry.scopes,
            profile: entry.profile,
            created: None,
            expires: entry.expires,
            last_used: None,
            token: None,
        }
    }
}

#[derive(Debug, Serialize)]
struct RevokedToken {
    id: String,
    name: String,
}

pub(crate) fn run(args: TokenArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    match args.what {
        TokenWhat::Create { name, scopes, profile, expires, future } => {
            let missing = if future { MissingName::Keep } else { MissingName::Refuse };
            let entry = Wanted { name, scopes, profile, expires };
            create(entry, missing, &places, context)
        }
        TokenWhat::List => list(&places, context),
        TokenWhat::Revoke { token } => revoke(&token, &places, context),
    }
}

/// The options of `token create`, before they are checked.
struct Wanted {
    name: String,
    scopes: Vec<String>,
    profile: Option<String>,
    expires: Option<String>,
}

impl Wanted {
    fn entry(self, new: &NewStaticToken) -> anyhow::Result<TokenEntry> {
        let legal = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
        let name = self.name;
        if name.is_empty() || MAX_NAME_BYTES < name.len() || !name.chars().all(legal) {
            let message = "the name of a token has 1 to 64 letters, digits, dots, dashes and \
                           underscores";
            return Err(Ended::usage(message).into());
        }
        let words: Vec<_> = self.scopes.iter().flat_map(|it| it.split_whitespace()).collect();
        if let Some(bad) = words.iter().find(|scope| !is_scope(scope)) {
            let message = format!(
                "`{bad}` is no scope; write read, call or admin, SERVICE:read or SERVICE:call, or \
                 p/PROFILE:read, p/PROFILE:call or p/PROFILE:admin"
            );
            return Err(Ended::usage(message).into());
        }
        let scopes = if words.is_empty() { DEFAULT_SCOPES.to_vec() } else { words };
        if let Some(profile) = &self.profile {
            ProfileName::parse(profile).map_err(|error| Ended::usage(error.to_string()))?;
        }
        let now = Timestamp::now();
        let expires = self.expires.as_deref().map(|text| {
            let lasts = parse_duration(text).map_err(|error| error.to_string())?;
            let lasts = Some(lasts).filter(|it| !it.is_zero()).ok_or("it would end at once")?;
            now.checked_add(lasts).map_err(|_| "that is too long".to_owned())
        });
        let expires = expires.transpose();
        let expires = expires.map_err(|why: String| Ended::usage(format!("--expires: {why}")))?;
        Ok(TokenEntry {
            id: new.id.to_string(),
            name,
            sha256: new.sha256.to_string(),
            scopes: scopes.into_iter().map(str::to_owned).collect(),
            profile: self.profile,
            created: shown(now),
            expires: expires.map(shown),
        })
    }
}

/// Whether the scope is well-formed.
fn is_scope(scope: &str) -> bool {
    let level = |word: &str| matches!(word, "read" | "call");
    match scope.rsplit_once(':') {
        None => level(scope) || scope == "admin",
        Some((name, word)) => match name.strip_prefix("p/") {
            Some(profile) => !profile.is_empty() && (level(word) || word == "admin"),
            None => !name.is_empty() && level(word),
        },
    }
}

fn create(
    wanted: Wanted,
    missing: MissingName,
    places: &Places,
    context: &CommandContext,
) -> anyhow::Result<()> {
    require_owner("tokens are", places)?;
    let new = NewStaticToken::generate()?;
    let entry = wanted.entry(&new)?;
    if missing == MissingName::Refuse {
        check_reach(&entry, places)?;
    }
    let made = entry.clone();
    change_tokens(places, &change_log(places)?, TokenEvent::Create, |tokens| {
        if tokens.iter().any(|it| it.name == entry.name) {
            let message = format!(
                "there is a token `{0}` already; revoke it first: hobnob token revoke {0}",
                entry.name
            );
            return Err(Ended::new(Code::Failed, message).into());
        }
        tokens.push(entry.clone());
        Ok(entry)
    })?;
    let token = new.token.expose();
    let created = ShownToken { token: Some(token.to_owned()), ..ShownToken::new(made) };
    match context.output {
        Output::Json => render::json(&created),
        Output::People => {
            render::line(token)?;
            render::note(&format!(
                "this is the only time that the token is shown; clients send it as \
                 Authorization: Bearer, and are {}",
                created.principal
            ));
            Ok(())
        }
    }
}

/// Refuses a token that reaches nothing: it would seem to work until a script uses it.
fn check_reach(entry: &TokenEntry, places: &Places) -> anyhow::Result<()> {
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    let known = KnownTools::load(places, &settings);
    match token_problems(&known, entry).into_iter().next() {
        None => Ok(()),
        Some(UselessScope { what, near }) => {
            let message = format!(
                "{what}; no token was made: correct it, or add --future if it comes later{near}"
            );
            Err(Ended::usage(message).into())
        }
    }
}

fn list(places: &Places, context: &CommandContext) -> anyhow::Result<()> {
    let uses = TokenReader::uses(&places.token_uses());
    let tokens = TokensFile::new(&places.tokens()).load()?.into_iter().map(|it| {
        let last_used = uses.get(&it.id).cloned();
        ShownToken { created: Some(it.created.clone()), last_used, ..ShownToken::new(it) }
    });
    let tokens: Vec<_> = tokens.collect();
    match context.output {
        Output::Json => render::json(&tokens),
        Output::People => {
            let mut table =
                Table::new(&["NAME", "ID", "SCOPES", "PROFILE", "CREATED", "EXPIRES", "LAST USED"]);
            let or_dash = |it: &Option<String>| Cell::from(it.as_deref().unwrap_or("-"));
            let time = |it: &Option<String>| Cell::from(relative(it.as_deref().unwrap_or("-")));
            for it in &tokens {
                table.row([
                    Cell::from(&*it.name),
                    Cell::from(&*it.id),
                    Cell::from(&*it.scopes.join(" ")),
                    or_dash(&it.profile),
                    time(&it.created),
                    time(&it.expires),
                    time(&it.last_used),
                ]);
            }
            render::text(&table.to_text())
        }
    }
}

fn revoke(token: &str, places: &Places, context: &CommandContext) -> anyhow::Result<()> {
    require_owner("tokens are", places)?;
    let gone = change_tokens(places, &change_log(places)?, TokenEvent::Revoke, |tokens| {
        let found = tokens.iter().position(|it| it.name == token || it.id == token);
        let missing = || {
            let message = "there is no such token; `hobnob token list` shows those there are";
            Ended::new(Code::Failed, message)
        };
        Ok(tokens.remove(found.ok_or_else(missing)?))
    })?;
    let revoked = RevokedToken { id: gone.id, name: gone.name };
    match context.output {
        Output::Json => render::json(&revoked),
        Output::People => render::line(&format!("revoked: {} ({})", revoked.name, revoked.id)),
    }
}

/// The audit log, in a folder that need not exist yet.
fn change_log(places: &Places) -> anyhow::Result<ChangeLog> {
    places.create().context("the folders for settings and state cannot be made")?;
    ChangeLog::open(places)
}

fn shown(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
