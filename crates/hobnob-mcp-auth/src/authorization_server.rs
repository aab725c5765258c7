//! An authorization server inside the process of the resource it protects: clients register, people
//! consent, tokens are opaque and stored as digests.
//!
//! A listener uses [`EmbeddedAuthorizationServer`] for its open routes and as its token verifier.
//! Handlers are functions of request, store and clock. Modules use only those above them.

mod failure;
mod record_store;
mod user_access;

mod records;
pub(crate) mod secrets;

pub(crate) mod form;
mod memory_store;
mod password;
pub(crate) mod plain_text;
mod redirect_rule;
mod rotation;

mod events;
mod settings;
mod users;

mod logins;

mod client_document;
mod parts;
mod password_check;
mod responses;

mod clients;
mod metadata;
pub(crate) mod sessions;

mod client_auth;
mod grants;

mod authorize_request;
mod consent_page;
mod register;
mod token;

mod authorize;
mod sign_in;

mod server;
mod terminal_approval;

pub use events::{AuthorizationEvent, AuthorizationEvents, LoggedEvents};
pub use failure::ServerFailure;
pub use logins::{ListedLogin, LoginSubject};
pub use memory_store::MemoryAuthorizationStore;
pub use password::{MAX_PASSWORD, MIN_PASSWORD, PasswordCost};
pub use record_store::{
    AuthorizationRecord, AuthorizationStore, Committed, FoundRecord, RecordKind, RecordStoreError,
    StoredChange,
};
pub use server::{AuthorizationServerBuilder, EmbeddedAuthorizationServer};
pub use settings::{AuthorizationServerSettings, Lifetimes, ScopeDefault, ScopeOffer};
pub use sign_in::SignInRefusal;
pub use terminal_approval::{ApprovalOutcome, TerminalApprovals, WaitingLogin};
pub use user_access::{UserAccess, UserRole};
pub use users::{ListedUser, MAX_USERS, UserApproval, UserDirectory, UserError};
