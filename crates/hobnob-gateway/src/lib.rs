//! Many MCP servers behind one service.
//!
//! The modules are listed bottom up; each imports only those before it. First the pure parts:
//! names, addresses, rewriting, pins, the merged catalogue, large results. Then what a permit
//! opens, upstreams, views, and the steps of every call. On these stand the parts that hold state:
//! `servers` (what is configured, and snapshots of it), `first_starts`, `reload`, `watch` and
//! `status`. `dispatch` and `management` answer requests; `gateway` owns all of them.

pub mod names;
pub mod nearest;
pub mod uris;

pub mod rewrite;

pub mod pins;

pub mod catalog;
mod consent;
mod question_origin;

pub mod spill;

pub mod permitted;

mod background;
mod identity;
mod upstream;

mod view;

mod calls;

mod approvals;
mod servers;

mod first_starts;
mod reload;
mod watch;

mod status;

mod tool_uses;
mod tool_vectors;

mod dispatch;

mod management;
mod tool_search;

mod gateway;

pub use calls::observer::{CallObserver, ObservedCall, ObservedEnd, ObservedProgress};
pub use calls::rule_uses::{CountedRules, RuleUse};
pub use calls::written::until_written;
pub use consent::{AfterYes, NotAnswered, OwnerAnswer, OwnerQuestion, ShownArguments};
pub use dispatch::lists::{ListAccess, ListFilter};
pub use dispatch::locate::StoredLists;
pub use dispatch::results::KeptResults;
pub use dispatch::router::GatewayService;
pub use dispatch::shown_tools::{ShownTool, ShownTools, SnapshotMark, ToolOwner};
pub use dispatch::tool_search::USUAL_LIST;
pub use first_starts::policy::FirstStarts;
pub use first_starts::to_learn::has_servers_to_learn;
pub use gateway::lasting_consents::LastingConsent;
pub use gateway::owner::{Gateway, GatewayOptions};
pub use gateway::owner_controls::OwnerControls;
pub use identity::{HubIdentity, INSTANCES};
pub use question_origin::QuestionOrigin;
pub use reload::Reload;
pub use servers::rules::{permission_rules, server_contents};
pub use status::reader::GatewayStatus;
pub use tool_vectors::ToolEmbedder;
pub use upstream::launch::Launcher;
pub use upstream::sandbox_builder::{SandboxBuilder, SandboxOptions};
pub use upstream::supervision::SupervisionPolicy;
pub use upstream::{
    BegunLogin, ConnectionEnd, LOGIN_PORT, LoginPages, LoginReport, ObservedConnection, Phase,
    PhaseChange, ServerPlace, ServerProcess, ShowPage, UpstreamStatus, carry_start_failure,
    forget_start_failure, needs_person, oauth_builder, why_no_login,
};
pub use uris::{OF_ALL, STATUS};
pub use view::error::{GatewayError, RestartError};
pub use view::{EverydayTools, ViewId, ViewOptions};
