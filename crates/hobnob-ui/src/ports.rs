//! What the page needs from its hub, as traits that the hub implements: what it shows, what the
//! owner may do, and MCP requests.
//!
//! What must stay true: the page holds no part of a hub itself, so a hub decides alone what its
//! page can reach.

use crate::health::{HealthReport, LimitHealth, ProcessUse};
use crate::message_recordings::MessageRecordings;
use hobnob_gateway::{GatewayStatus, NotAnswered, OwnerAnswer, OwnerQuestion, PhaseChange};
use hobnob_mcp_engine::{BoxFuture, ClientId, Principal};
use hobnob_mcp_types::Method;
use hobnob_store::usage::{UsageGroup, UsageScope};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What the page shows of a hub. All methods but `usage` are called on threads that may block.
pub trait PageSource: Send + Sync + 'static {
    /// The status of all servers.
    fn status(&self) -> GatewayStatus;

    /// The status of the servers in the view below this prefix, as its client with this principal
    /// may read it; `None` if the view is not open or has no status for clients.
    fn view_status(&self, prefix: &str, principal: &Principal) -> Option<GatewayStatus>;

    /// The questions to the owner, the oldest first.
    fn questions(&self) -> Vec<OwnerQuestion>;

    /// What the last connections of a server wrote to standard error, with secrets concealed;
    /// `None` if there is no such server.
    fn server_log(&self, server: &str) -> Option<String>;

    /// The last changes of every server, by name, the oldest first.
    fn server_changes(&self) -> BTreeMap<Box<str>, Vec<PhaseChange>>;

    /// What the processes of servers use, by the server's name, where the system tells it.
    fn processes(&self) -> BTreeMap<Box<str>, ProcessUse>;

    /// Recordings of exact messages, which the owner starts and stops.
    fn recordings(&self) -> &dyn MessageRecordings;

    /// How the hub is.
    fn health(&self) -> HealthReport;

    /// The bounds that the hub can read at once. Pages that are open read its health again when one
    /// comes nearer or moves away.
    fn limits(&self) -> Vec<LimitHealth>;

    /// Figures about the calls in this scope, as the JSON of a `Usage`.
    fn usage(
        &self,
        query: UsageQuery,
        of: UsageScope,
    ) -> BoxFuture<'_, Result<Box<RawValue>, NoUsage>>;
}

/// What the owner does from the page. The page has verified that the owner asks.
pub trait PageActions: Send + Sync + 'static {
    /// Cancels a running call; `false` if it does not run any more.
    fn cancel_call(&self, id: u64) -> bool;

    /// Answers a question to the owner.
    fn answer(
        &self,
        number: u64,
        answer: OwnerAnswer,
    ) -> BoxFuture<'_, Result<OwnerQuestion, NotAnswered>>;

    /// Stops a server and starts it again.
    fn restart<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<(), NotDone>>;

    /// Enables or disables a server in the configuration, records that, and applies it.
    fn switch<'a>(
        &'a self,
        server: &'a str,
        switch: PageSwitch,
    ) -> BoxFuture<'a, Result<(), NotDone>>;
}

/// Why a server was neither restarted nor switched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotDone {
    /// The configuration has no such server.
    Unknown,
    /// It was tried and failed: why, and what to do next.
    Failed(String),
}

/// The state into which a person switches a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSwitch {
    /// It may be started.
    Enabled,
    /// It is stopped and stays so.
    Disabled,
}

/// Which figures about calls the page asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageQuery {
    /// How many days back, including today: 1 to 400.
    pub days: u16,
    /// What the rows are about.
    pub by: UsageGroup,
}

/// Why there are no figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoUsage {
    /// Nothing records them: what is off, and how it is enabled.
    Off(String),
    /// They cannot be read now.
    Failed(String),
}

/// Makes MCP requests of the page, through a view and with the rules and the records of every other
/// client.
pub trait ViewCalls: Send + Sync + 'static {
    /// Opens the view below a prefix, so that it has a status.
    fn open_view<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, ()>;

    /// Answers one request. Dropping the future cancels it.
    fn call(&self, request: ViewRequest) -> BoxFuture<'_, ViewAnswer>;
}

/// An MCP request that the page makes for a person.
#[derive(Debug)]
pub struct ViewRequest {
    /// One of the six methods that the page may use.
    pub method: Method,
    /// The parameters: the text of a JSON object, without `_meta`.
    pub params: Box<RawValue>,
    /// The prefix of the view that answers; empty for the one at the root.
    pub prefix: Box<str>,
    /// Whose rights the request has.
    pub principal: Principal,
    /// The connection on which the browser sent it.
    pub from: ClientId,
}

/// The answer to a request of the page.
#[derive(Debug)]
pub enum ViewAnswer {
    /// The result, as JSON.
    Result(Box<RawValue>),
    /// Something has to be answered first: the result that asks, as JSON.
    InputRequired(Box<RawValue>),
    /// An error of the protocol.
    Error {
        /// The code of the JSON-RPC error.
        code: i64,
        /// What happened, in the words of the hub or of a server.
        message: String,
    },
}
