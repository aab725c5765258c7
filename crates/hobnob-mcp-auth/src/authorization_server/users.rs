//! The users who may log in. The program's commands add, list and remove them; the consent page
//! checks their passwords.
//!
//! What must stay true: removing a user ends everything that they agreed to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Semaphore;

use super::failure::ServerFailure;
use super::password::{self, MAX_PASSWORD, MIN_PASSWORD, PasswordCost};
use super::record_store::{AuthorizationStore, Committed, FoundRecord, RecordKind, StoredChange};
use super::records::{LoadedRecord, RecordOwner, UserBody, body, insertion, load};
use super::user_access::UserAccess;
use crate::secret::SecretText;

/// How many users a store may have.
pub const MAX_USERS: usize = 10_000;
/// The longest name of a user.
const MAX_NAME: usize = 64;
/// How many passwords are hashed at a time; each takes much memory.
const MAX_CHECKS: usize = 2;

/// Why a user was not found or changed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum UserError {
    /// The name breaks the rules for user names.
    #[error(
        "a user's name has 1 to {MAX_NAME} of these: a-z, 0-9, `.`, `_`, `-` and `@`, and begins \
         with a letter or a digit"
    )]
    BadName,
    /// The password is too short or too long, or not one line.
    #[error(
        "a password has at least {MIN_PASSWORD} characters and at most {MAX_PASSWORD} bytes, and \
         is one line"
    )]
    BadPassword,
    /// A user of this name exists already.
    #[error("there is a user of this name already")]
    Taken,
    /// No user has this name.
    #[error("there is no user of this name")]
    Unknown,
    /// No login has this id.
    #[error("there is no login with this id; it may have ended")]
    NoLogin,
    /// There are [`MAX_USERS`] users already.
    #[error("there are {MAX_USERS} users already")]
    TooMany,
    /// The store or this machine failed.
    #[error(transparent)]
    Failure(#[from] ServerFailure),
}

/// A user, as lists show them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedUser {
    /// The name they log in with, which is also the principal of their tokens.
    pub name: Box<str>,
    /// How they agree to logins.
    pub agrees_by: UserApproval,
    /// When they were added, in seconds since 1970.
    pub created: u64,
    /// What they may reach.
    pub access: UserAccess,
}

/// How a user agrees to logins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserApproval {
    /// With a password in the browser, or in the terminal.
    Password,
    /// Only in the terminal: the user has no password.
    Terminal,
}

/// The users of one store.
#[derive(Debug, Clone)]
pub struct UserDirectory {
    store: Arc<dyn AuthorizationStore>,
    cost: PasswordCost,
    checks: Arc<Semaphore>,
    /// How often this process has changed users.
    changes: Arc<AtomicU64>,
}

impl UserDirectory {
    /// The users of this store; new passwords are hashed at this cost.
    pub fn new(store: Arc<dyn AuthorizationStore>, cost: PasswordCost) -> Self {
        Self { store, cost, checks: Arc::new(Semaphore::new(MAX_CHECKS)), changes: Arc::default() }
    }

    /// Adds a member, who may use every profile. Without a password, the user can only agree to
    /// logins in the terminal.
    pub async fn add(
        &self,
        name: &str,
        password: Option<SecretText>,
        now: u64,
    ) -> Result<(), UserError> {
        self.add_with(name, password, UserAccess::default(), now).await
    }

    /// Adds a user with this role and these profiles.
    pub async fn add_with(
        &self,
        name: &str,
        password: Option<SecretText>,
        access: UserAccess,
        now: u64,
    ) -> Result<(), UserError> {
        if !is_name(name) {
            return Err(UserError::BadName);
        }
        let taken = load::<UserBody>(&*self.store, name).await?;
        if taken.is_some() {
            return Err(UserError::Taken);
        }
        let count = self.store.count(RecordKind::User).await.map_err(ServerFailure::from)?;
        if MAX_USERS <= count {
            return Err(UserError::TooMany);
        }
        let password = match password {
            Some(password) => Some(self.hash(password).await?),
            None => None,
        };
        let owner = RecordOwner { user: name, ..RecordOwner::default() };
        let change = insertion(name, owner, &UserBody { password, created: now, access })?;
        match self.commit(vec![change]).await? {
            Committed::Done => Ok(()),
            Committed::Conflict => Err(UserError::Taken),
        }
    }

    /// Lists all users by name.
    pub async fn list(&self) -> Result<Vec<ListedUser>, UserError> {
        let found = self.list_records(RecordKind::User, None, MAX_USERS).await?;
        let users = found.into_iter().map(|found| {
            let UserBody { password, created, access } = body(&found.record)?;
            let agrees_by =
                if password.is_some() { UserApproval::Password } else { UserApproval::Terminal };
            Ok(ListedUser { name: found.record.key, agrees_by, created, access })
        });
        users.collect()
    }

    /// Removes a user, and everything that they agreed to.
    pub async fn remove(&self, name: &str) -> Result<(), UserError> {
        self.find(name).await?;
        self.commit(vec![StoredChange::RemoveUser(name.into())]).await?;
        Ok(())
    }

    /// Sets a user's password and ends all their logins, since an intruder who knew the old
    /// password may have one.
    pub async fn set_password(&self, name: &str, password: SecretText) -> Result<(), UserError> {
        let mut user = self.find(name).await?;
        user.body.password = Some(self.hash(password).await?);
        let changes = vec![user.replaced(None)?, StoredChange::RemoveLogins(name.into())];
        match self.commit(changes).await? {
            Committed::Done => Ok(()),
            // Another process removed the user, or set a password, at the same time.
            Committed::Conflict => Err(UserError::Unknown),
        }
    }

    /// Changes what a user may reach, and returns it. It applies to every later use of a token.
    pub async fn change_access(
        &self,
        name: &str,
        change: impl FnOnce(&mut UserAccess),
    ) -> Result<UserAccess, UserError> {
        let mut user = self.find(name).await?;
        change(&mut user.body.access);
        match self.commit(vec![user.replaced(None)?]).await? {
            Committed::Done => Ok(user.body.access),
            // Another process removed or changed the user at the same time.
            Committed::Conflict => Err(UserError::Unknown),
        }
    }

    /// What a user may reach; `None` if no user has this name.
    pub async fn access(&self, name: &str) -> Result<Option<UserAccess>, ServerFailure> {
        Ok(load::<UserBody>(&*self.store, name).await?.map(|user| user.body.access))
    }

    /// How often users were changed by this directory.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Whether this is the user's password. An unknown user takes as long as a wrong password.
    pub(super) async fn check(
        &self,
        name: &str,
        password: SecretText,
    ) -> Result<bool, ServerFailure> {
        let user = load::<UserBody>(&*self.store, name).await?;
        let stored = user.and_then(|user| user.body.password);
        if MAX_PASSWORD < password.expose().len() {
            return Ok(false);
        }
        let cost = self.cost;
        self.in_background(move || match stored {
            Some(stored) => password::matches(&password, &stored),
            None => password::hash(&password, cost).map(|_| false),
        })
        .await
    }

    pub(super) async fn list_records(
        &self,
        kind: RecordKind,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<FoundRecord>, ServerFailure> {
        Ok(self.store.list(kind, after, limit).await?)
    }

    pub(super) async fn find(&self, name: &str) -> Result<LoadedRecord<UserBody>, UserError> {
        load(&*self.store, name).await?.ok_or(UserError::Unknown)
    }

    pub(super) async fn commit(&self, changes: Vec<StoredChange>) -> Result<Committed, UserError> {
        let committed = self.store.commit(changes).await.map_err(ServerFailure::from)?;
        self.changes.fetch_add(1, Ordering::Release);
        Ok(committed)
    }

    async fn hash(&self, password: SecretText) -> Result<Box<str>, UserError> {
        let text = password.expose();
        let long = MIN_PASSWORD <= text.chars().count() && text.len() <= MAX_PASSWORD;
        if !long || text.contains(char::is_control) {
            return Err(UserError::BadPassword);
        }
        let cost = self.cost;
        Ok(self.in_background(move || password::hash(&password, cost)).await?)
    }

    async fn in_background<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ServerFailure> + Send + 'static,
    ) -> Result<T, ServerFailure> {
        let turn = Arc::clone(&self.checks).acquire_owned().await;
        let turn = turn.map_err(|error| ServerFailure::new(&error))?;
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.map_err(|error| ServerFailure::new(&error))?
    }
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= MAX_NAME
        && name.bytes().next().is_some_and(plain)
        && name.bytes().all(|byte| plain(byte) || b"._-@".contains(&byte))
}
