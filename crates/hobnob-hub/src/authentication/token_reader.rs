//! The static tokens as they are on the disk right now, and the last use of each.
//!
//! A listener reads them on every request, which costs one `stat` of the file; so a revoked token
//! is rejected from the next request on. A file that cannot be trusted contains no tokens.

use hobnob_config::{Fingerprint, Places, TokenEntry, TokensFile};
use hobnob_disk::{FileMode, write_atomic};
use hobnob_mcp_auth::Scopes;
use hobnob_mcp_auth::resource_server::{StaticToken, StaticTokenSource};
use hobnob_mcp_engine::Principal;
use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Reads the file of tokens whenever it has changed.
#[derive(Debug)]
pub struct TokenReader {
    file: TokensFile,
    uses: PathBuf,
    read: Mutex<ReadTokens>,
}

#[derive(Debug)]
struct ReadTokens {
    seen: Fingerprint,
    tokens: Arc<[StaticToken]>,
    /// How many times the tokens have changed.
    version: u64,
}

/// The time of each token's last use, by its id, in the format of RFC 3339.
pub(crate) type TokenUses = BTreeMap<String, String>;

impl TokenReader {
    /// Reads the file for the first time.
    pub(crate) fn new(places: &Places) -> Self {
        let file = TokensFile::new(&places.tokens());
        let read = Mutex::new(read(&file, 0));
        Self { file, uses: places.token_uses(), read }
    }

    /// The last uses of tokens; empty if none was recorded.
    pub fn uses(path: &Path) -> TokenUses {
        let text = fs::read_to_string(path).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn up_to_date(&self) -> MutexGuard<'_, ReadTokens> {
        let mut last = self.read.lock();
        if last.seen != Fingerprint::of([self.file.path()]) {
            *last = read(&self.file, last.version + 1);
        }
        last
    }
}

impl StaticTokenSource for TokenReader {
    fn current(&self) -> (u64, Arc<[StaticToken]>) {
        let read = self.up_to_date();
        (read.version, Arc::clone(&read.tokens))
    }

    /// Called when a token is verified, not on every request of its bearer.
    fn used(&self, id: &str) {
        let mut uses = Self::uses(&self.uses);
        uses.insert(id.to_owned(), Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        let known = self.up_to_date().tokens.clone();
        uses.retain(|id, _| known.iter().any(|token| *token.id == **id));
        let written = serde_json::to_vec(&uses).map_err(std::io::Error::other);
        let written = written.and_then(|text| write_atomic(&self.uses, &text, FileMode::Private));
        if let Err(error) = written {
            tracing::debug!(%error, "the use of a token cannot be written down");
        }
    }
}

/// The principal of a token with this name.
pub fn token_principal(name: &str) -> String {
    format!("token:{name}")
}

fn read(file: &TokensFile, version: u64) -> ReadTokens {
    // Taken before the contents: a change in between is noticed the next time.
    let seen = Fingerprint::of([file.path()]);
    let tokens: Result<Vec<_>, String> = match file.load() {
        Ok(entries) => entries.iter().map(understand).collect(),
        Err(broken) => Err(broken.to_string()),
    };
    let tokens = tokens.unwrap_or_else(|problem| {
        tracing::warn!(%problem, "no static token counts");
        Vec::new()
    });
    ReadTokens { seen, tokens: tokens.into(), version }
}

fn understand(entry: &TokenEntry) -> Result<StaticToken, String> {
    let expires = entry.expires.as_deref().map(str::parse::<Timestamp>).transpose();
    let expires =
        expires.map_err(|_| format!("the end of the token `{}` is no time", entry.name))?;
    Ok(StaticToken {
        id: entry.id.as_str().into(),
        sha256: entry.sha256.as_str().into(),
        principal: Principal::named(&token_principal(&entry.name)),
        scopes: Scopes::parse(&entry.scopes.join(" ")),
        prefix: entry.profile.as_ref().map(|name| format!("/p/{name}").into()),
        expires_at: expires.map(SystemTime::from),
    })
}
