//! The logins of users: grants to clients, and browsers that stay logged in. The program's commands
//! list them and end them one by one.
//!
//! What must stay true: a login's id is a digest that reveals nothing of a token, a cookie or the
//! grant itself; and ending a login ends everything that was issued for it.

use hobnob_text::hex;
use ring::digest::{SHA256, digest};

use super::failure::ServerFailure;
use super::record_store::{Committed, RecordKind, StoredChange};
use super::records::{GrantBody, LoadedRecord, RecordBody, SessionBody, loaded_record};
use super::users::{UserDirectory, UserError};

/// Characters of an id: enough that two logins of one store hardly ever share it.
const ID_LENGTH: usize = 12;
/// How many records one read returns.
const PAGE_SIZE: usize = 500;

/// A login of a user, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedLogin {
    /// The login's id, as lists and commands show it.
    pub id: Box<str>,
    /// The user who logged in.
    pub user: Box<str>,
    /// What has logged in.
    pub subject: LoginSubject,
    /// When the login ends unless it is used before, in seconds since 1970.
    pub ends_at: u64,
}

/// What has logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginSubject {
    /// A client that has tokens, or will get them for its code.
    Client {
        /// The name that the client gave itself; it is not verified.
        name: Box<str>,
        /// The resource its tokens are for.
        resource: Box<str>,
        /// The scopes that were granted; the role of the user may allow fewer.
        scopes: Vec<Box<str>>,
        /// When the user agreed, in seconds since 1970.
        created: u64,
        /// When its tokens were last refreshed, or first issued, in seconds since 1970.
        renewed: u64,
    },
    /// A browser in which the consent page asks for no password.
    Browser,
}

impl UserDirectory {
    /// The logins of one user, or of all users, that have not ended by now.
    pub async fn logins(
        &self,
        user: Option<&str>,
        now: u64,
    ) -> Result<Vec<ListedLogin>, UserError> {
        if let Some(user) = user {
            self.find(user).await?;
        }
        let (grants, sessions) = self.open_logins(now).await?;
        let grants = grants.iter().map(|(ends_at, grant)| listed_grant(grant, *ends_at));
        let sessions = sessions.iter().map(|(ends_at, session)| listed_session(session, *ends_at));
        let is_theirs = |login: &ListedLogin| user.is_none_or(|user| *login.user == *user);
        let mut logins: Vec<_> = grants.chain(sessions).filter(is_theirs).collect();
        logins.sort_by(|left, right| (&left.user, &left.id).cmp(&(&right.user, &right.id)));
        Ok(logins)
    }

    /// Ends the login with this id, and everything issued for it. Returns the ended login.
    pub async fn end_login(&self, id: &str, now: u64) -> Result<ListedLogin, UserError> {
        let (grants, sessions) = self.open_logins(now).await?;
        let grants = grants.into_iter().map(|(ends_at, grant)| {
            let listed = listed_grant(&grant, ends_at);
            (listed, StoredChange::RemoveGrant(grant.record.key))
        });
        let sessions = sessions
            .into_iter()
            .map(|(ends_at, session)| (listed_session(&session, ends_at), session.removed()));
        let found = grants.chain(sessions).find(|(login, _)| *login.id == *id);
        let (login, change) = found.ok_or(UserError::NoLogin)?;
        match self.commit(vec![change]).await? {
            Committed::Done => Ok(login),
            // Another process has ended it meanwhile.
            Committed::Conflict => Err(UserError::NoLogin),
        }
    }

    /// Ends every login of a user, and everything issued for them.
    pub async fn end_logins(&self, user: &str) -> Result<(), UserError> {
        self.find(user).await?;
        match self.commit(vec![StoredChange::RemoveLogins(user.into())]).await? {
            Committed::Done => Ok(()),
            // Another process removed the user meanwhile.
            Committed::Conflict => Err(UserError::Unknown),
        }
    }

    async fn open_logins(
        &self,
        now: u64,
    ) -> Result<(Open<GrantBody>, Open<SessionBody>), ServerFailure> {
        Ok((self.open_records(now).await?, self.open_records(now).await?))
    }

    /// All records of a kind that have not ended, and when each does.
    async fn open_records<T: RecordBody>(&self, now: u64) -> Result<Open<T>, ServerFailure> {
        let (mut open, mut after): (Open<T>, Option<Box<str>>) = (Vec::new(), None);
        loop {
            let page = self.list_records(T::KIND, after.as_deref(), PAGE_SIZE).await?;
            after = page.last().map(|found| found.record.key.clone());
            let is_last = page.len() < PAGE_SIZE;
            for found in page {
                let ends_at = found.record.expires_at.unwrap_or(u64::MAX);
                if now < ends_at {
                    open.push((ends_at, loaded_record(found)?));
                }
            }
            if is_last {
                return Ok(open);
            }
        }
    }
}

/// Records of one kind, each with the time when it ends.
type Open<T> = Vec<(u64, LoadedRecord<T>)>;

fn listed_grant(grant: &LoadedRecord<GrantBody>, ends_at: u64) -> ListedLogin {
    let GrantBody { user, client_name, resource, scopes, created, used_at, .. } =
        grant.body.clone();
    let subject = LoginSubject::Client {
        name: client_name,
        resource,
        scopes: scopes.split_whitespace().map(Into::into).collect(),
        created,
        renewed: used_at,
    };
    ListedLogin { id: id_of(RecordKind::Grant, &grant.record.key), user, subject, ends_at }
}

fn listed_session(session: &LoadedRecord<SessionBody>, ends_at: u64) -> ListedLogin {
    let id = id_of(RecordKind::Session, &session.record.key);
    let (user, subject) = (session.body.user.clone(), LoginSubject::Browser);
    ListedLogin { id, user, subject, ends_at }
}

fn id_of(kind: RecordKind, key: &str) -> Box<str> {
    let text = format!("{} {key}", kind.name());
    let mut id = hex::encode(digest(&SHA256, text.as_bytes()).as_ref());
    id.truncate(ID_LENGTH);
    id.into()
}
