//! Asks an MCP server: every revision, over pipes and HTTP.
//!
//! [`connect_lines`] and [`connect_http`] greet a server and return a [`Remote`]: the server in the
//! inside's own modern terms, as the gateway uses it. [`Client`] is what a program uses that asks
//! for itself. Below them, `Exchange` is one request, `Inbox` takes what the server says, and
//! `Peer` is the state both share; files further down in this list use those above, never the
//! other way round.

mod error;
mod events;
mod host;
mod options;

pub mod mirror;

mod fair_queue;

mod peer;

mod question_routing;

mod exchange;
mod inbox;

mod forward;
mod greet;
mod outcome;
mod required_pages;

mod park;

mod open_connection;

mod lists;
mod subscriptions;
mod tasks;

mod remote;

mod client;
mod connect;

pub use client::{CallFailed, Client};
pub use connect::{
    ConnectError, Connection, connect_http, connect_lines, connect_sse, http_target,
};
pub use error::RequestError;
pub use events::{EventHandler, IgnoreEvents, ServerEvent};
pub use forward::{ExecutionMode, ForwardOptions, Rename};
pub use greet::{GreetError, Hello};
pub use hobnob_mcp_http::client::{HttpTarget, TargetError};
pub use host::{DeclineAll, Host};
pub use lists::{ListError, ListKind};
pub use options::{ClientOptions, EraHint, ExtraMeta, ListLimits, Timeouts};
pub use remote::{Forwarded, Remote, RemoteService};
pub use tasks::RemoteTask;
