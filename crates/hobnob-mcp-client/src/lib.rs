//! A client for MCP servers: every revision, over pipes and HTTP.
//!
//! Programs use [`Client`]: [`Client::connect`] reaches a URL, [`Client::spawn`] starts a program,
//! and [`Client::builder`] takes settings first.
//!
//! ```no_run
//! use hobnob_mcp_client::Client;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::spawn(["uvx", "mcp-server-time"]).await?;
//! for tool in client.tools().await? {
//!     println!("{}", tool.name);
//! }
//! let time: String = client
//!     .call("get_current_time", &serde_json::json!({ "timezone": "Europe/Zurich" }))
//!     .await?;
//! client.close().await;
//! # Ok(()) }
//! ```
//!
//! Below it, [`connect_lines`] and `connect_http` perform the handshake with a server and return a
//! [`Remote`]: the server in the modern terms of the engine, as the gateway uses it. `Exchange` is
//! one request, `Inbox` handles what the server sends, and `Peer` is the state they share. Files
//! further down in this list use those above, never the other way round.

mod declared;
mod error;
mod events;
mod form_host;
mod host;
mod options;

pub mod mirror;

mod event_stream;

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
mod unanswered_round;

mod remote;

mod connect;
#[cfg(feature = "http")]
mod connect_http;

mod call_failed;
mod hosted_calls;
mod owned_connection;
mod values;

mod client;
#[cfg(all(unix, feature = "stdio"))]
mod start_program;

mod builder;

pub use builder::ClientBuilder;
pub use call_failed::{CallFailed, ToolFailure};
pub use client::Client;
pub use connect::{ConnectError, Connection, connect_lines};
#[cfg(feature = "http")]
pub use connect_http::{connect_http, connect_sse, http_target};
pub use error::RequestError;
pub use event_stream::EventStream;
pub use events::{CallEvent, EventHandler, IgnoreEvents, ProgressEvent, ServerEvent};
pub use form_host::FormHost;
pub use forward::{ExecutionMode, ForwardOptions, Rename};
pub use greet::{GreetError, Hello};
#[cfg(feature = "http")]
pub use hobnob_mcp_http::client::{
    AuthorizationFailed, CredentialRefusal, HttpTarget, RequestAuthorizer, RequestCredentials,
    RequestToAuthorize, TargetError,
};
pub use host::{DeclineAll, Host};
pub use lists::{ListError, ListKind};
pub use options::{ClientOptions, ConnectionTrace, EraHint, ExtraMeta, ListLimits, Timeouts};
pub use remote::{Forwarded, Remote, RemoteService};
pub use tasks::RemoteTask;
