//! The logins that users have: what clients were granted, and browsers that stay logged in. Listed, and
//! ended one by one, by the program's commands.
//!
//! What must stay true: a login is named by a digest, which says nothing of a token, a cookie or the
//! grant itself; and one that is ended leaves nothing that could go on.

use hobnob_text::hex;
use ring::digest::{SHA256, digest};

use super::failure::ServerFailure;
use super::record_store::{Committed, RecordKind, StoredChange};
use super::records::{GrantBody, Held, RecordBody, SessionBody, held};
use super::users::{UserDirectory, UserError};

/// Characters of an id: enough that two logins of one store hardly ever share it.
const ID_LENGTH: usize = 12;
/// Records that are read at a time.
const PAGE: usize = 500;

/// A login that somebody has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedLogin {
    /// What names it in lists and commands.
    pub id: Box<str>,
    /// The user who logged in.
    pub user: Box<str>,
    /// What has logged in.
    pub subject: LoginSubject,
    /// When it ends if nobody uses it, in seconds since 1970.
    pub ends_at: u64,
}

/// What has logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginSubject {
    /// A client that has tokens, or will get them for its code.
    Client {
        /// What it calls itself; nobody has checked that.
        name: Box<str>,
        /// What its tokens are for.
        resource: Box<str>,
        /// What was granted; the role of the user may leave less of it.
        scopes: Vec<Box<str>>,
        /// When the user agreed, in seconds since 1970.
        created: u64,
        /// When its tokens were renewed last, or first issued.
        renewed: u64,
    },
    /// A browser in which the page asks for no password.
    Browser,
}

impl UserDirectory {
    /// The logins of everybody, or of one user, that have not ended by now.
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

    /// Ends the login of this id, and everything that was given out for it; which one that was.
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
            // It has ended meanwhile.
            Committed::Conflict => Err(UserError::NoLogin),
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
            let page = self.list_records(T::KIND, after.as_deref(), PAGE).await?;
            after = page.last().map(|found| found.record.key.clone());
            let is_last = page.len() < PAGE;
            for found in page {
                let ends_at = found.record.expires_at.unwrap_or(u64::MAX);
                if now < ends_at {
                    open.push((ends_at, held(found)?));
                }
            }
            if is_last {
                return Ok(open);
            }
        }
    }
}

/// Records of one kind, with their ends.
type Open<T> = Vec<(u64, Held<T>)>;

fn listed_grant(grant: &Held<GrantBody>, ends_at: u64) -> ListedLogin {
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

fn listed_session(session: &Held<SessionBody>, ends_at: u64) -> ListedLogin {
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
