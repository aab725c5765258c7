//! Asks an MCP server: every revision, over pipes and HTTP.
//!
//! `Peer` matches answers to requests over any carrier; `greet` finds out which era the server
//! speaks; `Remote` is the server as a [`Service`](hobnob_mcp_engine::Service), in the inside's own
//! modern terms; `Client` is what a program uses that asks for itself.

mod events;
mod host;
mod options;

mod turns;

mod pending;

mod peer;

mod exchange;

mod greet;

mod forward;
mod outcome;
mod pages;
mod park;
mod remote;
mod tasks;

mod lists;
mod watching;

mod client;
mod connect;

pub mod mirror;

pub use client::{CallFailed, Client};
pub use connect::{
    ConnectError, Connection, connect_http, connect_lines, connect_sse, http_target,
};
pub use events::{EventHandler, IgnoreEvents, ServerEvent};
pub use exchange::RequestError;
pub use forward::{ExecutionMode, ForwardOptions, Rename};
pub use greet::{GreetError, Hello};
pub use hobnob_mcp_http::client::{HttpTarget, TargetError};
pub use host::{DeclineAll, Host};
pub use lists::{ListError, ListKind, ListLimits};
pub use options::{ClientOptions, EraHint, ExtraMeta, Timeouts};
pub use remote::{Forwarded, Remote, RemoteService};
pub use tasks::RemoteTask;
