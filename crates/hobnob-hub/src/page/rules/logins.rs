//! Users of the embedded login and what has logged in, and the owner's end of logins.
//!
//! `page/rules` calls it where it may block. What must stay true: an end of a login is recorded
//! first, and counts for the next request in every hub.

use super::seen::{changed_meanwhile, failed};
use crate::authorization::{LoginChanges, StoredRecords};
use crate::change_log::ChangeLog;
use crate::store::store_on_demand;
use hobnob_config::{LimitSettings, ListenerMode, Places, Settings};
use hobnob_mcp_auth::authorization_server::{
    ListedLogin, ListedUser, LoginSubject, PasswordCost, UserApproval, UserDirectory, UserError,
    UserRole,
};
use hobnob_store::Store;
use hobnob_ui::{RulesChanged, RulesProblem, ShownLogin, ShownLoginClient, ShownLogins, ShownUser};
use jiff::Timestamp;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// How long the store may take.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The users of this hub's store. Cheap to clone.
#[derive(Clone)]
pub(in crate::page) struct HubLogins {
    directory: UserDirectory,
    changes: Arc<LoginChanges>,
    places: Places,
    /// Whether a service has opened the store; otherwise it is opened for the embedded login alone.
    is_opened: bool,
}

impl HubLogins {
    pub(in crate::page) fn new(places: &Places, store: Option<Arc<dyn Store>>) -> Self {
        let is_opened = store.is_some();
        // Users have no quota.
        let store = store.unwrap_or_else(|| store_on_demand(places, &LimitSettings::default()));
        let records = Arc::new(StoredRecords::new(store));
        Self {
            directory: UserDirectory::new(records, PasswordCost::default()),
            changes: Arc::new(LoginChanges::new(places.login_changes())),
            places: places.clone(),
            is_opened,
        }
    }

    /// The users and their logins; `None` if this hub has no logins.
    pub(super) fn read(&self) -> Option<ShownLogins> {
        let mode = Settings::load(&self.places.settings()).map(|settings| settings.listener.mode);
        let is_embedded = mode.is_ok_and(|mode| mode == ListenerMode::Embedded);
        if !is_embedded && !self.is_opened {
            return None;
        }
        let found = waited(async {
            let users = self.directory.list().await?;
            let open = match users.is_empty() {
                true => Vec::new(),
                false => self.directory.logins(None, now()).await?,
            };
            Ok((users, open))
        });
        match found {
            Ok((users, _)) if users.is_empty() && !is_embedded => None,
            Ok((users, open)) => Some(ShownLogins {
                users: users.into_iter().map(shown_user).collect(),
                open: open.into_iter().map(shown_login).collect(),
                problem: None,
            }),
            // Health says what is wrong with the store.
            Err(_) if !is_embedded => None,
            Err(why) => {
                Some(ShownLogins { problem: Some(why.to_string()), ..ShownLogins::default() })
            }
        }
    }

    /// Ends one login, after the audit log has it.
    pub(super) fn end_one(&self, log: &ChangeLog, id: &str) -> Result<RulesChanged, RulesProblem> {
        let ending = || waited(self.directory.end_login(id, now()));
        let ended = log.recorded("users/end-login", id, ending).map_err(not_ended)?;
        let what = match &ended.subject {
            LoginSubject::Client { name, .. } => format!("the login of {} in {name}", ended.user),
            LoginSubject::Browser => format!("the login of {} in a browser", ended.user),
        };
        Ok(self.announced(what))
    }

    /// Ends every login of a user.
    pub(super) fn end_all(
        &self,
        log: &ChangeLog,
        user: &str,
    ) -> Result<RulesChanged, RulesProblem> {
        let ending = || waited(self.directory.end_logins(user));
        log.recorded("users/end-logins", user, ending).map_err(not_ended)?;
        Ok(self.announced(format!("all logins of {user}")))
    }

    /// Announces the change to every running hub.
    fn announced(&self, text: String) -> RulesChanged {
        let notes = match self.changes.announce() {
            Ok(()) => Vec::new(),
            Err(error) => {
                vec![format!("hubs notice this within 15 seconds, not at once: {error}")]
            }
        };
        RulesChanged { text, notes }
    }
}

/// Why the store gave no answer.
#[derive(Debug, thiserror::Error)]
enum LoginProblem {
    #[error("the store gave no answer within {MAX_WAIT:?}; try again")]
    Late,
    #[error(transparent)]
    User(#[from] UserError),
}

/// Waits for the store, on a thread that may block.
fn waited<T>(work: impl Future<Output = Result<T, UserError>>) -> Result<T, LoginProblem> {
    let limited = async { tokio::time::timeout(MAX_WAIT, work).await };
    match tokio::runtime::Handle::current().block_on(limited) {
        Ok(done) => Ok(done?),
        Err(_) => Err(LoginProblem::Late),
    }
}

fn not_ended(error: anyhow::Error) -> RulesProblem {
    match error.downcast_ref() {
        Some(LoginProblem::User(UserError::NoLogin | UserError::Unknown)) => {
            changed_meanwhile("the login")
        }
        _ => failed(error),
    }
}

fn shown_user(user: ListedUser) -> ShownUser {
    ShownUser {
        name: user.name.into(),
        role: match user.access.role {
            UserRole::Member => "member".to_owned(),
            UserRole::Admin => "admin".to_owned(),
        },
        profiles: user.access.profiles.into_iter().map(Into::into).collect(),
        in_terminal: user.agrees_by == UserApproval::Terminal,
        created: time(user.created),
    }
}

fn shown_login(login: ListedLogin) -> ShownLogin {
    let client = match login.subject {
        LoginSubject::Client { name, resource, scopes, created, renewed } => {
            Some(ShownLoginClient {
                name: name.into(),
                resource: resource.into(),
                scopes: scopes.into_iter().map(Into::into).collect(),
                created: time(created),
                renewed: time(renewed),
            })
        }
        LoginSubject::Browser => None,
    };
    ShownLogin { id: login.id.into(), user: login.user.into(), client, ends: time(login.ends_at) }
}

fn now() -> u64 {
    u64::try_from(Timestamp::now().as_second()).unwrap_or_default()
}

/// A count of seconds since 1970 as text in the form of RFC 3339.
fn time(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX).to_string()
}
